// Attention as a sublayer: project, rotate, store, attend, project back.
#include <algorithm>

#include "runtime/base/portable_math.h"
#include "runtime/decoder/attention_rounds.h"
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
    for (size_t i = 0; i < n; ++i) gate[i] = static_cast<float>(Softplus(gate[i]));
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

AttentionCall Call(const Pass& pass, const SublayerSpec& sublayer,
                   const AttentionWeights& weights) {
  const AttentionSpec& spec = sublayer.attention;
  const RopeRows rope(pass, spec.rope);
  const auto after_rope = [&](const RowNorm& norm) {
    return spec.norms_after_rope && Has(norm) ? &norm : nullptr;
  };
  return {
      .set = &pass.set(),
      .kv = nullptr,
      .entry = sublayer.kv_entry,
      .n_kv_heads = spec.n_kv_heads,
      .q_per_kv = spec.q_per_kv(),
      .head_dim = spec.head_dim,
      .v_head_dim = spec.v_head_dim,
      .score_scale = spec.score_scale,
      .soft_cap = spec.soft_cap,
      .qkv = pass.act().qkv,
      .qkv_stride = spec.qkv_size(),
      .rope = rope.table,
      .rope_dim = rope.dim,
      .sink_rope = rope.sink_table,
      .position = 0,
      .rows = 0,
      .out = pass.act().mixed,
      .q_norm = after_rope(weights.q_norm),
      .k_norm = after_rope(weights.k_norm),
      .query_scale = spec.query_scale.factor != 0 ? &spec.query_scale : nullptr,
      .alibi_slopes = spec.alibi_slopes,
      .sink_logits = weights.sink_logits,
  };
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

  AttendSequences(pass, Call(pass, spec, weights.attention), !attention.shares_kv);
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* out = act.mixed + r * attention.out_size();
    FinishHeads(pass, attention, weights.attention,
                act.qkv + r * attention.qkv_size() + attention.gate_begin(), out);
    pass.RowInput(weights.attention.o_proj, out, r, act.o_input);
  });
  pass.AddToResidual(spec, weights, weights.attention.o_proj, act.o_input);
}

}  // namespace rondo
