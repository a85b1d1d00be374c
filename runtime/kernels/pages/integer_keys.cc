// Keys in int8 and int4, as the tiles of weights that the set's key kernels read.
#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/kernels/pages/integer_heads.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {
namespace {

// Of all kernel sets; on the stack, where others have little of that.
#if defined(__riscv)
constexpr size_t kMaxKeyNr = 32;
#else
constexpr size_t kMaxKeyNr = 16;
#endif

size_t TileTokens(const KernelSet& set) { return set.KeyKernels().nr; }

// The integers of a tile, in bytes as int8.
size_t TileIntegers(const KernelSet& set, size_t head_dim) {
  const auto& kernels = set.KeyKernels();
  return kernels.nr * RoundUp(head_dim, kernels.kr);
}

template <uint32_t kBits>
size_t TileBytes(const KernelSet& set, size_t head_dim) {
  return RoundUp(TileIntegers(set, head_dim) * kBits / 8, sizeof(float)) +
         TileTokens(set) * (sizeof(int32_t) + 2 * sizeof(float));
}

// Where the scale of a tile's first token lies.
size_t ScalesOffset(const PageShape& s) {
  return s.key_tile_bytes - 2 * TileTokens(*s.set) * sizeof(float);
}

// `key` is followed by zeros up to a multiple of the kernels' kr.
template <uint32_t kBits>
void PutKey(const PageShape& s, uint8_t* page, size_t slot, const int8_t* key, float scale) {
  const size_t nr = s.set->KeyKernels().nr;
  const size_t kr = s.set->KeyKernels().kr;
  const size_t groups = CeilDiv(s.head_dim, kr);
  uint8_t* tile = page + slot / nr * s.key_tile_bytes;
  const size_t n = slot % nr;
  int32_t sum = 0;
  for (size_t d = 0; d < s.head_dim; ++d) sum += key[d];
  reinterpret_cast<int32_t*>(tile)[n] = -sum;
  uint8_t* integers = tile + nr * sizeof(int32_t);
  if constexpr (kBits == 4) {
    const size_t all = TileIntegers(*s.set, s.head_dim);
    for (size_t d = 0; d < s.head_dim; ++d) {
      PutNibble(integers, all, (d / kr * nr + n) * kr + d % kr, key[d]);
    }
  } else {
    (kr == 8   ? SpreadUnits<8>
     : kr == 4 ? SpreadUnits<4>
               : SpreadUnits<1>)(key, groups, nr * kr, integers + n * kr);
  }
  reinterpret_cast<float*>(tile + ScalesOffset(s))[n] = scale;
}

template <uint32_t kBits>
void Store(const PageShape& s, uint8_t* page, size_t slot, const float* key) {
  int8_t q[kMaxPageDim] = {};
  const float scale = RoundHead<kBits>(*s.set, key, s.head_dim, q);
  PutKey<kBits>(s, page, slot, q, scale);
}

template <uint32_t kBits>
void Read(const PageShape& s, const uint8_t* page, size_t slot, uint8_t* bytes) {
  const size_t nr = s.set->KeyKernels().nr;
  const size_t kr = s.set->KeyKernels().kr;
  const size_t n = slot % nr;
  const size_t all = TileIntegers(*s.set, s.head_dim);
  const uint8_t* tile = page + slot / nr * s.key_tile_bytes;
  const uint8_t* integers = tile + nr * sizeof(int32_t);
  int8_t q[kMaxPageDim];
  for (size_t d = 0; d < s.head_dim; ++d) {
    const size_t at = (d / kr * nr + n) * kr + d % kr;
    q[d] = kBits == 4 ? Nibble(integers, all, at) : static_cast<int8_t>(integers[at]);
  }
  WriteHead<kBits>(q, s.head_dim, reinterpret_cast<const float*>(tile + ScalesOffset(s))[n], bytes);
}

template <uint32_t kBits>
void Put(const PageShape& s, uint8_t* page, size_t slot, const uint8_t* bytes) {
  int8_t q[kMaxPageDim] = {};
  const float scale = TakeHead<kBits>(bytes, s.head_dim, q);
  for (size_t d = 0; d < s.head_dim; ++d) q[d] = std::max<int8_t>(q[d], -127);
  PutKey<kBits>(s, page, slot, q, scale);
}

// Rows [r, r + rows), no more than a kernel takes; `tiles`: of int8.
void ScoreRows(const PageShape& s, const uint8_t* tiles, const PageQueries& queries, size_t r,
               size_t rows, size_t tokens, float* scores, size_t stride) {
  const auto& kernels = s.set->KeyKernels();
  kernels.by_rows[rows](
      rows, tokens, s.head_dim, reinterpret_cast<const int8_t*>(queries.rows + r * queries.stride),
      queries.stride, tiles, scores + r * stride, stride * sizeof(float),
      kernels.nr * sizeof(float), &kNoClamp, TileQuants(queries.quant + r, rows).quant);
}

// Of the page's values, those that are read ahead while a tile of keys is.
size_t ValuesOfTile(const PageShape& s) {
  return (s.bytes - s.values_offset) / (kKvBlockTokens / TileTokens(*s.set));
}

void ScoreInt8(const PageShape& s, const uint8_t* page, const PageQueries& queries, size_t rows,
               size_t tokens, float* scores, size_t stride) {
  const auto& kernels = s.set->KeyKernels();
  const size_t tile_values = ValuesOfTile(s);
  for (size_t r = 0; r < rows; r += kernels.max_rows) {
    const size_t m = std::min<size_t>(kernels.max_rows, rows - r);
    if (r == 0 && s.set->few_scores != nullptr) {
      s.set->few_scores(m, tokens, s.head_dim, reinterpret_cast<const int8_t*>(queries.rows),
                        queries.stride, page, page + s.values_offset, s.bytes - s.values_offset,
                        scores, stride, queries.quant);
      continue;
    }
    // The first rows go tile by tile: a page's values asked for at once would keep keys waiting.
    const size_t step = r == 0 ? kernels.nr : kKvBlockTokens;
    for (size_t t = 0; t < tokens; t += step) {
      const size_t tile = t / kernels.nr;
      if (r == 0) ReadAllAhead(page + s.values_offset + tile * tile_values, tile_values);
      ScoreRows(s, page + tile * s.key_tile_bytes, queries, r, m, std::min(step, tokens - t),
                scores + t, stride);
    }
  }
}

// One tile's keys as int8.
void UnpackKeys(const PageShape& s, const uint8_t* tile, uint8_t* out) {
  const size_t sums = TileTokens(*s.set) * sizeof(int32_t);
  const size_t integers = TileIntegers(*s.set, s.head_dim);
  std::memcpy(out, tile, sums);
  s.set->loops->unpack_nibbles(tile + sums, integers / 2, reinterpret_cast<int8_t*>(out + sums));
  const size_t scales = ScalesOffset(s);
  std::memcpy(out + sums + integers, tile + scales, s.key_tile_bytes - scales);
}

void ScoreInt4(const PageShape& s, const uint8_t* page, const PageQueries& queries, size_t rows,
               size_t tokens, float* scores, size_t stride) {
  constexpr size_t kMostBytes =
      kMaxKeyNr * (kMaxPageDim + kMaxKeyNr + sizeof(int32_t) + 2 * sizeof(float)) + kOverRead;
  alignas(64) uint8_t tile[kMostBytes];
  const auto& kernels = s.set->KeyKernels();
  const size_t tile_values = ValuesOfTile(s);
  for (size_t t = 0; t < tokens; t += kernels.nr) {
    ReadAllAhead(page + s.values_offset + t / kernels.nr * tile_values, tile_values);
    UnpackKeys(s, page + t / kernels.nr * s.key_tile_bytes, tile);
    for (size_t r = 0; r < rows; r += kernels.max_rows) {
      ScoreRows(s, tile, queries, r, std::min<size_t>(kernels.max_rows, rows - r),
                std::min<size_t>(kernels.nr, tokens - t), scores + t, stride);
    }
  }
}

template <uint32_t kBits>
constexpr KeyKind Kind(decltype(KeyKind::scores) scores) {
  return {.rotates = kBits == 4,
          .float_queries = false,
          .tile_tokens = TileTokens,
          .tile_bytes = TileBytes<kBits>,
          .token_bytes = HeadBytes<kBits>,
          .store = Store<kBits>,
          .read = Read<kBits>,
          .put = Put<kBits>,
          .is_finite = HeadIsFinite<kBits>,
          .scores = scores};
}

}  // namespace

const KeyKind kInt8Keys = Kind<8>(ScoreInt8);
const KeyKind kInt4Keys = Kind<4>(ScoreInt4);

}  // namespace rondo
