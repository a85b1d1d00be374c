#include "runtime/kernels/packed_linear.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/kernels/xnnpack_adapter.h"
#include "xnnpack/pack.h"

// Packed tiles of nr channels, as XNNPACK's kernels read them (all sr = 1):
//   kF32: float bias[nr]; then for each input nr floats
//   kQ8:  int32 -sum[nr]; for each group of kr inputs nr x kr int8; float scale[nr]; float bias[nr]
//   kQ4:  float -sum[nr]; for each block (for each 2 kr inputs nr x kr bytes, the first kr inputs
//         in the low nibbles, the next in the high ones; bfloat16 scale/16 [nr]); float bias[nr]

namespace rondo {

namespace {

float FromBfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

// To the nearest, ties to even.
uint16_t ToBfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

size_t PaddedK(const LinearShape& shape, uint32_t kr) { return RoundUp(shape.k, kr); }

// Bytes of one block of kQ4 for a tile.
size_t Q4BlockBytes(const LinearShape& shape, uint32_t nr) {
  return nr * (shape.block / 2 + sizeof(uint16_t));
}

void StoreBias(const WeightRows& rows, size_t begin, size_t count, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = rows.bias != nullptr ? rows.bias[begin + i] : 0.0f;
}

void PackTile(const KernelSet& set, const LinearShape& shape, const WeightRows& rows, size_t begin,
              size_t count, uint8_t* tile) {
  switch (shape.format) {
    case WeightFormat::kF32: {
      const float* weights = static_cast<const float*>(rows.data) + begin * shape.k;
      const float* bias = rows.bias != nullptr ? rows.bias + begin : nullptr;
      xnn_pack_f32_gemm_goi_w(1, count, shape.k, set.f32.nr, 1, 1, weights, bias, nullptr,
                              reinterpret_cast<float*>(tile), 0, nullptr);
      return;
    }
    case WeightFormat::kQ8: {
      const uint32_t nr = set.q8.nr;
      constexpr xnn_qs8_packing_params kParams = {1};
      const int8_t* weights = static_cast<const int8_t*>(rows.data) + begin * shape.k;
      xnn_pack_qs8_gemm_goi_w(1, count, shape.k, nr, set.q8.kr, 1, weights, nullptr, nullptr, tile,
                              0, &kParams);
      float* scale =
          reinterpret_cast<float*>(tile + nr * (sizeof(int32_t) + PaddedK(shape, set.q8.kr)));
      std::memcpy(scale, static_cast<const float*>(rows.scales) + begin, count * sizeof(float));
      StoreBias(rows, begin, count, scale + nr);
      return;
    }
    case WeightFormat::kQ4: {
      const uint32_t nr = set.q4.nr;
      const size_t blocks = shape.k / shape.block;
      constexpr xnn_qs8_qc4w_packing_params kParams = {1, 8};
      const uint8_t* weights = static_cast<const uint8_t*>(rows.data) + begin * shape.k / 2;
      const uint16_t* scales = static_cast<const uint16_t*>(rows.scales) + begin * blocks;
      xnn_pack_qs8_qb4w_gemm_goi_w(1, count, shape.k, nr, set.q4.kr, 1, shape.block, weights,
                                   nullptr, reinterpret_cast<const xnn_bfloat16*>(scales), tile,
                                   nr * sizeof(uint16_t), nr * sizeof(float), &kParams);
      uint8_t* block = tile + nr * sizeof(float);
      for (size_t b = 0; b < blocks; ++b, block += Q4BlockBytes(shape, nr)) {
        uint16_t* out = reinterpret_cast<uint16_t*>(block + nr * shape.block / 2);
        // The kernels leave nibbles in the upper half of a byte: 16 times too large.
        for (size_t i = 0; i < count; ++i) {
          out[i] = ToBfloat16(FromBfloat16(scales[i * blocks + b]) / 16.0f);
        }
      }
      StoreBias(rows, begin, count, reinterpret_cast<float*>(block));
      return;
    }
  }
}

}  // namespace

uint32_t LinearShape::TileChannels(const KernelSet& set) const {
  switch (format) {
    case WeightFormat::kF32:
      return set.f32.nr;
    case WeightFormat::kQ8:
      return set.q8.nr;
    case WeightFormat::kQ4:
      return set.q4.nr;
  }
  return 0;
}

size_t LinearShape::TileBytes(const KernelSet& set) const {
  const size_t nr = TileChannels(set);
  switch (format) {
    case WeightFormat::kF32:
      return nr * (sizeof(float) + k * sizeof(float));
    case WeightFormat::kQ8:
      return nr * (sizeof(int32_t) + PaddedK(*this, set.q8.kr) + 2 * sizeof(float));
    case WeightFormat::kQ4:
      return nr * 2 * sizeof(float) + k / block * Q4BlockBytes(*this, static_cast<uint32_t>(nr));
  }
  return 0;
}

size_t LinearShape::PackedBytes(const KernelSet& set) const {
  return CeilDiv(n, TileChannels(set)) * TileBytes(set);
}

void PackLinear(const KernelSet& set, const LinearShape& shape, const WeightRows& rows,
                size_t begin, size_t end, uint8_t* packed) {
  const size_t nr = shape.TileChannels(set);
  const size_t tile_bytes = shape.TileBytes(set);
  for (size_t n = begin; n < end; n += nr) {
    uint8_t* tile = packed + n / nr * tile_bytes;
    std::memset(tile, 0, tile_bytes);  // padding channels and inputs count as zeros
    PackTile(set, shape, rows, n, std::min(nr, end - n), tile);
  }
}

void RunLinear(const KernelSet& set, const PackedLinear& linear, const LinearInput& in, size_t rows,
               size_t begin, size_t end, float* out, size_t out_stride) {
  const LinearShape& shape = linear.shape;
  const uint8_t* packed = linear.packed + begin / shape.TileChannels(set) * shape.TileBytes(set);
  const size_t channels = end - begin;
  const size_t stride = out_stride * sizeof(float);
  if (shape.format == WeightFormat::kF32) {
    const auto& kernels = set.f32;
    for (size_t r = 0; r < rows;) {
      const size_t m = std::min<size_t>(kernels.max_rows, rows - r);
      const float* a =
          reinterpret_cast<const float*>(reinterpret_cast<const uint8_t*>(in.f32) + r * in.stride);
      kernels.by_rows[m](m, channels, shape.k * sizeof(float), a, in.stride, packed,
                         out + r * out_stride, stride, kernels.nr * sizeof(float), &kNoClamp);
      r += m;
    }
    return;
  }
  const xnn_f32_qb4w_minmax_params blockwise = {{-INFINITY, INFINITY, shape.block}};
  const bool q4 = shape.format == WeightFormat::kQ4;
  const auto& kernels = q4 ? set.q4 : set.q8;
  const void* params = q4 ? static_cast<const void*>(&blockwise) : &kNoClamp;
  for (size_t r = 0; r < rows;) {
    const size_t m = std::min<size_t>(kernels.max_rows, rows - r);
    kernels.by_rows[m](m, channels, shape.k, in.q8 + r * in.stride, in.stride, packed,
                       out + r * out_stride, stride, kernels.nr * sizeof(float), params,
                       TileQuants(in.quant + r, m).quant);
    r += m;
  }
}

void ReadPackedChannel(const KernelSet& set, const PackedLinear& linear, size_t channel,
                       std::span<float> out) {
  const LinearShape& shape = linear.shape;
  const size_t nr = shape.TileChannels(set);
  const size_t i = channel % nr;
  const uint8_t* tile = linear.packed + channel / nr * shape.TileBytes(set);
  switch (shape.format) {
    case WeightFormat::kF32: {
      const float* weights = reinterpret_cast<const float*>(tile) + nr + i;
      for (size_t k = 0; k < out.size(); ++k) out[k] = weights[k * nr];
      return;
    }
    case WeightFormat::kQ8: {
      const size_t kr = set.q8.kr;
      const int8_t* weights = reinterpret_cast<const int8_t*>(tile + nr * sizeof(int32_t));
      const float scale = reinterpret_cast<const float*>(
          weights + nr * PaddedK(shape, static_cast<uint32_t>(kr)))[i];
      for (size_t k = 0; k < out.size(); ++k) {
        out[k] = static_cast<float>(weights[(k / kr * nr + i) * kr + k % kr]) * scale;
      }
      return;
    }
    case WeightFormat::kQ4: {
      const size_t kr = set.q4.kr;
      const size_t block_bytes = Q4BlockBytes(shape, static_cast<uint32_t>(nr));
      const uint8_t* blocks = tile + nr * sizeof(float);
      for (size_t k = 0; k < out.size(); ++k) {
        const uint8_t* block = blocks + k / shape.block * block_bytes;
        const size_t in_block = k % shape.block;
        const uint8_t byte = block[(in_block / (2 * kr) * nr + i) * kr + in_block % kr];
        const bool high = in_block / kr % 2 != 0;
        // Stored with the sign bit flipped: a signed nibble, brought to the top of a byte.
        const int8_t value = static_cast<int8_t>(high ? byte & 0xF0 : byte << 4);
        const uint16_t scale = reinterpret_cast<const uint16_t*>(block + nr * shape.block / 2)[i];
        out[k] = static_cast<float>(value) * FromBfloat16(scale);
      }
      return;
    }
  }
}

void ReadRow(const LinearShape& shape, const WeightRows& rows, size_t channel,
             std::span<float> out) {
  switch (shape.format) {
    case WeightFormat::kF32:
      std::memcpy(out.data(), static_cast<const float*>(rows.data) + channel * shape.k,
                  out.size_bytes());
      return;
    case WeightFormat::kQ8: {
      const int8_t* weights = static_cast<const int8_t*>(rows.data) + channel * shape.k;
      const float scale = static_cast<const float*>(rows.scales)[channel];
      for (size_t k = 0; k < out.size(); ++k) out[k] = static_cast<float>(weights[k]) * scale;
      return;
    }
    case WeightFormat::kQ4: {
      const uint8_t* weights = static_cast<const uint8_t*>(rows.data) + channel * shape.k / 2;
      const uint16_t* scales =
          static_cast<const uint16_t*>(rows.scales) + channel * (shape.k / shape.block);
      for (size_t k = 0; k < out.size(); ++k) {
        const int nibble = k % 2 == 0 ? weights[k / 2] & 15 : weights[k / 2] >> 4;
        out[k] = static_cast<float>(nibble - 8) * FromBfloat16(scales[k / shape.block]);
      }
      return;
    }
  }
}

}  // namespace rondo
