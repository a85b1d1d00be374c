#include "runtime/decoder/attention.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/base/checked.h"
#include "runtime/kernels/row_ops.h"

namespace rondo {

namespace {

constexpr size_t kBlock = kKvBlockTokens;
constexpr size_t kSegment = kSegmentBlocks * kBlock;
constexpr float kNone = -std::numeric_limits<float>::infinity();

// The softmax-weighted sum over some of the tokens, of n queries. Its memory: n * (v_head_dim + 2).
struct Sums {
  float* sum;    // [n, v_head_dim]: values weighed by e^(score - max)
  float* max;    // [n]; minus infinity: saw nothing yet
  float* total;  // [n]: of the weights

  Sums(float* base, size_t n, size_t v_head_dim)
      : sum(base), max(base + n * v_head_dim), total(max + n) {}

  void Clear(size_t n, size_t v_head_dim) const {
    std::fill_n(sum, n * v_head_dim, 0.0f);
    std::fill_n(max, n, kNone);
    std::fill_n(total, n, 0.0f);
  }
};

size_t SumsFloats(size_t n, size_t v_head_dim) { return n * (v_head_dim + 2); }

// A task's queries and sums, cut out of its scratch. n = rows * q_per_kv queries.
struct Scratch {
  float* rotated;   // [n, head_dim]
  int8_t* q8;       // [n, head_dim]
  RowQuant* quant;  // [n]
  int8_t* sink_q8;  // the same, rotated for the sinks
  RowQuant* sink_quant;
  float* sink_rotated;
  float* p;             // [n, kSegment]: scores, then probabilities
  float* value_scales;  // [kSegment]
  float* partial;       // [n, v_head_dim]: one block's weighed values
  float* segment;       // Sums of one segment
  float* all;           // Sums of all segments
  size_t bytes;

  Scratch(size_t n, size_t head_dim, size_t v_head_dim, uint8_t* base) {
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
    take(p, n * kSegment);
    take(value_scales, kSegment);
    take(partial, n * v_head_dim);
    take(segment, SumsFloats(n, v_head_dim));
    take(all, SumsFloats(n, v_head_dim));
  }
};

// Rotates one head of `in` by `rope` (null: copies) and quantises it, the score scale folded in.
void PrepareQuery(const AttentionCall& call, const float* in, const float* rope, float* rotated,
                  int8_t* q8, RowQuant* quant) {
  const size_t dim = call.head_dim;
  if (rope != nullptr) {
    ApplyRope(*call.set, in, rope, call.rope_dim, dim, rotated);
  } else {
    std::memcpy(rotated, in, dim * sizeof(float));
  }
  if (call.kv->layout().page(call.entry).format() == KvFormat::kInt8) {
    *quant = QuantizeRow(*call.set, rotated, dim, dim, q8);
    quant->scale *= call.score_scale;
  } else {
    for (size_t d = 0; d < dim; ++d) rotated[d] *= call.score_scale;
  }
}

}  // namespace

size_t AttentionScratchBytes(size_t q_per_kv, size_t head_dim, size_t v_head_dim) {
  return Scratch(kAttentionTileRows * q_per_kv, head_dim, v_head_dim, nullptr).bytes;
}

void StoreKeysAndValues(const AttentionCall& call, size_t kv_head, uint8_t* scratch) {
  const KvPage& page_kind = call.kv->layout().page(call.entry);
  const size_t dim = call.head_dim;
  float* key = reinterpret_cast<float*>(scratch);
  const float* all_keys = call.qkv + call.n_kv_heads * call.q_per_kv * dim;
  const float* keys = all_keys + kv_head * dim;
  const float* values = all_keys + call.n_kv_heads * dim + kv_head * call.v_head_dim;
  for (size_t r = 0; r < call.rows; ++r) {
    const uint64_t position = call.position + r;
    const float* in = keys + r * call.qkv_stride;
    if (call.rope != nullptr) {
      ApplyRope(*call.set, in, call.rope + r * call.rope_dim, call.rope_dim, dim, key);
      in = key;
    }
    uint8_t* page = call.kv->Page(ContextWindow::Block(position), call.entry, kv_head);
    if (position % kBlock == 0) page_kind.Clear(page);
    page_kind.Store(page, position % kBlock, in, values + r * call.qkv_stride);
  }
}

AttentionSegments::AttentionSegments(const AttentionCall& call, size_t begin, size_t count) {
  const ContextWindow& window = call.kv->window(call.entry);
  const uint64_t first = window.FirstRecentBlock(call.position + begin);
  const uint64_t last = ContextWindow::Block(call.position + begin + count - 1);
  sinks_ = CeilDiv(std::min(window.sink_blocks, first), kSegmentBlocks);
  first_ = std::max(sinks_, first / kSegmentBlocks);
  count_ = sinks_ + last / kSegmentBlocks + 1 - first_;
}

size_t AttentionSegments::Most(const ContextWindow& window) {
  // A tile of rows can reach into one block more than a row sees.
  return CeilDiv(window.sink_blocks, kSegmentBlocks) + CeilDiv(window.blocks + 1, kSegmentBlocks) +
         1;
}

namespace {

void PrepareQueries(const AttentionCall& call, size_t kv_head, size_t begin, size_t count,
                    const Scratch& s) {
  const size_t dim = call.head_dim;
  for (size_t r = 0; r < count; ++r) {
    const size_t row = begin + r;
    const float* heads = call.qkv + row * call.qkv_stride + kv_head * call.q_per_kv * dim;
    for (size_t g = 0; g < call.q_per_kv; ++g) {
      const size_t q = r * call.q_per_kv + g;
      PrepareQuery(call, heads + g * dim,
                   call.rope != nullptr ? call.rope + row * call.rope_dim : nullptr,
                   s.rotated + q * dim, s.q8 + q * dim, s.quant + q);
      if (call.kv->window(call.entry).sink_blocks > 0) {
        PrepareQuery(call, heads + g * dim,
                     call.sink_rope != nullptr ? call.sink_rope + row * call.rope_dim : nullptr,
                     s.sink_rotated + q * dim, s.sink_q8 + q * dim, s.sink_quant + q);
      }
    }
  }
}

// What the rows [begin, begin + count) see of one segment.
void SumSegment(const AttentionCall& call, size_t kv_head, size_t begin, size_t count,
                uint64_t segment, const Scratch& s, const Sums& sums) {
  const size_t v_dim = call.v_head_dim;
  const size_t q_per_kv = call.q_per_kv;
  const size_t n = count * q_per_kv;
  const KernelSet& set = *call.set;
  const ContextWindow& window = call.kv->window(call.entry);
  const KvPage& page_kind = call.kv->layout().page(call.entry);
  const bool int8 = page_kind.format() == KvFormat::kInt8;
  const size_t stride = call.head_dim * (int8 ? 1 : sizeof(float));
  const KvPage::Queries recent = {s.rotated, s.q8, s.quant, stride};
  const KvPage::Queries sinks = {s.sink_rotated, s.sink_q8, s.sink_quant, stride};

  const uint64_t position = call.position + begin;  // of the first row
  const uint64_t end_position = position + count;
  const uint64_t first_block = segment * kSegmentBlocks;
  const size_t tokens =
      std::min<uint64_t>(kSegment, end_position - std::min(end_position, first_block * kBlock));
  const auto sees = [&](size_t r, uint64_t block) {
    return position + r >= block * kBlock &&
           (block < window.sink_blocks || block >= window.FirstRecentBlock(position + r));
  };
  const auto page_of = [&](uint64_t block) { return call.kv->Page(block, call.entry, kv_head); };

  // Scores, and minus infinity where a row does not see a block: a row's softmax then runs over
  // the same places of the segment whatever the rows beside it see.
  sums.Clear(n, v_dim);
  for (size_t t = 0; t < tokens; t += kBlock) {
    const uint64_t block = first_block + t / kBlock;
    if (sees(0, block) || sees(count - 1, block)) {
      page_kind.Scores(page_of(block), block < window.sink_blocks ? sinks : recent, n,
                       std::min(kBlock, tokens - t), s.p + t, kSegment);
      if (int8)
        std::memcpy(s.value_scales + t, page_kind.ValueScales(page_of(block)),
                    kBlock * sizeof(float));
    }
    for (size_t q = 0; q < n; ++q) {
      float* p = s.p + q * kSegment + t;
      if (!sees(q / q_per_kv, block)) {
        std::fill_n(p, kBlock, kNone);
        continue;
      }
      // Whole blocks, so that a score's place in the vector does not depend on other rows.
      if (call.soft_cap > 0) SoftCap(set, call.soft_cap, kBlock, p);
      const uint64_t first = window.FirstToken(position + q / q_per_kv);
      if (first > block * kBlock) std::fill_n(p, std::min(first - block * kBlock, kBlock), kNone);
    }
  }

  for (size_t q = 0; q < n; ++q) {
    float* p = s.p + q * kSegment;
    const uint64_t own = position + q / q_per_kv + 1;  // positions up to the row's own
    const size_t seen = std::min<uint64_t>(tokens, own - std::min(own, first_block * kBlock));
    const size_t bytes = seen * sizeof(float);
    if (seen > 0) set.max(bytes, p, sums.max + q, nullptr);
    if (sums.max[q] == kNone) continue;
    set.exp_minus_max(bytes, p, sums.max + q, p, sums.total + q, nullptr);
    if (int8) set.multiply(bytes, p, s.value_scales, p, nullptr);
    std::fill_n(p + seen, RoundUp(seen, kBlock) - seen, 0.0f);
  }

  for (size_t t = 0; t < tokens; t += kBlock) {
    const uint64_t block = first_block + t / kBlock;
    if (!sees(0, block) && !sees(count - 1, block)) continue;
    page_kind.WeighValues(page_of(block), s.p + t, kSegment, n, s.partial);
    for (size_t q = 0; q < n; ++q) {
      if (sees(q / q_per_kv, block))
        set.loops->add(sums.sum + q * v_dim, s.partial + q * v_dim, v_dim);
    }
  }
}

// Adds query q of `part` to query q of `all`, in the order of the segments.
void AddSegment(const KernelSet& set, const Sums& part, size_t dim, size_t q, const Sums& all,
                size_t to) {
  if (part.max[q] == kNone) return;
  float all_factor = 0.0f;
  float part_factor = 1.0f;
  if (all.max[to] == kNone) {
    all.max[to] = part.max[q];
  } else {
    const float max = std::max(all.max[to], part.max[q]);
    float unused;
    set.exp_minus_max(sizeof(float), all.max + to, &max, &all_factor, &unused, nullptr);
    set.exp_minus_max(sizeof(float), part.max + q, &max, &part_factor, &unused, nullptr);
    all.max[to] = max;
  }
  all.total[to] = all.total[to] * all_factor + part.total[q] * part_factor;
  set.loops->blend(all.sum + to * dim, all_factor, part.sum + q * dim, part_factor, dim);
}

// The end of the softmax, for query q of `all`, which is query head g of row `row`.
void StoreOutput(const AttentionCall& call, size_t kv_head, size_t row, size_t g, const Sums& all,
                 size_t q) {
  const size_t dim = call.v_head_dim;
  const size_t heads = call.n_kv_heads * call.q_per_kv;
  float* out = call.out + (row * heads + kv_head * call.q_per_kv + g) * dim;
  const float inverse = 1.0f / all.total[q];
  for (size_t d = 0; d < dim; ++d) out[d] = all.sum[q * dim + d] * inverse;
}

}  // namespace

void Attend(const AttentionCall& call, size_t kv_head, size_t begin, size_t count,
            uint8_t* scratch) {
  const size_t dim = call.v_head_dim;
  const size_t n = count * call.q_per_kv;
  const Scratch s(kAttentionTileRows * call.q_per_kv, call.head_dim, dim, scratch);
  PrepareQueries(call, kv_head, begin, count, s);
  const Sums part(s.segment, n, dim);
  const Sums all(s.all, n, dim);
  all.Clear(n, dim);
  const AttentionSegments segments(call, begin, count);
  for (size_t i = 0; i < segments.count(); ++i) {
    SumSegment(call, kv_head, begin, count, segments[i], s, part);
    for (size_t q = 0; q < n; ++q) AddSegment(*call.set, part, dim, q, all, q);
  }
  for (size_t q = 0; q < n; ++q) {
    StoreOutput(call, kv_head, begin + q / call.q_per_kv, q % call.q_per_kv, all, q);
  }
}

void AttendSegment(const AttentionCall& call, size_t kv_head, uint64_t segment, uint8_t* scratch,
                   float* part) {
  const Scratch s(kAttentionTileRows * call.q_per_kv, call.head_dim, call.v_head_dim, scratch);
  PrepareQueries(call, kv_head, 0, call.rows, s);
  SumSegment(call, kv_head, 0, call.rows, segment, s,
             Sums(part, call.rows * call.q_per_kv, call.v_head_dim));
}

void MergeSegments(const AttentionCall& call, size_t row, float* parts, size_t segments,
                   uint8_t* scratch) {
  const size_t dim = call.v_head_dim;
  const size_t stride = AttentionPartFloats(call.q_per_kv, dim, call.rows);
  const Sums all(Scratch(kAttentionTileRows * call.q_per_kv, call.head_dim, dim, scratch).all, 1,
                 dim);
  for (size_t head = 0; head < call.n_kv_heads; ++head) {
    for (size_t g = 0; g < call.q_per_kv; ++g) {
      all.Clear(1, dim);
      for (size_t i = 0; i < segments; ++i) {
        float* part = parts + (i * call.n_kv_heads + head) * stride;
        AddSegment(*call.set, Sums(part, call.rows * call.q_per_kv, dim), dim,
                   row * call.q_per_kv + g, all, 0);
      }
      StoreOutput(call, head, row, g, all, 0);
    }
  }
}

size_t AttentionPartFloats(size_t q_per_kv, size_t v_head_dim, size_t rows) {
  return SumsFloats(std::min(rows, kAttentionTileRows) * q_per_kv, v_head_dim);
}

}  // namespace rondo
