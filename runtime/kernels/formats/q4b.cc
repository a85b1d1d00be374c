// int4 in blocks of inputs with a scale each.
#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/base/bfloat16.h"
#include "runtime/kernels/formats/int8_rows.h"
#include "runtime/kernels/formats/put.h"
#include "runtime/kernels/formats/weight_kernels.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {
namespace {

// To the nearest, ties to even.
uint16_t ToBfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

// 16 inputs of each channel as two groups of 8; sums of their values.
template <size_t kNr>
void PackPairs8(const uint8_t* in, size_t stride, uint8_t* out, int32_t* sums) {
  uint64_t words[kNr];
  for (size_t i = 0; i < kNr; ++i) std::memcpy(&words[i], in + i * stride, 8);
  for (size_t i = 0; i < kNr; ++i) {
    const uint64_t low = Spread(words[i] & 0xffffffff), high = Spread(words[i] >> 32);
    words[i] = (low | high << 4) ^ 0x8888888888888888;
    uint64_t sum = low + high;
    sum = (sum & kEvenBytes) + (sum >> 8 & kEvenBytes);
    sum += sum >> 16;
    sum += sum >> 32;
    sums[i] = static_cast<int32_t>(sum & 0xffff) - 16 * 8;
  }
  std::memcpy(out, words, sizeof(words));
}

// 2 kr inputs of one channel as two groups of kr.
int32_t PackPair(size_t kr, const uint8_t* in, uint8_t* out) {
  const auto nibble = [in](size_t i) { return i % 2 == 0 ? in[i / 2] & 15 : in[i / 2] >> 4; };
  int32_t sum = 0;
  for (size_t b = 0; b < kr; ++b) {
    const int low = nibble(b), high = nibble(kr + b);
    out[b] = static_cast<uint8_t>((low | high << 4) ^ 0x88);
    sum += low + high - 16;
  }
  return sum;
}

void PackQ4B(PackedLayout::Tile shape, size_t k, size_t block, const WeightRows& rows, size_t begin,
             size_t count, uint8_t* tile) {
  const size_t nr = shape.nr, kr = shape.kr;
  const size_t blocks = k / block;
  const bool usual = kr == 8 && count == nr;
  const uint8_t* weights = static_cast<const uint8_t*>(rows.data) + begin * k / 2;
  const uint16_t* scales = static_cast<const uint16_t*>(rows.scales) + begin * blocks;
  float sums[kMaxNr] = {};
  uint8_t* out = tile + nr * sizeof(float);
  for (size_t b = 0; b < blocks; ++b) {
    float scale[kMaxNr];
    for (size_t i = 0; i < count; ++i) scale[i] = FromBfloat16(scales[i * blocks + b]);
    for (size_t j = b * block; j < (b + 1) * block; j += 2 * kr) {
      const uint8_t* in = weights + j / 2;
      int32_t pair[kMaxNr];
      if (usual && nr == 16) {
        PackPairs8<16>(in, k / 2, out, pair);
      } else if (usual && nr == 8) {
        PackPairs8<8>(in, k / 2, out, pair);
      } else {
        for (size_t i = 0; i < count; ++i) pair[i] = PackPair(kr, in + i * k / 2, out + i * kr);
        PutZeros(out + count * kr, (nr - count) * kr);
      }
      out += nr * kr;
      for (size_t i = 0; i < count; ++i) {
        sums[i] -= static_cast<float>(pair[i]) * scale[i];  // rounded as XNNPACK's packer does
      }
    }
    // The kernels leave nibbles in the upper half of a byte: 16 times too large.
    for (size_t i = 0; i < count; ++i) {
      const uint16_t sixteenth = ToBfloat16(scale[i] / 16.0f);
      out = Put(out, &sixteenth, 1);
    }
    out = PutZeros(out, (nr - count) * sizeof(uint16_t));
  }
  Put(tile, sums, nr);
  PutChannels(out, rows.bias, begin, count, nr);
}

void Pack(const PackedLayout& layout, const LinearShape& shape, const WeightRows& rows,
          size_t begin, size_t end, uint8_t* packed) {
  PutTiles(layout, shape, begin, end, packed, [&](size_t n, size_t count, uint8_t* tile) {
    PackQ4B(layout.q4b, shape.k, shape.block, rows, n, count, tile);
  });
}

void Run(const KernelSet& set, const PackedLinear& linear, const LinearInput& in, size_t rows,
         size_t begin, size_t end, float* out, size_t out_stride, uint8_t*) {
  const LinearShape& shape = linear.shape;
  const xnn_f32_qb4w_minmax_params params = {{-INFINITY, INFINITY, shape.block}};
  RunInt8Rows(set.q4b, &params, shape, TileOf(set, linear, begin), in, 0, rows, end - begin, out,
              out_stride);
}

void ReadPacked(const KernelSet& set, const PackedLinear& linear, size_t channel,
                std::span<float> out) {
  const size_t nr = set.q4b.nr, kr = set.q4b.kr, in_blocks = linear.shape.block;
  const size_t i = channel % nr;
  const size_t block_bytes = nr * (in_blocks / 2 + sizeof(uint16_t));
  const uint8_t* blocks = TileOf(set, linear, channel) + nr * sizeof(float);
  for (size_t k = 0; k < out.size(); ++k) {
    const uint8_t* block = blocks + k / in_blocks * block_bytes;
    const size_t in_block = k % in_blocks;
    const uint8_t byte = block[(in_block / (2 * kr) * nr + i) * kr + in_block % kr];
    const bool high = in_block / kr % 2 != 0;
    // Stored with the sign bit flipped: a signed nibble, brought to the top of a byte.
    const int8_t value = static_cast<int8_t>(high ? byte & 0xF0 : byte << 4);
    const uint16_t scale = reinterpret_cast<const uint16_t*>(block + nr * in_blocks / 2)[i];
    out[k] = static_cast<float>(value) * FromBfloat16(scale);
  }
}

void ReadStored(const LinearShape& shape, const WeightRows& rows, size_t channel,
                std::span<float> out) {
  const auto* weights = RowOf<uint8_t>(shape, rows, channel);
  const uint16_t* scales =
      static_cast<const uint16_t*>(rows.scales) + channel * (shape.k / shape.block);
  for (size_t k = 0; k < out.size(); ++k) {
    const int nibble = k % 2 == 0 ? weights[k / 2] & 15 : weights[k / 2] >> 4;
    out[k] = static_cast<float>(nibble - 8) * FromBfloat16(scales[k / shape.block]);
  }
}

}  // namespace

const WeightKernels kQ4BWeights = {
    .pack = Pack, .run = Run, .read_packed = ReadPacked, .read_stored = ReadStored};

}  // namespace rondo
