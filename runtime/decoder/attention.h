// Attention of one sequence's rows over its KV blocks: causal, grouped, with an online
// softmax (Milakov and Gimelshein 2018; Dao et al. 2022), so that no row-by-token matrix exists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rondo_generated.h"
#include "runtime/base/portable_math.h"
#include "runtime/decoder/pass_rows.h"
#include "runtime/kernels/kernel_set.h"
#include "runtime/kernels/row_ops.h"
#include "runtime/kv/block_table.h"

namespace rondo {

// Rows that one task handles together, so that they share each load of K and V.
inline constexpr size_t kAttentionTileRows = 8;

// Blocks whose tokens are summed up together, counted from position 0. A row's sums over segments
// are added in the order of positions: so segments may run on different threads, or one after
// another, and give the same bits.
inline constexpr uint64_t kSegmentBlocks = 8;

// Queries at some positions count for more: 1 + factor * ln(1 + floor((p + offset) / period)).
struct QueryScale {
  float factor = 0;
  uint64_t period = 1;
  uint64_t offset = 0;

  float At(uint64_t position) const {
    const uint64_t periods = (position + offset) / period;
    return static_cast<float>(1 + double{factor} * PortableLog1p(static_cast<double>(periods)));
  }
};

inline QueryScale QueryScaleOf(const format::QueryScale* scale) {  // null: none count for more
  if (scale == nullptr) return {};
  return {scale->factor(), scale->period(), scale->offset()};
}

// One sublayer's attention over rows at consecutive positions of one sequence.
struct AttentionCall {
  const KernelSet* set;
  const BlockTable* kv;
  size_t entry;  // of the KV layout
  size_t n_kv_heads;
  size_t q_per_kv;    // query heads that share a KV head
  size_t head_dim;    // of queries and keys
  size_t v_head_dim;  // of values
  float score_scale;
  float soft_cap;     // scores become cap * tanh(score / cap); 0: they do not
  const float* qkv;   // row: q of all heads before RoPE, then k, then v; readable for kOverRead
  size_t qkv_stride;  // bytes past the last row. In floats
  const float* rope;  // RopeTables of the rows, [rows, rope_dim], or null: no RoPE
  size_t rope_dim;    // channels of a head that turn
  const float* sink_rope;  // the same for meeting the sinks; null: no RoPE
  uint64_t position;       // of row 0
  size_t rows;
  float* out;  // [rows, n_heads * v_head_dim]

  // So many KV heads in a row read the same page: the query heads that share its keys and values,
  // which qkv has once, are several tasks then.
  size_t heads_per_page = 1;
  // Of all heads' q and k, head by head, after RoPE. Null: none.
  const RowNorm* q_norm = nullptr;
  const RowNorm* k_norm = nullptr;
  const QueryScale* query_scale = nullptr;
  const float* alibi_slopes = nullptr;  // [n_heads]
  const float* sink_logits = nullptr;   // [n_heads]
  uint64_t first_seen = 0;              // no row sees positions before, but for its own
  // A row also sees those behind its own, up to the call's last: the rows are all of a text.
  bool bidirectional = false;
  // Of the rows, what they see where not bidirectional; null: each sees up to its own position.
  const PassRow* places = nullptr;
  // Within windows each sees one of these, whatever `places` say.
  bool in_window = false;
  const RowRange* windows = nullptr;

  uint64_t end() const { return position + rows; }
  // The first position that the row at `at` sees, but for what windows of tokens, chunks and
  // first_seen keep from it.
  uint64_t SeenBegin(uint64_t at) const {
    return windows == nullptr ? 0 : windows[at - position].begin;
  }
  // Behind the last position that it sees.
  uint64_t SeenEnd(uint64_t at) const {
    if (windows != nullptr) return windows[at - position].end;
    if (!bidirectional) return places == nullptr ? at + 1 : places[at - position].visible_end;
    const uint64_t tokens = kv->window(entry).tokens;
    return tokens == 0 ? end() : std::min(end(), at + tokens);
  }
};

// Blocks that positions of the rows lie in.
size_t StoredBlocks(const AttentionCall& call);
// Rotates and stores the keys and values of one page's head at the positions in the i-th of these
// blocks. Distinct heads and blocks may be stored side by side. `scratch`: AttentionScratchBytes.
void StoreKeysAndValues(const AttentionCall& call, size_t kv_head, size_t i, uint8_t* scratch);

// The segments that rows [begin, begin + count) see some of, in order; count <= kAttentionTileRows.
class AttentionSegments {
 public:
  AttentionSegments(const AttentionCall& call, size_t begin, size_t count);
  size_t count() const { return count_; }
  uint64_t operator[](size_t i) const { return i < sinks_ ? i : first_ + i - sinks_; }

  static size_t Most(const ContextWindow& window);

 private:
  uint64_t sinks_;  // segments with sinks in them
  uint64_t first_;  // of the others
  size_t count_;
};

// Rows [begin, begin + count), count <= kAttentionTileRows, of one KV head's query heads.
// What these rows see is stored already. A row's result depends on its query and on what it sees,
// block by block in the order of positions, and on nothing else.
void Attend(const AttentionCall& call, size_t kv_head, size_t begin, size_t count,
            uint8_t* scratch);

// The same in three steps, for few rows (call.rows <= kAttentionTileRows) and many tokens: the
// queries of each KV head into AttentionQueryBytes, aligned to 64; each segment of each KV head
// into a part of AttentionPartFloats, in any order; then row by row. Parts lie by segment (its
// index in AttentionSegments), then KV head.
void PrepareQueries(const AttentionCall& call, size_t kv_head, uint8_t* queries, uint8_t* scratch);
void AttendSegment(const AttentionCall& call, size_t kv_head, uint64_t segment,
                   const uint8_t* queries, uint8_t* scratch, float* part);
void MergeSegments(const AttentionCall& call, size_t row, float* parts, size_t segments,
                   uint8_t* scratch);
size_t AttentionQueryBytes(size_t q_per_kv, size_t head_dim, size_t rows);
size_t AttentionPartFloats(size_t q_per_kv, size_t v_head_dim, size_t rows);

// Per thread, aligned to 64.
size_t AttentionScratchBytes(size_t q_per_kv, size_t head_dim, size_t v_head_dim);

}  // namespace rondo
