// Scores of few rows by AVX512-VNNI.
//
// With few rows memory is what they wait for. Between two lines of keys, two of what is wanted next
// are asked for: in bursts, tile by tile, they would keep the keys waiting, and the products with
// them. Two sums of each row hide an instruction behind the other.
#if defined(__x86_64__)

#include "runtime/kernels/avx512_scores.h"

#include <iterator>

#include "runtime/kernels/avx512_ends.h"
#include "runtime/kernels/read_ahead.h"

namespace rondo {

namespace {

constexpr size_t kKeys = 16;  // of a tile
constexpr size_t kGroup = 4;  // channels of a key that lie beside each other
constexpr size_t kLine = kKeys * kGroup;
// How far ahead keys, which are in the second-level cache by then, are read into the first.
constexpr size_t kNextKeys = 2048;

// acc + in * w. Inline assembly: gcc 12 copies the sums around the intrinsic.
[[gnu::always_inline]] inline void MultiplyAdd(__m512i& acc, const int8_t* in, __m512i w) {
  int32_t group;
  __builtin_memcpy(&group, in, sizeof group);
  asm("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(_mm512_set1_epi32(group)), "v"(w));
}

template <size_t kRows>
void Score(size_t tokens, size_t k, const int8_t* in, size_t in_stride, const uint8_t* keys,
           const uint8_t* ahead, size_t ahead_bytes, float* scores, size_t stride,
           const RowQuant* quant) {
  const uint8_t* const ahead_end = ahead + ahead_bytes;
  const size_t groups = (k + kGroup - 1) / kGroup;
  for (size_t t = 0; t < tokens; t += kKeys) {
    const __m512i minus_sums = _mm512_loadu_si512(keys);
    keys += kLine;
    __m512i sums[kRows][2];
#pragma GCC unroll 8
    for (size_t r = 0; r < kRows; ++r) sums[r][0] = sums[r][1] = _mm512_setzero_si512();
    const int8_t* x = in;
    for (size_t g = groups / 2; g > 0; --g, x += 2 * kGroup, keys += 2 * kLine) {
      if (ahead < ahead_end) {
        PrefetchToL2(ahead);
        PrefetchToL2(ahead + kLine);
        ahead += 2 * kLine;
      }
      Prefetch(keys + kNextKeys);
      Prefetch(keys + kNextKeys + kLine);
      const __m512i first = _mm512_loadu_si512(keys), second = _mm512_loadu_si512(keys + kLine);
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) {
        MultiplyAdd(sums[r][0], x + r * in_stride, first);
        MultiplyAdd(sums[r][1], x + r * in_stride + kGroup, second);
      }
    }
    if (groups % 2 != 0) {
      const __m512i last = _mm512_loadu_si512(keys);
      keys += kLine;
#pragma GCC unroll 8
      for (size_t r = 0; r < kRows; ++r) MultiplyAdd(sums[r][0], x + r * in_stride, last);
    }
    const ChannelEnds ends = {minus_sums, _mm512_loadu_ps(keys), _mm512_loadu_ps(keys + kLine)};
    keys += 2 * kLine;
    for (size_t r = 0; r < kRows; ++r) {
      _mm512_mask_storeu_ps(scores + r * stride + t, Stored(tokens - t),
                            Outputs(_mm512_add_epi32(sums[r][0], sums[r][1]), ends, quant[r]));
    }
  }
  for (; ahead < ahead_end; ahead += kLine) PrefetchToL2(ahead);  // the scales, in most shapes
}

}  // namespace

void ScoreByAvx512Vnni(size_t rows, size_t tokens, size_t k, const int8_t* in, size_t in_stride,
                       const uint8_t* keys, const uint8_t* ahead, size_t ahead_bytes, float* scores,
                       size_t stride, const RowQuant* quant) {
  constexpr decltype(&Score<1>) kByRows[] = {Score<1>, Score<2>, Score<3>, Score<4>,
                                             Score<5>, Score<6>, Score<7>, Score<8>};
  static_assert(std::size(kByRows) == kMaxTileRows);
  kByRows[rows - 1](tokens, k, in, in_stride, keys, ahead, ahead_bytes, scores, stride, quant);
}

}  // namespace rondo

#endif  // __x86_64__
