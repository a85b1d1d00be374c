// A mixture of experts as a sublayer: one expert after another, each on the rows that chose it, and
// a shared one on all of them.
#include <algorithm>
#include <cstring>

#include "runtime/decoder/pass.h"
#include "runtime/decoder/routing.h"

namespace rondo {

namespace {

const RowNorm& Or(const RowNorm& own, const RowNorm& sublayers) {
  return own.kind != NormKind::kNone ? own : sublayers;
}

// The rows that chose an expert, as it reads them.
void GatherRows(const Pass& pass, const ExpertsSpec& experts, const PackedLinear& gate_up_proj,
                const uint32_t* chosen, size_t n) {
  const Activations& act = pass.act();
  const InputRows& in = act.expert_input;
  const bool is_float = gate_up_proj.shape.format == WeightFormat::kF32;
  for (size_t i = 0; i < n; ++i) {
    const size_t row = chosen[i] / experts.n_used;
    const float weight = experts.weigh_input ? act.routes[chosen[i]].weight : 1.0f;
    uint8_t* to = in.rows + i * in.stride;
    std::memcpy(to, act.gate_up_input.rows + row * in.stride, in.stride);
    in.quant[i] = act.gate_up_input.quant[row];
    if (weight == 1) continue;
    if (is_float) {
      float* values = reinterpret_cast<float*>(to);
      pass.set().loops->scale(values, weight, gate_up_proj.inputs, values);
    } else {
      in.quant[i].scale *= weight;  // the same integers stand for the weighted values
    }
  }
}

// sublayer_out += what all experts make of the rows that chose them. A row's sum is in the order of
// its experts.
void AddExperts(const Pass& pass, const SublayerSpec& spec, const ExpertsWeights& weights) {
  const ExpertsSpec& experts = spec.experts;
  const size_t hidden = pass.spec().hidden_size;
  const Activations& act = pass.act();
  GroupByExpert(act.routes, pass.rows() * experts.n_used, experts.n_experts, act.begin, act.order);
  for (size_t e = 0; e < experts.n_experts; ++e) {
    const uint32_t* chosen = act.order + act.begin[e];
    const size_t n = act.begin[e + 1] - act.begin[e];
    if (n == 0) continue;
    const MlpWeights& expert = weights.experts[e];
    GatherRows(pass, experts, expert.gate_up_proj, chosen, n);
    pass.Linear(expert.gate_up_proj, act.expert_input, n, Pass::Into::kReplace, act.gate_up,
                spec.mlp.gate_up_size());
    ActivateMlp(pass, spec.mlp, expert, n);
    pass.Linear(expert.down_proj, act.down_input, n, Pass::Into::kReplace, act.expert_out, hidden);
    pass.pool().For(n, [&](size_t i, size_t) {
      const float weight = experts.weigh_input ? 1.0f : act.routes[chosen[i]].weight;
      pass.set().loops->blend(act.sublayer_out + chosen[i] / experts.n_used * hidden, 1.0f,
                              act.expert_out + i * hidden, weight, hidden);
    });
  }
}

// sublayer_out = its post-norm, if there is one, and what the shared expert makes added.
void AddSharedExpert(const Pass& pass, const SublayerSpec& spec, const ExpertsWeights& weights) {
  const MlpSpec& shared = spec.experts.shared;
  const size_t hidden = pass.spec().hidden_size;
  const Activations& act = pass.act();
  const InputRows& in = spec.experts.shared_norm ? act.shared_input : act.gate_up_input;
  pass.Linear(weights.shared.gate_up_proj, in, pass.rows(), Pass::Into::kReplace, act.gate_up,
              shared.gate_up_size());
  ActivateMlp(pass, shared, weights.shared, pass.rows());
  pass.Linear(weights.shared.down_proj, act.down_input, pass.rows(), Pass::Into::kReplace,
              act.expert_out, hidden);
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* out = act.expert_out + r * hidden;
    float gate = 1;
    if (spec.experts.shared_gate) {
      gate = act.scores[r * spec.experts.score_floats() + spec.experts.n_experts];
    }
    Normalize(pass.set(), weights.shared_post_norm, out, hidden, out);
    pass.set().loops->blend(act.sublayer_out + r * hidden, 1.0f, out, gate, hidden);
  });
}

}  // namespace

void ExpertsInput(const Pass& pass, size_t sublayer) {
  const SublayerSpec& spec = pass.spec().sublayers[sublayer];
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  const ExpertsWeights& experts = weights.experts;
  Activations& act = pass.act();
  pass.NormInput(experts.router, Or(experts.router_norm, weights.norm), act.hidden, pass.rows(),
                 act.router_input);
  pass.NormInput(experts.experts[0].gate_up_proj, weights.norm, act.hidden, pass.rows(),
                 act.gate_up_input);
  if (!spec.experts.shared_norm) return;
  pass.NormInput(experts.shared.gate_up_proj, experts.shared_norm, act.hidden, pass.rows(),
                 act.shared_input);
}

void RunExperts(const Pass& pass, size_t sublayer) {
  const SublayerSpec& spec = pass.spec().sublayers[sublayer];
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  const ExpertsSpec& experts = spec.experts;
  const size_t hidden = pass.spec().hidden_size;
  const size_t score_floats = experts.score_floats();
  Activations& act = pass.act();
  pass.Linear(weights.experts.router, act.router_input, pass.rows(), Pass::Into::kReplace,
              act.scores, score_floats);
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* scores = act.scores + r * score_floats;
    RouteRow(pass.set(), experts, weights.experts.choice_bias, weights.experts.weight_scales,
             scores, act.routes + r * experts.n_used);
    if (experts.shared_gate) {
      float* gate = scores + experts.n_experts;
      pass.set().sigmoid(sizeof(float), gate, gate, nullptr);
    }
    std::fill_n(act.sublayer_out + r * hidden, hidden, 0.0f);
  });
  AddExperts(pass, spec, weights.experts);
  if (weights.experts.experts_post_norm.kind != NormKind::kNone) {
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      float* out = act.sublayer_out + r * hidden;
      Normalize(pass.set(), weights.experts.experts_post_norm, out, hidden, out);
    });
  }
  if (experts.shared.intermediate_size > 0) AddSharedExpert(pass, spec, weights.experts);
  pass.AddSublayerOut(spec, weights);
}

}  // namespace rondo
