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

namespace rondo {

enum class KvFormat : int32_t {
  kInt8 = 0,
  kFloat32 = 1,  // a reference for tests
  kK8V4 = 2,     // keys int8, values int4
  kK4V4 = 3,
};
const char* KvFormatName(KvFormat format);  // "int8", "float32", "k8v4", "k4v4"

class KvPage {
 public:
  KvPage() = default;
  KvPage(const KernelSet& set, KvFormat format, size_t head_dim, size_t v_head_dim);

  size_t bytes() const { return bytes_; }  // of one page, a multiple of 64
  KvFormat format() const { return format_; }
  // What is done to queries, as it is to the keys in Store, and to what WeighValues gives, which
  // undoes what is done to values there.
  bool rotates_keys() const { return key_bits_ == 4; }
  bool rotates_values() const { return value_bits_ == 4; }
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
  size_t token_bytes() const {
    return format_ == KvFormat::kFloat32
               ? (head_dim_ + v_head_dim_) * sizeof(float)
               : TokenBytes(head_dim_, key_bits_) + TokenBytes(v_head_dim_, value_bits_);
  }
  // Writes those of the token at `slot` to `bytes`, [token_bytes()]. Put stores them again: the
  // page is then as Store left it, to the bit.
  void Read(const uint8_t* page, size_t slot, uint8_t* bytes) const;
  void Put(uint8_t* page, size_t slot, const uint8_t* bytes) const;
  // True where every float of `bytes` is a finite number.
  bool IsFinite(const uint8_t* bytes) const;

  // Queries of `rows` rows: float for kFloat32, else int8 with quant (score scale folded in).
  struct Queries {
    const uint8_t* rows;
    const RowQuant* quant;
    size_t stride;  // bytes
  };
  // scores[row, token] for token < tokens; `stride` floats from row to row. The page's values are
  // read ahead meanwhile.
  void Scores(const uint8_t* page, const Queries& queries, size_t rows, size_t tokens,
              float* scores, size_t stride) const;

  // out[row, d] = sum over the tokens of `pages` of p[row, token] * value[token, d]: at most
  // kMostWeighedBlocks, null where p has zeros only. p is not negative, its rows are `stride`
  // floats apart; out is [rows, v_head_dim]. But for kFloat32 p becomes p times the values' scales,
  // and is rounded to 15 bits: by at most 1 / 65,278 of a row's largest. The keys of the pages in
  // `next`, as many or null, are read ahead meanwhile.
  void WeighValues(std::span<const uint8_t* const> pages, const uint8_t* const* next, float* p,
                   size_t stride, size_t rows, float* out) const;

 private:
  static constexpr size_t kMaxHeadDim = 640;

  void WeighIntegers(std::span<const uint8_t* const> pages, const uint8_t* const* next, float* p,
                     size_t stride, size_t rows, float* out) const;
  void WeighFloats(std::span<const uint8_t* const> pages, const float* p, size_t stride,
                   size_t rows, float* out) const;
  // Of one head's integers with their scale.
  static size_t TokenBytes(size_t n, uint32_t bits) { return (n * bits + 7) / 8 + sizeof(float); }
  // Where the value of channel d of the token at `slot` lies in its tile, in int8.
  size_t ValueOffset(size_t slot, size_t d) const;
  // The integers of a tile of keys, in bytes as int8.
  size_t KeyIntegers() const;
  // One tile's keys as int8.
  void UnpackKeys(const uint8_t* tile, uint8_t* out) const;
  void ScoreRows(const uint8_t* tiles, const Queries& queries, size_t r, size_t rows, size_t tokens,
                 float* scores, size_t stride) const;
  void ScoreNibbles(const uint8_t* page, const Queries& queries, size_t rows, size_t tokens,
                    float* scores, size_t stride) const;
  void PutFloats(uint8_t* page, size_t slot, const float* key, const float* value) const;
  // `key` is followed by zeros up to a multiple of the kernels' kr.
  void PutKey(uint8_t* page, size_t slot, const int8_t* key, float scale) const;
  void PutValue(uint8_t* page, size_t slot, const int8_t* value, float scale) const;

  const KernelSet* set_ = nullptr;
  KvFormat format_ = KvFormat::kInt8;
  uint32_t key_bits_ = 8, value_bits_ = 8;
  size_t head_dim_ = 0;    // of keys
  size_t v_head_dim_ = 0;  // of values
  size_t key_tile_bytes_ = 0;
  size_t value_tile_bytes_ = 0;
  size_t values_offset_ = 0;
  size_t scales_offset_ = 0;
  size_t bytes_ = 0;
};

}  // namespace rondo
