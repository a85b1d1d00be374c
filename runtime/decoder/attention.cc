#include "runtime/decoder/attention.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "runtime/base/checked.h"
#include "runtime/decoder/attention_queries.h"
#include "runtime/kernels/row_ops.h"

namespace rondo {

namespace {

constexpr size_t kBlock = kKvBlockTokens;
constexpr size_t kSegment = kSegmentBlocks * kBlock;
static_assert(kSegmentBlocks <= kMostWeighedBlocks);
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

// A thread's memory for a tile of rows.
struct Scratch {
  Cutter cutter;
  float* rotated;  // [head_dim]
  Queries queries;
  float* p;        // [n, kSegment]: scores, then probabilities
  float* segment;  // Sums of one segment
  float* all;      // Sums of all segments

  Scratch(size_t q_per_kv, size_t head_dim, size_t v_head_dim, uint8_t* base)
      : cutter{reinterpret_cast<uintptr_t>(base)},
        rotated(cutter.Take<float>(head_dim)),
        queries(kAttentionTileRows * q_per_kv, head_dim, &cutter),
        p(cutter.Take<float>(kAttentionTileRows * q_per_kv * kSegment)),
        segment(cutter.Take<float>(SumsFloats(kAttentionTileRows * q_per_kv, v_head_dim))),
        all(cutter.Take<float>(SumsFloats(kAttentionTileRows * q_per_kv, v_head_dim))) {}
  Scratch(const AttentionCall& call, uint8_t* base)
      : Scratch(call.q_per_kv, call.head_dim, call.v_head_dim, base) {}
};

// These two: that the rows [begin, begin + count) see some of, the first behind the sinks.
uint64_t FirstBlock(const AttentionCall& call, size_t begin) {
  const uint64_t position = call.position + begin;
  return std::max(call.kv->window(call.entry).FirstRecentBlock(position),
                  ContextWindow::Block(call.SeenBegin(position)));
}

uint64_t LastBlock(const AttentionCall& call, size_t begin, size_t count) {
  return ContextWindow::Block(call.SeenEnd(call.position + begin + count - 1) - 1);
}

}  // namespace

size_t AttentionScratchBytes(size_t q_per_kv, size_t head_dim, size_t v_head_dim) {
  return Scratch(q_per_kv, head_dim, v_head_dim, nullptr).cutter.bytes;
}

AttentionSegments::AttentionSegments(const AttentionCall& call, size_t begin, size_t count) {
  const ContextWindow& window = call.kv->window(call.entry);
  const uint64_t first = FirstBlock(call, begin);
  const uint64_t last = LastBlock(call, begin, count);
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

// The pages of one segment for one KV head.
struct SegmentPages {
  const uint8_t* of[kSegmentBlocks] = {};  // null: none of the rows sees it
};

// Those that the rows [begin, begin + count) see.
SegmentPages PagesOf(const AttentionCall& call, size_t kv_head, size_t begin, size_t count,
                     uint64_t segment) {
  const ContextWindow& window = call.kv->window(call.entry);
  const uint64_t first_recent = FirstBlock(call, begin);
  const uint64_t last = LastBlock(call, begin, count);
  SegmentPages pages;
  for (uint64_t i = 0; i < kSegmentBlocks; ++i) {
    const uint64_t block = segment * kSegmentBlocks + i;
    if (block <= last && (block < window.sink_blocks || block >= first_recent)) {
      pages.of[i] = call.kv->Page(block, call.entry, kv_head / call.heads_per_page);
    }
  }
  return pages;
}

// ALiBi: to the scores of a block, whose first token lies `distance` from the row's position.
void AddDistances(float slope, int64_t distance, float* scores) {
  const auto first = static_cast<int32_t>(distance);
  for (int32_t t = 0; t < static_cast<int32_t>(kBlock); ++t) {
    scores[t] += slope * static_cast<float>(first + t);
  }
}

// The first position that is not kept from the row at `at`, but for windows of tokens.
uint64_t FirstKept(const AttentionCall& call, uint64_t at) {
  return std::max(std::min(call.first_seen, at), call.SeenBegin(at));
}

RowRange SeenBehindSinks(const AttentionCall& call, uint64_t at) {
  const ContextWindow& window = call.kv->window(call.entry);
  return {
      std::max({window.FirstToken(at), window.FirstRecentBlock(at) * kBlock, FirstKept(call, at)}),
      call.SeenEnd(at)};
}

// What the rows [begin, begin + count) see of one segment, which has these pages; `next` is read
// after it.
void SumSegment(const AttentionCall& call, size_t kv_head, size_t begin, size_t count,
                uint64_t segment, const SegmentPages& pages, const SegmentPages& next,
                const Queries& queries, float* scores, const Sums& sums) {
  const size_t q_per_kv = call.q_per_kv;
  const size_t n = count * q_per_kv;
  const KernelSet& set = *call.set;
  const ContextWindow& window = call.kv->window(call.entry);
  const KvPage& page_kind = call.kv->layout().page(call.entry);
  const size_t stride = call.head_dim * (IsInt8(call) ? 1 : sizeof(float));
  const PageQueries recent = {queries.recent, queries.recent_quant, stride};
  const PageQueries sinks = {queries.sinks, queries.sink_quant, stride};

  const uint64_t position = call.position + begin;  // of the first row
  // A row's softmax in a segment runs up to the row itself; or, where it sees what is behind it, to
  // the end of its text or of its input. No row sees less than the one before it.
  const uint64_t end_position =
      call.bidirectional ? call.end() : call.SeenEnd(position + count - 1);
  const uint64_t first_block = segment * kSegmentBlocks;
  const size_t tokens =
      std::min<uint64_t>(kSegment, end_position - std::min(end_position, first_block * kBlock));
  // What each row sees behind the sinks. Far from a row's end it is the whole segment, as a rule.
  std::array<RowRange, kAttentionTileRows> seen;
  bool all_seen =
      call.soft_cap == 0 && call.alibi_slopes == nullptr && first_block >= window.sink_blocks;
  for (size_t r = 0; r < count; ++r) {
    seen[r] = SeenBehindSinks(call, position + r);
    all_seen = all_seen && seen[r].begin <= first_block * kBlock &&
               seen[r].end >= first_block * kBlock + tokens;
  }

  // Scores, and minus infinity where a row does not see a block: a row's softmax then runs over
  // the same places of the segment whatever the rows beside it see.
  for (size_t t = 0; t < tokens; t += kBlock) {
    const uint64_t block = first_block + t / kBlock;
    const bool is_sink = block < window.sink_blocks;
    if (const uint8_t* page = pages.of[t / kBlock]; page != nullptr) {
      page_kind.Scores(page, is_sink ? sinks : recent, n, std::min(kBlock, tokens - t), scores + t,
                       kSegment);
    }
    for (size_t q = 0; !all_seen && q < n; ++q) {
      float* p = scores + q * kSegment + t;
      const uint64_t row = position + q / q_per_kv;
      const uint64_t begin = is_sink ? FirstKept(call, row) : seen[q / q_per_kv].begin;
      const uint64_t end = seen[q / q_per_kv].end;
      if (begin >= (block + 1) * kBlock || end <= block * kBlock) {
        std::fill_n(p, kBlock, kNone);
        continue;
      }
      // Whole blocks, so that a score's place in the vector does not depend on other rows.
      if (call.soft_cap > 0) SoftCap(set, call.soft_cap, kBlock, p);
      if (call.alibi_slopes != nullptr) {
        const uint64_t from = is_sink ? window.SinkQueryPosition(row) : row;
        AddDistances(call.alibi_slopes[kv_head * q_per_kv + q % q_per_kv],
                     static_cast<int64_t>(block * kBlock) - static_cast<int64_t>(from), p);
      }
      if (begin > block * kBlock) std::fill_n(p, begin - block * kBlock, kNone);
      if (!call.bidirectional) continue;
      const uint64_t its = std::min<uint64_t>(end - block * kBlock, kBlock);
      std::fill_n(p + its, kBlock - its, kNone);
    }
  }

  const size_t whole_blocks = RoundUp(tokens, kBlock);
  for (size_t q = 0; q < n; ++q) {
    float* p = scores + q * kSegment;
    const uint64_t own = call.bidirectional ? end_position : call.SeenEnd(position + q / q_per_kv);
    size_t seen = std::min<uint64_t>(tokens, own - std::min(own, first_block * kBlock));
    const size_t bytes = seen * sizeof(float);
    sums.max[q] = kNone;
    sums.total[q] = 0;
    if (seen > 0) set.max(bytes, p, sums.max + q, nullptr);
    if (sums.max[q] == kNone) {
      seen = 0;
    } else {
      set.exp_minus_max(bytes, p, sums.max + q, p, sums.total + q, nullptr);
    }
    std::fill_n(p + seen, whole_blocks - seen, 0.0f);
  }
  page_kind.WeighValues({pages.of, whole_blocks / kBlock}, next.of, scores, kSegment, n, sums.sum);
}

// Adds query q of `part` to query q of `all`, in the order of the segments.
void AddSegment(const KernelSet& set, const Sums& part, size_t dim, size_t q, const Sums& all,
                size_t to) {
  if (part.max[q] == kNone) return;
  float all_factor = 1.0f, part_factor = 1.0f;
  if (all.max[to] == kNone) {
    all_factor = 0.0f;
    all.max[to] = part.max[q];
  } else {
    float& max = all.max[to];
    float unused;
    if (part.max[q] > max) {
      set.exp_minus_max(sizeof(float), &max, part.max + q, &all_factor, &unused, nullptr);
      max = part.max[q];
    } else {
      set.exp_minus_max(sizeof(float), part.max + q, &max, &part_factor, &unused, nullptr);
    }
  }
  all.total[to] = all.total[to] * all_factor + part.total[q] * part_factor;
  set.loops->blend(all.sum + to * dim, all_factor, part.sum + q * dim, part_factor, dim);
}

// What the sum is multiplied by: one over all weights, with that of a logit without value.
float ShareOfSum(const KernelSet& set, float max, float total, const float* sink_logit) {
  if (sink_logit == nullptr) return 1.0f / total;
  float exponents[2 + kOverRead / sizeof(float)] = {max, *sink_logit};
  const float largest = std::max(max, *sink_logit);
  float unused;
  set.exp_minus_max(2 * sizeof(float), exponents, &largest, exponents, &unused, nullptr);
  return exponents[0] / (total * exponents[0] + exponents[1]);
}

// The end of the softmax, for query q of `all`, which is query head g of row `row`.
void StoreOutput(const AttentionCall& call, size_t kv_head, size_t row, size_t g, const Sums& all,
                 size_t q) {
  const size_t dim = call.v_head_dim;
  const size_t heads = call.n_kv_heads * call.q_per_kv;
  const size_t head = kv_head * call.q_per_kv + g;
  const float* sink_logit = call.sink_logits != nullptr ? call.sink_logits + head : nullptr;
  const float share = ShareOfSum(*call.set, all.max[q], all.total[q], sink_logit);
  float* out = call.out + (row * heads + head) * dim;
  call.set->loops->scale(all.sum + q * dim, share, dim, out);
  const KvPage& page_kind = call.kv->layout().page(call.entry);
  if (page_kind.rotates_values()) page_kind.Rotate(out, dim);
}

}  // namespace

void Attend(const AttentionCall& call, size_t kv_head, size_t begin, size_t count,
            uint8_t* scratch) {
  const size_t dim = call.v_head_dim;
  const size_t n = count * call.q_per_kv;
  const Scratch s(call, scratch);
  PrepareRows(call, kv_head, begin, count, s.rotated, s.queries);
  const Sums part(s.segment, n, dim);
  const Sums all(s.all, n, dim);
  all.Clear(n, dim);
  const AttentionSegments segments(call, begin, count);
  SegmentPages pages = PagesOf(call, kv_head, begin, count, segments[0]);
  for (size_t i = 0; i < segments.count(); ++i) {
    SegmentPages next;
    if (i + 1 < segments.count()) next = PagesOf(call, kv_head, begin, count, segments[i + 1]);
    SumSegment(call, kv_head, begin, count, segments[i], pages, next, s.queries, s.p, part);
    pages = next;
    for (size_t q = 0; q < n; ++q) AddSegment(*call.set, part, dim, q, all, q);
  }
  for (size_t q = 0; q < n; ++q) {
    StoreOutput(call, kv_head, begin + q / call.q_per_kv, q % call.q_per_kv, all, q);
  }
}

namespace {
Queries SharedQueries(const AttentionCall& call, const uint8_t* memory) {
  Cutter cutter{reinterpret_cast<uintptr_t>(memory)};
  return {call.rows * call.q_per_kv, call.head_dim, &cutter};
}
}  // namespace

size_t AttentionQueryBytes(size_t q_per_kv, size_t head_dim, size_t rows) {
  Cutter cutter{0};
  const Queries queries(std::min(rows, kAttentionTileRows) * q_per_kv, head_dim, &cutter);
  return cutter.bytes;
}

void PrepareQueries(const AttentionCall& call, size_t kv_head, uint8_t* queries, uint8_t* scratch) {
  PrepareRows(call, kv_head, 0, call.rows, reinterpret_cast<float*>(scratch),
              SharedQueries(call, queries));
}

void AttendSegment(const AttentionCall& call, size_t kv_head, uint64_t segment,
                   const uint8_t* queries, uint8_t* scratch, float* part) {
  // Whose turn it is then, as a rule.
  const bool last_head = kv_head + 1 == call.n_kv_heads;
  const SegmentPages next =
      PagesOf(call, last_head ? 0 : kv_head + 1, 0, call.rows, last_head ? segment + 1 : segment);
  SumSegment(call, kv_head, 0, call.rows, segment, PagesOf(call, kv_head, 0, call.rows, segment),
             next, SharedQueries(call, queries), Scratch(call, scratch).p,
             Sums(part, call.rows * call.q_per_kv, call.v_head_dim));
}

void MergeSegments(const AttentionCall& call, size_t row, float* parts, size_t segments,
                   uint8_t* scratch) {
  const size_t dim = call.v_head_dim;
  const size_t stride = AttentionPartFloats(call.q_per_kv, dim, call.rows);
  const Sums all(Scratch(call, scratch).all, 1, dim);
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
