// Latent attention as a sublayer: all heads read one cached vector of each position. What makes
// keys of it is applied to queries instead, and what makes values of it to the heads' sums.
#include <cstring>

#include "runtime/decoder/attention_rounds.h"
#include "runtime/decoder/pass.h"

namespace rondo {

namespace {

// The rows of one head in up_input.
InputRows HeadRows(const Pass& pass, size_t head) {
  return pass.act().up_input.Below(head * pass.rows());
}

AttentionCall Call(const Pass& pass, const SublayerSpec& sublayer) {
  const LatentAttentionSpec& spec = sublayer.latent_attention;
  const RopeRows rope(pass, spec.rope);
  return {
      .set = &pass.set(),
      .kv = nullptr,
      .entry = sublayer.kv_entry,
      .n_kv_heads = spec.tasks(),
      .q_per_kv = spec.heads_per_task(),
      .head_dim = spec.key_dim(),
      .v_head_dim = spec.latent_dim,
      .score_scale = spec.score_scale,
      .soft_cap = 0,
      .qkv = pass.act().qkv,
      .qkv_stride = spec.qkv_size(),
      .rope = rope.table,
      .rope_dim = rope.dim,
      .sink_rope = rope.sink_table,
      .position = 0,
      .rows = 0,
      .out = pass.act().mixed,
      .heads_per_page = spec.tasks(),
      .query_scale = spec.query_scale.factor != 0 ? &spec.query_scale : nullptr,
  };
}

void MakeQueries(const Pass& pass, const LatentAttentionSpec& spec,
                 const LatentAttentionWeights& weights) {
  Activations& act = pass.act();
  if (!weights.has_q_down) {
    pass.Linear(weights.q_proj, act.mixer_input, pass.rows(), Pass::Into::kReplace, act.latent_q,
                spec.q_size());
    return;
  }
  const size_t rank = weights.q_down.shape.n;
  pass.Linear(weights.q_down, act.mixer_input, pass.rows(), Pass::Into::kReplace, act.low_q, rank);
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* row = act.low_q + r * rank;
    Normalize(pass.set(), weights.q_norm, row, rank, row);
    pass.RowInput(weights.q_proj, row, r, act.low_q_input);
  });
  pass.Linear(weights.q_proj, act.low_q_input, pass.rows(), Pass::Into::kReplace, act.latent_q,
              spec.q_size());
}

// The key and the value of a row, and of each head's query the part that turns; the other part
// becomes the input of key_up.
void PlaceRow(const Pass& pass, const LatentAttentionSpec& spec,
              const LatentAttentionWeights& weights, size_t r) {
  const Activations& act = pass.act();
  const size_t latent = spec.latent_dim, rope_dim = spec.rope_dim;
  float* low = act.low_kv + r * (latent + rope_dim);
  Normalize(pass.set(), weights.latent_norm, low, latent, low);
  const float* q = act.latent_q + r * spec.q_size();
  const float* q_turned = q + spec.n_heads * spec.nope_dim;
  float* to = act.qkv + r * spec.qkv_size();
  for (size_t head = 0; head < spec.n_heads; ++head, to += spec.key_dim()) {
    std::memcpy(to, q_turned + head * rope_dim, rope_dim * sizeof(float));
    pass.RowInput(weights.key_up[head], q + head * spec.nope_dim, r, HeadRows(pass, head));
  }
  std::memcpy(to, low + latent, rope_dim * sizeof(float));
  std::memcpy(to + rope_dim, low, latent * sizeof(float));
  std::memcpy(to + spec.key_dim(), low, latent * sizeof(float));
}

}  // namespace

void LatentAttentionInput(const Pass& pass, size_t sublayer) {
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  pass.NormInput(weights.latent_attention.kv_down, weights.norm, pass.act().hidden, pass.rows(),
                 pass.act().mixer_input);
}

void RunLatentAttention(const Pass& pass, size_t sublayer) {
  const SublayerSpec& spec = pass.spec().sublayers[sublayer];
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  const LatentAttentionSpec& attention = spec.latent_attention;
  const LatentAttentionWeights& w = weights.latent_attention;
  Activations& act = pass.act();
  MakeQueries(pass, attention, w);
  pass.Linear(w.kv_down, act.mixer_input, pass.rows(), Pass::Into::kReplace, act.low_kv,
              attention.latent_dim + attention.rope_dim);
  pass.pool().For(pass.rows(), [&](size_t r, size_t) { PlaceRow(pass, attention, w, r); });
  pass.Linears({w.key_up, act.up_input, pass.rows(), act.qkv + attention.rope_dim,
                attention.key_dim(), attention.qkv_size()},
               pass.rows());

  AttendSequences(pass, Call(pass, spec), true);

  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    const float* sums = act.mixed + r * attention.mixed_size();
    for (size_t head = 0; head < attention.n_heads; ++head) {
      pass.RowInput(w.value_up[head], sums + head * attention.latent_dim, r, HeadRows(pass, head));
    }
  });
  float* out = act.qkv;  // which has served
  pass.Linears(
      {w.value_up, act.up_input, pass.rows(), out, attention.v_head_dim, attention.out_size()},
      pass.rows());
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    pass.RowInput(w.o_proj, out + r * attention.out_size(), r, act.o_input);
  });
  pass.AddToResidual(spec, weights, w.o_proj, act.o_input);
}

}  // namespace rondo
