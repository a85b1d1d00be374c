#include "runtime/decoder/attention.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/base/checked.h"
#include "runtime/kernels/row_ops.h"

namespace rondo {

namespace {

constexpr size_t kBlock = kKvBlockTokens;

// A task's queries and running softmax, cut out of its scratch. n = rows * group queries.
struct Scratch {
  float* rotated;   // [n, head_dim]
  int8_t* q8;       // [n, head_dim]
  RowQuant* quant;  // [n]
  int8_t* sink_q8;  // the same, rotated for the sinks
  RowQuant* sink_quant;
  float* sink_rotated;
  float* p;        // [n, kBlock]: scores, then probabilities
  float* partial;  // [n, head_dim]: one block's weighed values
  float* sum;      // [n, head_dim]: all blocks'
  float* max;      // [n]
  float* total;    // [n]: of the probabilities
  size_t bytes;

  Scratch(size_t n, size_t head_dim, uint8_t* base) {
    bytes = 0;
    const auto take = [&]<typename T>(T*& pointer, size_t count) {
      // In integers: a null base only asks for `bytes`.
      pointer = reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(base) + bytes);
      bytes += RoundUp(count * sizeof(T) + kOverRead, 64);
    };
    take(rotated, n * head_dim);
    take(q8, n * head_dim);
    take(quant, n);
    take(sink_q8, n * head_dim);
    take(sink_quant, n);
    take(sink_rotated, n * head_dim);
    take(p, n * kBlock);
    take(partial, n * head_dim);
    take(sum, n * head_dim);
    take(max, n);
    take(total, n);
  }
};

// Rotates one head of `in` by `rope` (null: copies) and quantises it, the score scale folded in.
void PrepareQuery(const AttentionCall& call, const float* in, const float* rope, float* rotated,
                  int8_t* q8, RowQuant* quant) {
  const size_t dim = call.head_dim;
  if (rope != nullptr) {
    ApplyRope(in, rope, dim, rotated);
  } else {
    std::memcpy(rotated, in, dim * sizeof(float));
  }
  if (call.ring->layout().page(call.layer).format() == KvFormat::kInt8) {
    *quant = QuantizeRow(*call.set, rotated, dim, dim, q8);
    quant->scale *= call.score_scale;
  } else {
    for (size_t d = 0; d < dim; ++d) rotated[d] *= call.score_scale;
  }
}

// Folds the scores of `tokens` tokens (the first of the block) into one query's running softmax.
// p becomes the block's probabilities relative to the new maximum, times the value scales.
// Returns the factor by which everything before shrinks.
float FoldBlock(const KernelSet& set, float* p, size_t tokens, const float* value_scales,
                float* max, float* total) {
  const size_t bytes = tokens * sizeof(float);
  float block_max = p[0];
  set.max(bytes, p, &block_max, nullptr);
  const bool first = *max == -std::numeric_limits<float>::infinity();
  const float new_max = first ? block_max : std::max(*max, block_max);
  float factor = 0.0f;
  if (!first) {
    float unused;
    set.exp_minus_max(sizeof(float), max, &new_max, &factor, &unused, nullptr);
  }
  float block_total = 0.0f;
  set.exp_minus_max(bytes, p, &new_max, p, &block_total, nullptr);
  *max = new_max;
  *total = *total * factor + block_total;
  if (value_scales != nullptr) set.multiply(bytes, p, value_scales, p, nullptr);
  std::fill(p + tokens, p + kBlock, 0.0f);
  return factor;
}

}  // namespace

size_t AttentionScratchBytes(size_t group, size_t head_dim) {
  return Scratch(kAttentionTileRows * group, head_dim, nullptr).bytes;
}

void StoreKeysAndValues(const AttentionCall& call, size_t kv_head, uint8_t* scratch) {
  const KvPage& page_kind = call.ring->layout().page(call.layer);
  const size_t dim = call.head_dim;
  float* key = reinterpret_cast<float*>(scratch);
  const float* keys = call.qkv + (call.n_kv_heads * call.group + kv_head) * dim;
  const float* values = keys + call.n_kv_heads * dim;
  for (size_t r = 0; r < call.rows; ++r) {
    const uint64_t position = call.position + r;
    const float* in = keys + r * call.qkv_stride;
    if (call.rope != nullptr) {
      ApplyRope(in, call.rope + r * dim, dim, key);
      in = key;
    }
    uint8_t* page = call.ring->Page(ContextWindow::Block(position), call.layer, kv_head);
    if (position % kBlock == 0) page_kind.Clear(page);
    page_kind.Store(page, position % kBlock, in, values + r * call.qkv_stride);
  }
}

void Attend(const AttentionCall& call, size_t kv_head, size_t begin, size_t count,
            uint8_t* scratch) {
  const size_t dim = call.head_dim;
  const size_t group = call.group;
  const size_t n = count * group;
  const ContextWindow& window = call.ring->window();
  const KvPage& page_kind = call.ring->layout().page(call.layer);
  const Scratch s(kAttentionTileRows * group, dim, scratch);

  for (size_t r = 0; r < count; ++r) {
    const size_t row = begin + r;
    const float* heads = call.qkv + row * call.qkv_stride + kv_head * group * dim;
    for (size_t g = 0; g < group; ++g) {
      const size_t q = r * group + g;
      PrepareQuery(call, heads + g * dim, call.rope != nullptr ? call.rope + row * dim : nullptr,
                   s.rotated + q * dim, s.q8 + q * dim, s.quant + q);
      if (window.sink_blocks > 0) {
        PrepareQuery(call, heads + g * dim,
                     call.sink_rope != nullptr ? call.sink_rope + row * dim : nullptr,
                     s.sink_rotated + q * dim, s.sink_q8 + q * dim, s.sink_quant + q);
      }
    }
  }
  std::fill_n(s.max, n, -std::numeric_limits<float>::infinity());
  std::fill_n(s.total, n, 0.0f);
  std::fill_n(s.sum, n * dim, 0.0f);

  const size_t stride = dim * (page_kind.format() == KvFormat::kInt8 ? 1 : sizeof(float));
  const KvPage::Queries recent = {s.rotated, s.q8, s.quant, stride};
  const KvPage::Queries sinks = {s.sink_rotated, s.sink_q8, s.sink_quant, stride};

  const uint64_t first_position = call.position + begin;
  const uint64_t last_position = first_position + count - 1;
  const uint64_t last_block = ContextWindow::Block(last_position);
  const uint64_t first_recent = window.FirstRecentBlock(first_position);
  const uint64_t end_of_sinks = std::min(window.sink_blocks, first_recent);
  for (uint64_t block = 0; block <= last_block; ++block) {
    if (block == end_of_sinks) block = first_recent;
    const uint8_t* page = call.ring->Page(block, call.layer, kv_head);
    const uint64_t block_begin = block * kBlock;
    const size_t tokens = std::min<uint64_t>(kBlock, last_position + 1 - block_begin);
    page_kind.Scores(page, block < end_of_sinks ? sinks : recent, n, tokens, s.p);

    // A row may see less than the tile: fewer tokens of its own block, or not this block at all.
    bool sees[kAttentionTileRows];
    for (size_t r = 0; r < count; ++r) {
      const uint64_t position = first_position + r;
      sees[r] = position >= block_begin &&
                (block < window.sink_blocks || block >= window.FirstRecentBlock(position));
      for (size_t q = r * group; q < (r + 1) * group; ++q) {
        float* p = s.p + q * kBlock;
        if (!sees[r]) {
          std::fill_n(p, kBlock, 0.0f);
          continue;
        }
        const size_t seen = std::min<uint64_t>(tokens, position + 1 - block_begin);
        const float shrink =
            FoldBlock(*call.set, p, seen, page_kind.ValueScales(page), s.max + q, s.total + q);
        for (size_t d = 0; d < dim; ++d) s.sum[q * dim + d] *= shrink;
      }
    }
    page_kind.WeighValues(page, s.p, n, s.partial);
    for (size_t r = 0; r < count; ++r) {
      if (!sees[r]) continue;
      AddTo(s.sum + r * group * dim, s.partial + r * group * dim, group * dim);
    }
  }

  const size_t out_stride = call.n_kv_heads * group * dim;
  for (size_t q = 0; q < n; ++q) {
    float* out = call.out + (begin + q / group) * out_stride + (kv_head * group + q % group) * dim;
    const float inverse = 1.0f / s.total[q];
    for (size_t d = 0; d < dim; ++d) out[d] = s.sum[q * dim + d] * inverse;
  }
}

}  // namespace rondo
