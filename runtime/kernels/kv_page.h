// KvPage: keys and values of one KV head for one block of positions, stored as packed weights.
//
// A cached token is an output channel of the product Q.K^T and an input step of P.V, so that both
// run right on the page; nothing is ever repacked (DESIGN: KV cache layout).
//
//   int8:  keys    [tokens / nr] tiles of keys: int32 -sum, head_dim int8, float scale, float 0
//          values  [v_head_dim / kValueChannels] tiles of the set's ValueKernels
//          scales  float [tokens], multiplied into a token's probability
//   int4:  the same, in nibbles: those of the first half of a tile's integers are the low ones, and
//          those of the second half the high ones. Heads are rotated by a Hadamard matrix first,
//          which spreads what stands out over all channels
//   f32:   keys    [tokens / nr] tiles of f32: float 0, head_dim floats     (reference for tests)
//          values  [v_head_dim / nr] tiles of f32: float 0, tokens x nr floats
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/kernels/kernel_set.h"
#include "runtime/kernels/kv_format.h"

namespace rondo {

// Where everything lies in a page; in bytes.
struct PageShape {
  const KernelSet* set = nullptr;
  size_t head_dim = 0;    // of keys
  size_t v_head_dim = 0;  // of values
  size_t key_tile_bytes = 0;
  size_t value_tile_bytes = 0;
  size_t values_offset = 0;
  size_t scales_offset = 0;
  size_t bytes = 0;
};

// Queries of `rows` rows: float or, with quant (score scale folded in), int8.
struct PageQueries {
  const uint8_t* rows;
  const RowQuant* quant;
  size_t stride;  // bytes
};

class KvPage {
 public:
  KvPage() = default;
  KvPage(const KernelSet& set, KvFormat format, size_t head_dim, size_t v_head_dim);

  size_t bytes() const { return shape_.bytes; }  // of one page, a multiple of 64
  bool float_queries() const;                    // else int8
  // What is done to queries, as it is to the keys in Store, and to what WeighValues gives, which
  // undoes what is done to values there.
  bool rotates_keys() const;
  bool rotates_values() const;
  void Rotate(float* head, size_t n) const;

  // Makes `page` a page of zeros. Before the first token of a block is stored.
  void Clear(uint8_t* page) const;
  // Quantises and stores the key, [head_dim], and the value, [v_head_dim], both readable for
  // kOverRead bytes more, of the token at `slot` < kKvBlockTokens.
  void Store(uint8_t* page, size_t slot, const float* key, const float* value) const;

  // A token's key and value in a form that every kernel set has in common, without alignment:
  //   int8:  head_dim int8, float scale of the key, v_head_dim int8, float scale of the value;
  //          of int4 two in a byte, the even channel in the low nibble
  //   f32:   head_dim floats, v_head_dim floats
  size_t token_bytes() const;
  // Writes those of the token at `slot` to `bytes`, [token_bytes()]. Put stores them again: the
  // page is then as Store left it, to the bit.
  void Read(const uint8_t* page, size_t slot, uint8_t* bytes) const;
  void Put(uint8_t* page, size_t slot, const uint8_t* bytes) const;
  // True where every float of `bytes` is a finite number.
  bool IsFinite(const uint8_t* bytes) const;

  // scores[row, token] for token < tokens; `stride` floats from row to row. The page's values are
  // read ahead meanwhile.
  void Scores(const uint8_t* page, const PageQueries& queries, size_t rows, size_t tokens,
              float* scores, size_t stride) const;

  // out[row, d] = sum over the tokens of `pages` of p[row, token] * value[token, d]: at most
  // kMostWeighedBlocks, null where p has zeros only. p is not negative, its rows are `stride`
  // floats apart; out is [rows, v_head_dim]. But for float32 p becomes p times the values' scales,
  // and is rounded to 15 bits: by at most 1 / 65,278 of a row's largest. The keys of the pages in
  // `next`, as many or null, are read ahead meanwhile.
  void WeighValues(std::span<const uint8_t* const> pages, const uint8_t* const* next, float* p,
                   size_t stride, size_t rows, float* out) const;

 private:
  const KeyKind* keys_ = nullptr;
  const ValueKind* values_ = nullptr;
  PageShape shape_;
};

}  // namespace rondo
