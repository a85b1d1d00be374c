#include "runtime/kernels/packed_linear.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/bfloat16.h"
#include "runtime/base/checked.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

namespace {

// Bytes of one block of Q4B for a tile.
size_t BlockBytesQ4B(const LinearShape& shape, uint32_t nr) {
  return nr * (shape.block / 2 + sizeof(uint16_t));
}

// Where the tile of this channel begins.
const uint8_t* TileOf(const KernelSet& set, const PackedLinear& linear, size_t channel) {
  const LinearShape& shape = linear.shape;
  return linear.packed + channel / shape.TileChannels(set) * shape.TileBytes(set);
}

void RunCodes(const KernelSet& set, const PackedLinear& linear, const LinearInput& in, size_t rows,
              size_t begin, size_t end, float* out, size_t out_stride, uint8_t* scratch) {
  const LinearShape& shape = linear.shape;
  const uint8_t* tiles = TileOf(set, linear, begin);
  const CodePairs& levels = *linear.code_pairs;
  const CodeKernels::ByBits& kernels = set.codes->Of(shape.CodeBits());
  if (rows <= set.codes->max_rows) {
    kernels.gemm[rows - 1](end - begin, shape.k, in.q8, in.stride, tiles, levels, out, out_stride,
                           in.quant);
    return;
  }
  if (set.q8.nr > kCodeChannels) {  // a tile of q8 for each of codes, of which it has all channels
    for (size_t n = begin; n < end; n += kCodeChannels, tiles += shape.TileBytes(set)) {
      kernels.expand(tiles, levels, shape.k, set.q8.nr, set.q8.kr, scratch);
      const size_t channels = std::min<size_t>(kCodeChannels, end - n);
      const PackedLinear q8 = {
          {format::TensorFormat::Q8, channels, shape.k, 0}, linear.inputs, scratch};
      RunLinear(set, q8, in, rows, 0, channels, out + (n - begin), out_stride, nullptr);
    }
    return;
  }
  uint8_t* expanded = scratch;
  for (size_t n = begin; n < end; n += kCodeChannels) {
    kernels.expand(tiles, levels, shape.k, set.q8.nr, set.q8.kr, expanded);
    tiles += shape.TileBytes(set);
    expanded += shape.WorkingTileBytes(set);
  }
  const PackedLinear q8 = {
      {format::TensorFormat::Q8, end - begin, shape.k, 0}, linear.inputs, scratch};
  RunLinear(set, q8, in, rows, 0, end - begin, out, out_stride, nullptr);
}

}  // namespace

void RunLinear(const KernelSet& set, const PackedLinear& linear, const LinearInput& in, size_t rows,
               size_t begin, size_t end, float* out, size_t out_stride, uint8_t* scratch) {
  const LinearShape& shape = linear.shape;
  if (shape.IsCodes()) {
    RunCodes(set, linear, in, rows, begin, end, out, out_stride, scratch);
    return;
  }
  const uint8_t* packed = TileOf(set, linear, begin);
  const size_t channels = end - begin;
  const size_t stride = out_stride * sizeof(float);
  if (shape.format == format::TensorFormat::F32) {
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
  const bool q4b = shape.format == format::TensorFormat::Q4B;
  const auto& kernels = q4b ? set.q4b : set.q8;
  const void* params = q4b ? static_cast<const void*>(&blockwise) : &kNoClamp;
  size_t r = 0;
  if (!q4b && set.q8_many != nullptr) {
    r = set.q8_many(rows, channels, shape.k, in.q8, in.stride, packed, out, out_stride, in.quant);
  }
  while (r < rows) {
    const size_t m = std::min<size_t>(kernels.max_rows, rows - r);
    const bool cached = r > 0 && m == kernels.max_rows && kernels.cached != nullptr;
    const auto kernel = cached ? kernels.cached : kernels.by_rows[m];
    kernel(m, channels, shape.k, in.q8 + r * in.stride, in.stride, packed, out + r * out_stride,
           stride, kernels.nr * sizeof(float), params, TileQuants(in.quant + r, m).quant);
    r += m;
  }
}

void ReadPackedChannel(const KernelSet& set, const PackedLinear& linear, size_t channel,
                       std::span<float> out) {
  const LinearShape& shape = linear.shape;
  const size_t nr = shape.TileChannels(set);
  const size_t i = channel % nr;
  const uint8_t* tile = TileOf(set, linear, channel);
  switch (shape.format) {
    case format::TensorFormat::F32: {
      const float* weights = reinterpret_cast<const float*>(tile) + nr + i;
      for (size_t k = 0; k < out.size(); ++k) out[k] = weights[k * nr];
      return;
    }
    case format::TensorFormat::Q8: {
      const size_t kr = set.q8.kr;
      const int8_t* weights = reinterpret_cast<const int8_t*>(tile + nr * sizeof(int32_t));
      const float scale = reinterpret_cast<const float*>(weights + nr * RoundUp(shape.k, kr))[i];
      for (size_t k = 0; k < out.size(); ++k) {
        out[k] = static_cast<float>(weights[(k / kr * nr + i) * kr + k % kr]) * scale;
      }
      return;
    }
    case format::TensorFormat::Q4:
    case format::TensorFormat::Q3:
    case format::TensorFormat::Q2: {
      const auto* end = reinterpret_cast<const float*>(tile + shape.TileBytes(set));
      const float scale = *(end - 2 * kCodeChannels + i);
      const size_t block_codes = BlockCodes(shape.CodeBits());
      for (size_t k = 0; k < out.size(); ++k) {
        const size_t in_group = k % kCodeGroup / kCodeBlock;
        const uint8_t* group =
            tile + kCodeChannels * sizeof(int32_t) +
            k / kCodeGroup * (kGroupSelectors + kCodeGroup / kCodeBlock * block_codes);
        // As FirstSelected orders them.
        const uint8_t selectors =
            group[in_group * kBlockSelectors + i / 8 * 4 + i % 2 * 2 + i / 4 % 2];
        const uint8_t both = PairOfCodes(group + kGroupSelectors + in_group * block_codes,
                                         shape.CodeBits(), i / 2, k % kCodeBlock);
        const unsigned code = i % 2 == 0 ? both & 15 : both >> 4;
        out[k] = static_cast<float>(linear.code_pairs->levels[selectors][i / 2 % 2][code]) * scale;
      }
      return;
    }
    default: {  // Q4B
      const size_t kr = set.q4b.kr;
      const size_t block_bytes = BlockBytesQ4B(shape, static_cast<uint32_t>(nr));
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
    case format::TensorFormat::F32:
      std::memcpy(out.data(), static_cast<const float*>(rows.data) + channel * shape.k,
                  out.size_bytes());
      return;
    case format::TensorFormat::Q8: {
      const int8_t* weights = static_cast<const int8_t*>(rows.data) + channel * shape.k;
      const float scale = static_cast<const float*>(rows.scales)[channel];
      for (size_t k = 0; k < out.size(); ++k) out[k] = static_cast<float>(weights[k]) * scale;
      return;
    }
    case format::TensorFormat::Q4:
    case format::TensorFormat::Q3:
    case format::TensorFormat::Q2: {
      const uint32_t bits = shape.CodeBits();
      const uint8_t* row =
          static_cast<const uint8_t*>(rows.data) + channel * CodeRowBytes(shape.k, bits);
      const uint8_t* selectors = row + RowCodes(shape.k, bits);
      const float scale = static_cast<const float*>(rows.scales)[channel];
      for (size_t k = 0; k < out.size(); ++k) {
        const size_t block = k / kCodeBlock;
        const unsigned selector = selectors[block / 2] >> block % 2 * 4 & 15;
        const int8_t level = rows.tables[selector * 16 + CodeOfRow(row, shape.k, bits, k)];
        out[k] = static_cast<float>(level) * scale;
      }
      return;
    }
    default: {  // Q4B
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
