// int8 per output channel.
#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/kernels/formats/int8_rows.h"
#include "runtime/kernels/formats/put.h"
#include "runtime/kernels/formats/weight_kernels.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {
namespace {

// int8 sums of kNr channels, taken group by group.
template <size_t kNr>
class Sums {
 public:
  // `group`: int8 [kNr][8].
  void Add(const uint8_t* group) {
    for (size_t i = 0; i < kNr; ++i) {
      uint64_t word;
      std::memcpy(&word, group + 8 * i, 8);
      word ^= 0x8080808080808080;  // now each byte is 128 more, and not negative
      lanes_[i] += (word & kEvenBytes) + (word >> 8 & kEvenBytes);
    }
    if (++groups_ == kFull) Flush();
  }
  void Store(int32_t* negated) {
    Flush();
    for (size_t i = 0; i < kNr; ++i) negated[i] = -sums_[i];
  }

 private:
  static constexpr int32_t kFull = 128;  // two bytes each: the lanes of 16 bits are then full

  void Flush() {
    for (size_t i = 0; i < kNr; ++i) {
      const uint64_t pairs =
          (lanes_[i] & 0x0000ffff0000ffff) + (lanes_[i] >> 16 & 0x0000ffff0000ffff);
      sums_[i] += static_cast<int32_t>((pairs & 0xffffffff) + (pairs >> 32)) - 8 * 128 * groups_;
      lanes_[i] = 0;
    }
    groups_ = 0;
  }

  uint64_t lanes_[kNr] = {};  // four sums of 16 bits
  int32_t sums_[kNr] = {};
  int32_t groups_ = 0;
};

// Integers with -127 in the place of -128, which symmetric weights have no need of, and of which
// two products would be more than 16 bits hold (kernels/neon.cc).
int8_t NotLeast(int8_t value) { return std::max<int8_t>(value, -127); }
uint64_t NotLeast(uint64_t word) {
  constexpr uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;
  const uint64_t rest = word ^ kTops;  // a byte of zeros was -128
  if (((rest - kOnes) & ~rest & kTops) == 0) return word;
  int8_t bytes[8];
  std::memcpy(bytes, &word, 8);
  for (int8_t& byte : bytes) byte = NotLeast(byte);
  std::memcpy(&word, bytes, 8);
  return word;
}

// The common case, kr = 8 and whole tiles, at the speed of memory.
template <size_t kNr>
uint8_t* PackQ8Groups8(size_t k, const int8_t* weights, int32_t* sums, uint8_t* out) {
  Sums<kNr> sum;
  const size_t whole = k / 8 * 8;
  for (size_t j = 0; j < whole; j += 8, out += 8 * kNr) {
    for (size_t i = 0; i < kNr; ++i) {
      uint64_t word;
      std::memcpy(&word, weights + i * k + j, 8);
      word = NotLeast(word);
      std::memcpy(out + 8 * i, &word, 8);
    }
    sum.Add(out);
  }
  if (whole < k) {
    for (size_t i = 0; i < kNr; ++i) {
      for (size_t b = 0; b < 8; ++b) {
        const int8_t value = whole + b < k ? NotLeast(weights[i * k + whole + b]) : int8_t{0};
        out[8 * i + b] = static_cast<uint8_t>(value);
      }
    }
    sum.Add(out);
    out += 8 * kNr;
  }
  sum.Store(sums);
  return out;
}

uint8_t* PackQ8Groups(size_t nr, size_t kr, size_t k, const int8_t* weights, size_t count,
                      int32_t* sums, uint8_t* out) {
  for (size_t j = 0; j < k; j += kr, out += nr * kr) {
    const size_t inputs = std::min(kr, k - j);
    for (size_t i = 0; i < count; ++i) {
      const int8_t* group = weights + i * k + j;
      for (size_t b = 0; b < kr; ++b) {
        const int8_t value = b < inputs ? NotLeast(group[b]) : int8_t{0};
        out[i * kr + b] = static_cast<uint8_t>(value);
        sums[i] -= value;
      }
    }
    PutZeros(out + count * kr, (nr - count) * kr);
  }
  return out;
}

void PackQ8(PackedLayout::Tile shape, size_t k, const WeightRows& rows, size_t begin, size_t count,
            uint8_t* tile) {
  const int8_t* weights = static_cast<const int8_t*>(rows.data) + begin * k;
  int32_t sums[kMaxNr] = {};
  uint8_t* out = tile + shape.nr * sizeof(int32_t);
  const bool usual = shape.kr == 8 && count == shape.nr;
  if (usual && count == 16) {
    out = PackQ8Groups8<16>(k, weights, sums, out);
  } else if (usual && count == 8) {
    out = PackQ8Groups8<8>(k, weights, sums, out);
  } else {
    out = PackQ8Groups(shape.nr, shape.kr, k, weights, count, sums, out);
  }
  Put(tile, sums, shape.nr);
  out = PutChannels(out, static_cast<const float*>(rows.scales), begin, count, shape.nr);
  PutChannels(out, rows.bias, begin, count, shape.nr);
}

void Pack(const PackedLayout& layout, const LinearShape& shape, const WeightRows& rows,
          size_t begin, size_t end, uint8_t* packed) {
  PutTiles(layout, shape, begin, end, packed, [&](size_t n, size_t count, uint8_t* tile) {
    PackQ8(layout.q8, shape.k, rows, n, count, tile);
  });
}

void Run(const KernelSet& set, const PackedLinear& linear, const LinearInput& in, size_t rows,
         size_t begin, size_t end, float* out, size_t out_stride, uint8_t*) {
  const LinearShape& shape = linear.shape;
  const uint8_t* packed = TileOf(set, linear, begin);
  size_t done = 0;
  if (set.q8_many != nullptr) {
    done = set.q8_many(rows, end - begin, shape.k, in.q8, in.stride, packed, out, out_stride,
                       in.quant);
  }
  RunInt8Rows(set.q8, &kNoClamp, shape, packed, in, done, rows, end - begin, out, out_stride);
}

void ReadPacked(const KernelSet& set, const PackedLinear& linear, size_t channel,
                std::span<float> out) {
  const size_t nr = set.q8.nr, kr = set.q8.kr;
  const size_t i = channel % nr;
  const auto* weights =
      reinterpret_cast<const int8_t*>(TileOf(set, linear, channel) + nr * sizeof(int32_t));
  const float scale = reinterpret_cast<const float*>(weights + nr * RoundUp(linear.shape.k, kr))[i];
  for (size_t k = 0; k < out.size(); ++k) {
    out[k] = static_cast<float>(weights[(k / kr * nr + i) * kr + k % kr]) * scale;
  }
}

void ReadStored(const LinearShape& shape, const WeightRows& rows, size_t channel,
                std::span<float> out) {
  const auto* weights = RowOf<int8_t>(shape, rows, channel);
  const float scale = static_cast<const float*>(rows.scales)[channel];
  for (size_t k = 0; k < out.size(); ++k) out[k] = static_cast<float>(weights[k]) * scale;
}

}  // namespace

const WeightKernels kQ8Weights = {
    .pack = Pack, .run = Run, .read_packed = ReadPacked, .read_stored = ReadStored};

}  // namespace rondo
