// Codes of 4, 3 and 2 bits, which stand for int8: a product looks them up as it goes, or expands
// them to tiles of q8 first.
#include <algorithm>
#include <cstring>

#include "runtime/kernels/formats/put.h"
#include "runtime/kernels/formats/weight_kernels.h"

namespace rondo {
namespace {

uint32_t BitsOf(const LinearShape& shape) { return RuleOf(shape.format).bits; }

// The sums of two codes' levels, for each byte of codes and each table.
struct PairSums {
  int16_t sum[16][256];
  explicit PairSums(const int8_t* tables) {
    for (size_t t = 0; t < 16; ++t) {
      const int8_t* levels = tables + 16 * t;
      for (size_t b = 0; b < 256; ++b) {
        sum[t][b] = static_cast<int16_t>(levels[b & 15] + levels[b >> 4]);
      }
    }
  }
};

// 16 codes of a row, from a multiple of 16 on, as nibbles.
uint64_t CodesOfBlock(const uint8_t* row, size_t k, uint32_t bits, size_t begin) {
  if (bits == 4) {
    uint64_t codes;
    std::memcpy(&codes, row + begin / 2, sizeof codes);
    return codes;
  }
  uint32_t low;
  uint16_t high = 0;
  std::memcpy(&low, row + begin / 4, sizeof low);
  if (bits == 3) std::memcpy(&high, row + k / 4 + begin / 8, sizeof high);
  uint64_t codes = 0;
  for (size_t i = 0; i < kCodeBlock; ++i) {
    const uint64_t code = (low >> 2 * i & 3) | (high >> i & 1) << 2;
    codes |= code << 4 * i;
  }
  return codes;
}

// `pairs`, uint8 [8][16], as a tile holds them. Returns what is behind.
uint8_t* PutPairs(uint8_t* out, const uint64_t (&pairs)[kCodeChannels], uint32_t bits) {
  if (bits == 4) return Put(out, pairs, kCodeChannels);
  uint64_t low[8] = {}, high[4] = {};
  for (size_t i = 0; i < kCodeChannels; ++i) {  // half of a pair
    const size_t pair = i / 2;
    low[i % 8] |= (pairs[i] & 0x3333333333333333) << pair / 4 * 2;
    high[i % 4] |= (pairs[i] >> 2 & 0x1111111111111111) << pair / 2;
  }
  out = Put(out, low, 8);
  return bits == 3 ? Put(out, high, 4) : out;
}

void PackCodes(const LinearShape& shape, const WeightRows& rows, const PairSums& pairs,
               size_t begin, size_t count, uint8_t* tile) {
  const size_t k = shape.k;
  const uint32_t bits = BitsOf(shape);
  const size_t row_bytes = CodeRowBytes(k, bits);
  const uint8_t* first = static_cast<const uint8_t*>(rows.data) + begin * row_bytes;
  int32_t sums[kCodeChannels] = {};
  uint8_t* out = tile + sizeof(sums);
  for (size_t group = 0; group < k; group += kCodeGroup) {
    uint8_t* selectors = out;
    out = PutZeros(out, kGroupSelectors);
    for (size_t j = group; j < std::min(k, group + kCodeGroup); j += kCodeBlock) {
      uint64_t codes[kCodeChannels] = {};
      uint8_t selected[kCodeChannels] = {};
      for (size_t i = 0; i < count; ++i) {
        const uint8_t* row = first + i * row_bytes;
        const uint8_t both = row[RowCodes(k, bits) + j / (2 * kCodeBlock)];
        selected[i] = j / kCodeBlock % 2 == 0 ? both & 15 : both >> 4;
        codes[i] = CodesOfBlock(row, k, bits, j);
        for (size_t b = 0; b < sizeof(uint64_t); ++b) {
          sums[i] -= pairs.sum[selected[i]][codes[i] >> 8 * b & 255];
        }
      }
      for (uint32_t s = 0; s < kBlockSelectors; ++s) {
        const size_t i = FirstSelected(s);
        *selectors++ = static_cast<uint8_t>(selected[i] | selected[i + 2] << 4);
      }
      uint64_t both[kCodeChannels];
      for (size_t i = 0; i < kCodeChannels; i += 2) {
        both[i] = Spread(codes[i] & 0xffffffff) | Spread(codes[i + 1] & 0xffffffff) << 4;
        both[i + 1] = Spread(codes[i] >> 32) | Spread(codes[i + 1] >> 32) << 4;
      }
      out = PutPairs(out, both, bits);
    }
  }
  Put(tile, sums, kCodeChannels);
  out = PutChannels(out, static_cast<const float*>(rows.scales), begin, count, kCodeChannels);
  PutChannels(out, rows.bias, begin, count, kCodeChannels);
}

void Pack(const PackedLayout& layout, const LinearShape& shape, const WeightRows& rows,
          size_t begin, size_t end, uint8_t* packed) {
  const PairSums pairs(rows.tables);
  PutTiles(layout, shape, begin, end, packed, [&](size_t n, size_t count, uint8_t* tile) {
    PackCodes(shape, rows, pairs, n, count, tile);
  });
}

// The tiles of q8 that one tile stands for.
size_t ExpandedTileBytes(const KernelSet& set, const LinearShape& shape) {
  const LinearShape q8 = {format::TensorFormat::Q8, kCodeChannels, shape.k, 0};
  return q8.PackedBytes(set);
}

void Run(const KernelSet& set, const PackedLinear& linear, const LinearInput& in, size_t rows,
         size_t begin, size_t end, float* out, size_t out_stride, uint8_t* scratch) {
  const LinearShape& shape = linear.shape;
  const size_t tile_bytes = shape.TileBytes(set);
  const uint8_t* tiles = linear.packed + begin / kCodeChannels * tile_bytes;
  const CodePairs& levels = *linear.code_pairs;
  const CodeKernels::ByBits& kernels = set.codes->Of(BitsOf(shape));
  if (rows <= set.codes->max_rows) {
    kernels.gemm[rows - 1](end - begin, shape.k, in.q8, in.stride, tiles, levels, out, out_stride,
                           in.quant);
    return;
  }
  const auto run_q8 = [&](size_t channels, float* to) {
    const PackedLinear q8 = {
        {format::TensorFormat::Q8, channels, shape.k, 0}, linear.inputs, scratch};
    RunLinear(set, q8, in, rows, 0, channels, to, out_stride, nullptr);
  };
  if (set.q8.nr > kCodeChannels) {  // a tile of q8 for each of codes, of which it has all channels
    for (size_t n = begin; n < end; n += kCodeChannels, tiles += tile_bytes) {
      kernels.expand(tiles, levels, shape.k, set.q8.nr, set.q8.kr, scratch);
      run_q8(std::min<size_t>(kCodeChannels, end - n), out + (n - begin));
    }
    return;
  }
  const size_t expanded_bytes = ExpandedTileBytes(set, shape);
  uint8_t* expanded = scratch;
  for (size_t n = begin; n < end; n += kCodeChannels) {
    kernels.expand(tiles, levels, shape.k, set.q8.nr, set.q8.kr, expanded);
    tiles += tile_bytes;
    expanded += expanded_bytes;
  }
  run_q8(end - begin, out);
}

void ReadPacked(const KernelSet& set, const PackedLinear& linear, size_t channel,
                std::span<float> out) {
  const LinearShape& shape = linear.shape;
  const uint32_t bits = BitsOf(shape);
  const size_t i = channel % kCodeChannels;
  const uint8_t* tile = TileOf(set, linear, channel);
  const auto* end = reinterpret_cast<const float*>(tile + shape.TileBytes(set));
  const float scale = *(end - 2 * kCodeChannels + i);
  const size_t block_codes = BlockCodes(bits);
  for (size_t k = 0; k < out.size(); ++k) {
    const size_t in_group = k % kCodeGroup / kCodeBlock;
    const uint8_t* group =
        tile + kCodeChannels * sizeof(int32_t) +
        k / kCodeGroup * (kGroupSelectors + kCodeGroup / kCodeBlock * block_codes);
    // As FirstSelected orders them.
    const uint8_t selectors = group[in_group * kBlockSelectors + i / 8 * 4 + i % 2 * 2 + i / 4 % 2];
    const uint8_t both =
        PairOfCodes(group + kGroupSelectors + in_group * block_codes, bits, i / 2, k % kCodeBlock);
    const unsigned code = i % 2 == 0 ? both & 15 : both >> 4;
    out[k] = static_cast<float>(linear.code_pairs->levels[selectors][i / 2 % 2][code]) * scale;
  }
}

void ReadStored(const LinearShape& shape, const WeightRows& rows, size_t channel,
                std::span<float> out) {
  const uint32_t bits = BitsOf(shape);
  const auto* row = RowOf<uint8_t>(shape, rows, channel);
  const uint8_t* selectors = row + RowCodes(shape.k, bits);
  const float scale = static_cast<const float*>(rows.scales)[channel];
  for (size_t k = 0; k < out.size(); ++k) {
    const size_t block = k / kCodeBlock;
    const unsigned selector = selectors[block / 2] >> block % 2 * 4 & 15;
    const int8_t level = rows.tables[selector * 16 + CodeOfRow(row, shape.k, bits, k)];
    out[k] = static_cast<float>(level) * scale;
  }
}

}  // namespace

const WeightKernels kCodeWeights = {.pack = Pack,
                                    .run = Run,
                                    .read_packed = ReadPacked,
                                    .read_stored = ReadStored,
                                    .expanded_tile_bytes = ExpandedTileBytes};

}  // namespace rondo
