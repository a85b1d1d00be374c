// Attention as a sublayer: project, rotate, store, attend, project back.
#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/base/checked.h"
#include "runtime/decoder/attention.h"
#include "runtime/decoder/pass.h"

namespace rondo {

namespace {

bool Has(const RowNorm& norm) { return norm.kind != NormKind::kNone; }

// What some models do to q, k and v before RoPE.
void NormalizeHeads(const Pass& pass, const AttentionSpec& spec, const AttentionWeights& weights) {
  const bool q_and_k = !spec.norms_after_rope && (Has(weights.q_norm) || Has(weights.k_norm));
  if (!q_and_k && !Has(weights.v_norm) && spec.qkv_clip == 0) return;
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* q = pass.act().qkv + r * spec.qkv_size();
    float* k = q + spec.q_size();
    float* v = k + spec.k_size();
    if (q_and_k) {
      Normalize(pass.set(), weights.q_norm, q, spec.q_size(), q);
      if (!spec.shares_kv) Normalize(pass.set(), weights.k_norm, k, spec.k_size(), k);
    }
    if (Has(weights.v_norm)) Normalize(pass.set(), weights.v_norm, v, spec.v_size(), v);
    if (spec.qkv_clip > 0) {
      pass.set().loops->clamp(q, -spec.qkv_clip, spec.qkv_clip, spec.gate_begin(), q);
    }
  });
}

// What becomes of a row of the heads' outputs before o_proj; `gate` is its part of qkv, and
// scratch.
void FinishHeads(const Pass& pass, const AttentionSpec& spec, const AttentionWeights& weights,
                 float* gate, float* out) {
  const size_t n = spec.gate_size();
  if (spec.gate == format::GateKind::kSigmoid) {
    pass.set().sigmoid(n * sizeof(float), gate, gate, nullptr);
  } else if (spec.gate == format::GateKind::kSoftplus) {
    for (size_t i = 0; i < n; ++i) {
      gate[i] = std::max(gate[i], 0.0f) + std::log1p(std::exp(-std::abs(gate[i])));
    }
  }
  if (n == spec.out_size()) {
    pass.set().multiply(n * sizeof(float), out, gate, out, nullptr);
  } else {
    for (size_t head = 0; head < n; ++head) {
      float* its = out + head * spec.v_head_dim;
      pass.set().loops->scale(its, gate[head], spec.v_head_dim, its);
    }
  }
  if (Has(weights.output_norm)) {
    Normalize(pass.set(), weights.output_norm, out, spec.out_size(), out);
  }
}

// A sequence's attention, and how it is shared between threads: KV heads, then tiles of rows where
// there are many rows, or segments of the context where it is long.
struct SequenceAttention {
  AttentionCall call;
  size_t tiles;       // tasks of each KV head; 0: by segments
  size_t segments;    // of a sequence of few rows
  uint8_t* queries;   // of its segments, for each KV head
  float* parts;       // of its segments
  size_t first_task;  // of the pass's
};

// Sequences that are attended together: with more, the work goes in several rounds.
constexpr size_t kSequencesPerRound = 64;

AttentionCall Call(const Pass& pass, const SublayerSpec& sublayer, const AttentionWeights& weights,
                   const SequenceRows& sequence, size_t first_row) {
  const AttentionSpec& spec = sublayer.attention;
  const Activations& act = pass.act();
  const auto after_rope = [&](const RowNorm& norm) {
    return spec.norms_after_rope && Has(norm) ? &norm : nullptr;
  };
  size_t rope_offset = 0;
  for (int i = 0; i < spec.rope; ++i) rope_offset += pass.max_rows() * pass.spec().ropes[i].dim;
  const size_t rope_dim = spec.rope >= 0 ? pass.spec().ropes[spec.rope].dim : 0;
  rope_offset += first_row * rope_dim;
  return {
      .set = &pass.set(),
      .kv = sequence.kv,
      .entry = sublayer.kv_entry,
      .n_kv_heads = spec.n_kv_heads,
      .q_per_kv = spec.q_per_kv(),
      .head_dim = spec.head_dim,
      .v_head_dim = spec.v_head_dim,
      .score_scale = spec.score_scale,
      .soft_cap = spec.soft_cap,
      .qkv = act.qkv + first_row * spec.qkv_size(),
      .qkv_stride = spec.qkv_size(),
      .rope = rope_dim > 0 ? act.rope + rope_offset : nullptr,
      .rope_dim = rope_dim,
      .sink_rope = rope_dim > 0 && act.sink_rope != nullptr ? act.sink_rope + rope_offset : nullptr,
      .position = sequence.position,
      .rows = sequence.tokens.size(),
      .out = act.mixed + first_row * spec.out_size(),
      .q_norm = after_rope(weights.q_norm),
      .k_norm = after_rope(weights.k_norm),
      .query_scale = spec.query_scale.factor != 0 ? &spec.query_scale : nullptr,
      .alibi_slopes = spec.alibi_slopes,
      .sink_logits = weights.sink_logits,
  };
}

void AttendTile(const Pass& pass, const AttentionCall& call, size_t head, size_t tile,
                size_t thread) {
  const size_t begin = tile * kAttentionTileRows;
  Attend(call, head, begin, std::min(kAttentionTileRows, call.rows - begin), pass.Scratch(thread));
}

size_t QueryBytes(const AttentionCall& call) {
  return AttentionQueryBytes(call.q_per_kv, call.head_dim, call.rows);
}

size_t PartFloats(const AttentionCall& call) {
  return AttentionPartFloats(call.q_per_kv, call.v_head_dim, call.rows);
}

// The keys and values of all sequences, then what their rows see of them.
void AttendRound(const Pass& pass, const AttentionSpec& spec, std::span<SequenceAttention> round) {
  const ProfileSpan span(pass.profile(), "attend", pass.rows());
  const size_t heads = spec.n_kv_heads;
  size_t tasks = 0, query_bytes = 0, part_floats = 0, blocks = 1;
  bool one_task_per_head = true;  // then no task waits for another's keys: one barrier less
  for (SequenceAttention& sequence : round) {
    const AttentionCall& call = sequence.call;
    sequence.tiles = CeilDiv(call.rows, kAttentionTileRows);
    sequence.segments = 0;
    if (sequence.tiles == 1) {
      const size_t segments = AttentionSegments(call, 0, call.rows).count();
      const size_t bytes = heads * QueryBytes(call);
      const size_t floats = segments * heads * PartFloats(call);
      if (segments > 1 && query_bytes + bytes <= pass.act().query_bytes() &&
          part_floats + floats <= pass.act().part_floats()) {
        sequence.segments = segments;
        sequence.queries = pass.act().queries + query_bytes;
        sequence.parts = pass.act().parts + part_floats;
        query_bytes += bytes;
        part_floats += floats;
      }
    }
    blocks = std::max(blocks, StoredBlocks(call));
    sequence.first_task = tasks;
    const size_t per_head = sequence.segments > 0 ? sequence.segments : sequence.tiles;
    one_task_per_head = one_task_per_head && per_head == 1;
    tasks += heads * per_head;
  }
  const auto store = [&](size_t i, size_t thread) {  // a block of a head of a sequence
    const SequenceAttention& sequence = round[i / blocks / heads];
    const AttentionCall& call = sequence.call;
    const size_t head = i / blocks % heads, block = i % blocks;
    const size_t stored = spec.shares_kv ? 0 : StoredBlocks(call);
    if (block < stored) StoreKeysAndValues(call, head, block, pass.Scratch(thread));
    if (block > 0 || sequence.segments == 0) return;
    PrepareQueries(call, head, sequence.queries + head * QueryBytes(call), pass.Scratch(thread));
  };
  if (one_task_per_head) {
    pass.pool().For(tasks, [&](size_t i, size_t thread) {
      for (size_t block = 0; block < blocks; ++block) store(i * blocks + block, thread);
      AttendTile(pass, round[i / heads].call, i % heads, 0, thread);
    });
    return;
  }
  pass.pool().For(round.size() * heads * blocks, store);
  pass.pool().For(tasks, [&](size_t task, size_t thread) {
    const auto after = std::upper_bound(
        round.begin(), round.end(), task,
        [](size_t t, const SequenceAttention& sequence) { return t < sequence.first_task; });
    const SequenceAttention& sequence = *(after - 1);
    const AttentionCall& call = sequence.call;
    const size_t i = task - sequence.first_task;
    if (sequence.segments == 0) {
      AttendTile(pass, call, i / sequence.tiles, i % sequence.tiles, thread);
      return;
    }
    const AttentionSegments segments(call, 0, call.rows);
    const size_t head = i % heads;
    AttendSegment(call, head, segments[i / heads], sequence.queries + head * QueryBytes(call),
                  pass.Scratch(thread), sequence.parts + i * PartFloats(call));
  });
  if (part_floats == 0) return;
  pass.pool().For(round.size() * kAttentionTileRows, [&](size_t i, size_t thread) {
    const SequenceAttention& sequence = round[i / kAttentionTileRows];
    const size_t row = i % kAttentionTileRows;
    if (sequence.segments == 0 || row >= sequence.call.rows) return;
    MergeSegments(sequence.call, row, sequence.parts, sequence.segments, pass.Scratch(thread));
  });
}

}  // namespace

void AttentionInput(const Pass& pass, size_t sublayer) {
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  pass.NormInput(weights.attention.qkv_proj, weights.norm, pass.act().hidden, pass.rows(),
                 pass.act().mixer_input);
}

void RunAttention(const Pass& pass, size_t sublayer) {
  const SublayerSpec& spec = pass.spec().sublayers[sublayer];
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  const AttentionSpec& attention = spec.attention;
  Activations& act = pass.act();
  pass.Linear(weights.attention.qkv_proj, act.mixer_input, pass.rows(), Pass::Into::kReplace,
              act.qkv, attention.qkv_size());
  NormalizeHeads(pass, attention, weights.attention);

  std::array<SequenceAttention, kSequencesPerRound> round;
  size_t n = 0, row = 0;
  for (const SequenceRows& sequence : pass.sequences()) {
    round[n++] = {Call(pass, spec, weights.attention, sequence, row), 0, 0, nullptr, nullptr, 0};
    row += sequence.tokens.size();
    if (n < round.size() && row < pass.rows()) continue;
    AttendRound(pass, attention, {round.data(), n});
    n = 0;
  }

  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* out = act.mixed + r * attention.out_size();
    FinishHeads(pass, attention, weights.attention,
                act.qkv + r * attention.qkv_size() + attention.gate_begin(), out);
    pass.RowInput(weights.attention.o_proj, out, r, act.o_input);
  });
  pass.AddToResidual(spec, weights, weights.attention.o_proj, act.o_input);
}

}  // namespace rondo
