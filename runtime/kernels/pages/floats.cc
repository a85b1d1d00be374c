// Keys and values in float32: a reference for tests.
#include <algorithm>
#include <cstring>

#include "runtime/base/finite.h"
#include "runtime/kernels/pages/page_kinds.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {
namespace {

size_t TileChannels(const KernelSet& set) { return set.f32.nr; }
size_t TokenBytes(size_t n) { return n * sizeof(float); }
bool IsFinite(const uint8_t* bytes, size_t n) { return AllFinite({bytes, TokenBytes(n)}); }

size_t KeyTileBytes(const KernelSet& set, size_t head_dim) {
  return set.f32.nr * (1 + head_dim) * sizeof(float);
}

// The first channel of the key; the others are nr floats apart.
size_t KeyOffset(const PageShape& s, size_t slot) {
  const size_t nr = s.set->f32.nr;
  return slot / nr * s.key_tile_bytes + (nr + slot % nr) * sizeof(float);
}

void PutKey(const PageShape& s, uint8_t* page, size_t slot, const uint8_t* bytes) {
  uint8_t* const key = page + KeyOffset(s, slot);
  for (size_t d = 0; d < s.head_dim; ++d) {
    std::memcpy(key + d * s.set->f32.nr * sizeof(float), bytes + d * sizeof(float), sizeof(float));
  }
}

void StoreKey(const PageShape& s, uint8_t* page, size_t slot, const float* key) {
  PutKey(s, page, slot, reinterpret_cast<const uint8_t*>(key));
}

void ReadKey(const PageShape& s, const uint8_t* page, size_t slot, uint8_t* bytes) {
  const uint8_t* const key = page + KeyOffset(s, slot);
  for (size_t d = 0; d < s.head_dim; ++d) {
    std::memcpy(bytes + d * sizeof(float), key + d * s.set->f32.nr * sizeof(float), sizeof(float));
  }
}

void Scores(const PageShape& s, const uint8_t* page, const PageQueries& queries, size_t rows,
            size_t tokens, float* scores, size_t stride) {
  const auto& kernels = s.set->f32;
  for (size_t r = 0, m; r < rows; r += m) {
    m = std::min<size_t>(kernels.max_rows, rows - r);
    kernels.by_rows[m](m, tokens, s.head_dim * sizeof(float),
                       reinterpret_cast<const float*>(queries.rows + r * queries.stride),
                       queries.stride, page, scores + r * stride, stride * sizeof(float),
                       kernels.nr * sizeof(float), &kNoClamp);
  }
}

size_t ValueTileBytes(const KernelSet& set) {
  return set.f32.nr * (1 + kKvBlockTokens) * sizeof(float);
}

size_t ValueOffset(const PageShape& s, size_t slot, size_t d) {
  const size_t nr = s.set->f32.nr;
  return s.values_offset + d / nr * s.value_tile_bytes + (nr + slot * nr + d % nr) * sizeof(float);
}

void PutValue(const PageShape& s, uint8_t* page, size_t slot, const uint8_t* bytes) {
  for (size_t d = 0; d < s.v_head_dim; ++d) {
    std::memcpy(page + ValueOffset(s, slot, d), bytes + d * sizeof(float), sizeof(float));
  }
}

void StoreValue(const PageShape& s, uint8_t* page, size_t slot, const float* value) {
  PutValue(s, page, slot, reinterpret_cast<const uint8_t*>(value));
}

void ReadValue(const PageShape& s, const uint8_t* page, size_t slot, uint8_t* bytes) {
  for (size_t d = 0; d < s.v_head_dim; ++d) {
    std::memcpy(bytes + d * sizeof(float), page + ValueOffset(s, slot, d), sizeof(float));
  }
}

void Weigh(const PageShape& s, std::span<const uint8_t* const> pages, const uint8_t* const*,
           float* p, size_t stride, size_t rows, float* out) {
  const auto& kernels = s.set->f32;
  float part[kMaxTileRows * kMaxPageDim];
  std::fill_n(out, rows * s.v_head_dim, 0.0f);
  for (const uint8_t* page : pages) {
    for (size_t r = 0; page != nullptr && r < rows; r += kernels.max_rows) {
      const size_t m = std::min<size_t>(kernels.max_rows, rows - r);
      kernels.by_rows[m](m, s.v_head_dim, kKvBlockTokens * sizeof(float), p + r * stride,
                         stride * sizeof(float), page + s.values_offset, part,
                         s.v_head_dim * sizeof(float), kernels.nr * sizeof(float), &kNoClamp);
      s.set->loops->add(out + r * s.v_head_dim, part, m * s.v_head_dim);
    }
    p += kKvBlockTokens;
  }
}

}  // namespace

const KeyKind kFloatKeys = {.rotates = false,
                            .float_queries = true,
                            .tile_tokens = TileChannels,
                            .tile_bytes = KeyTileBytes,
                            .token_bytes = TokenBytes,
                            .store = StoreKey,
                            .read = ReadKey,
                            .put = PutKey,
                            .is_finite = IsFinite,
                            .scores = Scores};

const ValueKind kFloatValues = {.rotates = false,
                                .has_scales = false,
                                .tile_channels = TileChannels,
                                .tile_bytes = ValueTileBytes,
                                .token_bytes = TokenBytes,
                                .store = StoreValue,
                                .read = ReadValue,
                                .put = PutValue,
                                .is_finite = IsFinite,
                                .weigh = Weigh};

}  // namespace rondo
