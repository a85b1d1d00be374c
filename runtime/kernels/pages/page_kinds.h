// How a page holds its keys, and how its values: a kind of each, with all that is done with them.
// A token is a channel of the tiles of keys, which lie first, and an input of those of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/kernels/kernel_set.h"
#include "runtime/kernels/kv_page.h"

namespace rondo {

struct KeyKind {
  bool rotates;        // heads are multiplied by a Hadamard matrix (RotateHead), and queries, too
  bool float_queries;  // else int8
  // Tokens of a tile, and its bytes.
  size_t (*tile_tokens)(const KernelSet& set);
  size_t (*tile_bytes)(const KernelSet& set, size_t head_dim);
  // Of a token outside of any page, as `read` gives it.
  size_t (*token_bytes)(size_t head_dim);
  // As KvPage's functions of these names.
  void (*store)(const PageShape& shape, uint8_t* page, size_t slot, const float* key);
  void (*read)(const PageShape& shape, const uint8_t* page, size_t slot, uint8_t* bytes);
  void (*put)(const PageShape& shape, uint8_t* page, size_t slot, const uint8_t* bytes);
  bool (*is_finite)(const uint8_t* bytes, size_t head_dim);
  void (*scores)(const PageShape& shape, const uint8_t* page, const PageQueries& queries,
                 size_t rows, size_t tokens, float* scores, size_t stride);
};

struct ValueKind {
  bool rotates;     // and what `weigh` gives is to be turned back
  bool has_scales;  // float [kKvBlockTokens], behind the tiles
  // Channels of a tile, and its bytes.
  size_t (*tile_channels)(const KernelSet& set);
  size_t (*tile_bytes)(const KernelSet& set);
  size_t (*token_bytes)(size_t v_head_dim);
  void (*store)(const PageShape& shape, uint8_t* page, size_t slot, const float* value);
  void (*read)(const PageShape& shape, const uint8_t* page, size_t slot, uint8_t* bytes);
  void (*put)(const PageShape& shape, uint8_t* page, size_t slot, const uint8_t* bytes);
  bool (*is_finite)(const uint8_t* bytes, size_t v_head_dim);
  // KvPage::WeighValues of at most kMaxTileRows rows.
  void (*weigh)(const PageShape& shape, std::span<const uint8_t* const> pages,
                const uint8_t* const* next, float* p, size_t stride, size_t rows, float* out);
};

extern const KeyKind kFloatKeys, kInt8Keys, kInt4Keys;
extern const ValueKind kFloatValues, kInt8Values, kInt4Values;

// Of keys and of values, at most.
inline constexpr size_t kMaxPageDim = 640;

// Multiplies a head by a Hadamard matrix of its own inverse, which spreads what stands out over all
// channels.
void RotateHead(const KernelSet& set, float* head, size_t n);

}  // namespace rondo
