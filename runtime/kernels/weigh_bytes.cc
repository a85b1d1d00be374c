#include "runtime/kernels/weigh_bytes.h"

#include <algorithm>

#if defined(__SSE2__)
#include <emmintrin.h>

#include <cstring>
#endif

namespace rondo {
namespace {

uint8_t Byte(uint32_t sum, int shift) {
  return static_cast<uint8_t>(std::clamp(static_cast<int32_t>(sum) >> shift, 0, 255));
}

template <size_t kLanes>
void AddPair(const uint8_t* first, const uint8_t* second, const WeightPair& pair, uint32_t* sums) {
  const uint32_t a = pair.weight(0);
  const uint32_t b = pair.weight(1);
  for (size_t i = 0; i < kLanes; ++i) sums[i] += a * first[i] + b * second[i];
}

void WeighStepsPortable(const uint8_t* steps, std::span<const WeightPair> pairs, int shift,
                        uint8_t* out) {
  uint32_t sums[kStepBytes];
  std::fill_n(sums, kStepBytes, 1u << (shift - 1));
  for (const WeightPair& pair : pairs) {
    AddPair<kStepBytes>(steps, steps + kStepBytes, pair, sums);
    steps += 2 * kStepBytes;
  }
  for (size_t i = 0; i < kStepBytes; ++i) out[i] = Byte(sums[i], shift);
}

void WeighColumns(const uint8_t* const* rows, std::span<const WeightPair> pairs, int shift,
                  size_t begin, size_t end, uint8_t* out) {
  constexpr size_t kBlock = 64;
  size_t i = begin;
  for (; i + kBlock <= end; i += kBlock) {
    uint32_t sums[kBlock];
    std::fill_n(sums, kBlock, 1u << (shift - 1));
    for (size_t p = 0; p < pairs.size(); ++p) {
      AddPair<kBlock>(rows[2 * p] + i, rows[2 * p + 1] + i, pairs[p], sums);
    }
    for (size_t k = 0; k < kBlock; ++k) out[i + k] = Byte(sums[k], shift);
  }
  for (; i < end; ++i) {
    uint32_t sum = 1u << (shift - 1);
    for (size_t p = 0; p < pairs.size(); ++p) {
      AddPair<1>(rows[2 * p] + i, rows[2 * p + 1] + i, pairs[p], &sum);
    }
    out[i] = Byte(sum, shift);
  }
}

void WeighRowsPortable(const uint8_t* const* rows, std::span<const WeightPair> pairs, int shift,
                       size_t row_bytes, uint8_t* out) {
  WeighColumns(rows, pairs, shift, 0, row_bytes, out);
}

#if defined(__SSE2__)

// The sums of kEights times eight bytes. PMADDWD multiplies and adds two 16-bit numbers a lane, the
// bytes of two steps or rows.
template <size_t kEights>
class Sums {
 public:
  void Add(const uint8_t* first, const uint8_t* second, const WeightPair& pair) {
    __m128i halves;
    static_assert(sizeof(pair) == 8);
    halves = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&pair));
    const __m128i high = _mm_shuffle_epi32(halves, 0x00);
    const __m128i low = _mm_shuffle_epi32(halves, 0x55);
    const __m128i zero = _mm_setzero_si128();
    for (size_t i = 0; i < kEights; ++i) {
      const __m128i bytes = _mm_unpacklo_epi8(Load(first + 8 * i), Load(second + 8 * i));
      const __m128i left = _mm_unpacklo_epi8(bytes, zero);
      const __m128i right = _mm_unpackhi_epi8(bytes, zero);
      high_[2 * i] = _mm_add_epi32(high_[2 * i], _mm_madd_epi16(left, high));
      high_[2 * i + 1] = _mm_add_epi32(high_[2 * i + 1], _mm_madd_epi16(right, high));
      low_[2 * i] = _mm_add_epi32(low_[2 * i], _mm_madd_epi16(left, low));
      low_[2 * i + 1] = _mm_add_epi32(low_[2 * i + 1], _mm_madd_epi16(right, low));
    }
  }

  void Write(int shift, uint8_t* out) const {
    const __m128i half = _mm_set1_epi32(1 << (shift - 1));
    const __m128i count = _mm_cvtsi32_si128(shift);
    const auto rounded = [&](size_t i) {
      const __m128i sum = _mm_add_epi32(_mm_slli_epi32(high_[i], WeightPair::kLowBits),
                                        _mm_add_epi32(low_[i], half));
      return _mm_sra_epi32(sum, count);
    };
    for (size_t i = 0; i < kEights; ++i) {
      const __m128i words = _mm_packs_epi32(rounded(2 * i), rounded(2 * i + 1));
      _mm_storel_epi64(reinterpret_cast<__m128i*>(out + 8 * i), _mm_packus_epi16(words, words));
    }
  }

 private:
  static __m128i Load(const uint8_t* bytes) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
  }

  __m128i high_[2 * kEights] = {};
  __m128i low_[2 * kEights] = {};
};

// Eights [kBegin, kBegin + kEights) of the steps: twelve sums of four would not stay in registers.
template <size_t kBegin, size_t kEights>
void WeighEights(const uint8_t* steps, std::span<const WeightPair> pairs, int shift, uint8_t* out) {
  Sums<kEights> sums;
  for (const WeightPair& pair : pairs) {
    sums.Add(steps + 8 * kBegin, steps + 8 * kBegin + kStepBytes, pair);
    steps += 2 * kStepBytes;
  }
  sums.Write(shift, out + 8 * kBegin);
}

void WeighStepsSse2(const uint8_t* steps, std::span<const WeightPair> pairs, int shift,
                    uint8_t* out) {
  static_assert(kStepBytes == 8 * 3);
  WeighEights<0, 2>(steps, pairs, shift, out);
  WeighEights<2, 1>(steps, pairs, shift, out);
}

void WeighRowsSse2(const uint8_t* const* rows, std::span<const WeightPair> pairs, int shift,
                   size_t row_bytes, uint8_t* out) {
  constexpr size_t kEights = 2;
  size_t i = 0;
  for (; i + 8 * kEights <= row_bytes; i += 8 * kEights) {
    Sums<kEights> sums;
    for (size_t p = 0; p < pairs.size(); ++p) {
      sums.Add(rows[2 * p] + i, rows[2 * p + 1] + i, pairs[p]);
    }
    sums.Write(shift, out + i);
  }
  WeighColumns(rows, pairs, shift, i, row_bytes, out);
}

#endif  // __SSE2__

}  // namespace

constinit const WeighBytes kWeighBytesPortable = {WeighStepsPortable, WeighRowsPortable};
#if defined(__SSE2__)
constinit const WeighBytes kWeighBytes = {WeighStepsSse2, WeighRowsSse2};
#else
constinit const WeighBytes kWeighBytes = {WeighStepsPortable, WeighRowsPortable};
#endif

}  // namespace rondo
