// What is done to queries and keys before they meet: RoPE, the norms behind it, and their form.
#include "runtime/decoder/attention_queries.h"

#include <algorithm>

#include "runtime/kernels/row_ops.h"

namespace rondo {

namespace {

// Head `head` of q or k, rotated by `rope` and normalised by its part of `norm` (null: not): `in`
// itself, or `out`.
const float* Turn(const AttentionCall& call, const float* in, const float* rope,
                  const RowNorm* norm, size_t head, float* out) {
  const size_t dim = call.head_dim;
  if (rope != nullptr) {
    ApplyRope(*call.set, in, rope, call.rope_dim, dim, out);
    in = out;
  }
  if (norm != nullptr) {
    RowNorm own = *norm;
    own.weight += head * dim;
    if (own.bias != nullptr) own.bias += head * dim;
    Normalize(*call.set, own, in, dim, out);
    in = out;
  }
  return in;
}

// Query `q` from one turned head.
void PutQuery(const AttentionCall& call, const float* in, float score_scale, size_t q,
              uint8_t* queries, RowQuant* quant) {
  const size_t dim = call.head_dim;
  if (IsInt8(call)) {
    quant[q] = QuantizeRow(*call.set, in, dim, dim, q, reinterpret_cast<int8_t*>(queries));
    quant[q].scale *= score_scale;
  } else {
    call.set->loops->scale(in, score_scale, dim, reinterpret_cast<float*>(queries) + q * dim);
  }
}

}  // namespace

bool IsInt8(const AttentionCall& call) {
  return !call.kv->layout().page(call.entry).float_queries();
}

void PrepareRows(const AttentionCall& call, size_t kv_head, size_t begin, size_t count,
                 float* rotated, const Queries& queries) {
  const bool has_sinks = call.kv->window(call.entry).sink_blocks > 0;
  const KvPage& page_kind = call.kv->layout().page(call.entry);
  for (size_t r = 0; r < count; ++r) {
    const size_t row = begin + r;
    const float* q_heads = call.qkv + row * call.qkv_stride;
    const auto turned = [&](size_t head, const float* rope) {
      const float* q =
          Turn(call, q_heads + head * call.head_dim,
               rope != nullptr ? rope + row * call.rope_dim : nullptr, call.q_norm, head, rotated);
      if (!page_kind.rotates_keys()) return q;
      if (q != rotated) std::copy_n(q, call.head_dim, rotated);
      page_kind.Rotate(rotated, call.head_dim);
      return static_cast<const float*>(rotated);
    };
    float scale = call.score_scale;
    if (call.query_scale != nullptr) scale *= call.query_scale->At(call.position + row);
    for (size_t g = 0; g < call.q_per_kv; ++g) {
      const size_t head = kv_head * call.q_per_kv + g, q = r * call.q_per_kv + g;
      PutQuery(call, turned(head, call.rope), scale, q, queries.recent, queries.recent_quant);
      if (!has_sinks) continue;
      PutQuery(call, turned(head, call.sink_rope), scale, q, queries.sinks, queries.sink_quant);
    }
  }
}

size_t StoredBlocks(const AttentionCall& call) {
  return ContextWindow::Block(call.position + call.rows - 1) - ContextWindow::Block(call.position) +
         1;
}

void StoreKeysAndValues(const AttentionCall& call, size_t kv_head, size_t i, uint8_t* scratch) {
  const KvPage& page_kind = call.kv->layout().page(call.entry);
  const size_t dim = call.head_dim;
  float* key = reinterpret_cast<float*>(scratch);
  const float* all_keys = call.qkv + call.n_kv_heads * call.q_per_kv * dim;
  const float* keys = all_keys + kv_head * dim;
  const float* values =
      all_keys + call.n_kv_heads / call.heads_per_page * dim + kv_head * call.v_head_dim;
  const uint64_t block = ContextWindow::Block(call.position) + i;
  uint8_t* page = call.kv->Page(block, call.entry, kv_head);
  const uint64_t begin = std::max(call.position, block * kKvBlockTokens);
  const uint64_t end = std::min(call.position + call.rows, (block + 1) * kKvBlockTokens);
  if (begin % kKvBlockTokens == 0) page_kind.Clear(page);
  for (uint64_t position = begin; position < end; ++position) {
    const size_t r = position - call.position;
    const float* rope = call.rope != nullptr ? call.rope + r * call.rope_dim : nullptr;
    const float* in = Turn(call, keys + r * call.qkv_stride, rope, call.k_norm, kv_head, key);
    page_kind.Store(page, position % kKvBlockTokens, in, values + r * call.qkv_stride);
  }
}

}  // namespace rondo
