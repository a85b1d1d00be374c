// A mixture of experts as a sublayer: one expert after another, each on the rows that chose it.
#include <algorithm>
#include <cstring>

#include "runtime/decoder/pass.h"
#include "runtime/decoder/routing.h"

namespace rondo {

void ExpertsInput(const Pass& pass, size_t sublayer) {
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  Activations& act = pass.act();
  pass.NormInput(weights.experts.router, weights.norm, act.hidden, pass.rows(), act.router_input);
  pass.NormInput(weights.experts.experts[0].gate_up_proj, weights.norm, act.hidden, pass.rows(),
                 act.gate_up_input);
}

// A row's sum is in the order of its experts.
void RunExperts(const Pass& pass, size_t sublayer) {
  const SublayerSpec& spec = pass.spec().sublayers[sublayer];
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  const ExpertsSpec& experts = spec.experts;
  const size_t hidden = pass.spec().hidden_size;
  const size_t used = experts.n_used;
  const size_t rows = pass.rows();
  Activations& act = pass.act();
  pass.Linear(weights.experts.router, act.router_input, rows, Pass::Into::kReplace, act.scores,
              experts.n_experts);
  pass.pool().For(rows, [&](size_t r, size_t) {
    RouteRow(pass.set(), act.scores + r * experts.n_experts, experts.n_experts, used,
             experts.normalize, act.routes + r * used);
    std::fill_n(act.sublayer_out + r * hidden, hidden, 0.0f);
  });
  GroupByExpert(act.routes, rows * used, experts.n_experts, act.begin, act.order);

  for (size_t e = 0; e < experts.n_experts; ++e) {
    const uint32_t* chosen = act.order + act.begin[e];
    const size_t n = act.begin[e + 1] - act.begin[e];
    if (n == 0) continue;
    const InputRows& in = act.expert_input;
    for (size_t i = 0; i < n; ++i) {
      const size_t row = chosen[i] / used;
      std::memcpy(in.rows + i * in.stride, act.gate_up_input.rows + row * in.stride, in.stride);
      in.quant[i] = act.gate_up_input.quant[row];
    }
    const MlpWeights& expert = weights.experts.experts[e];
    pass.Linear(expert.gate_up_proj, in, n, Pass::Into::kReplace, act.gate_up,
                spec.mlp.gate_up_size());
    ActivateMlp(pass, spec.mlp, expert.down_proj, n);
    pass.Linear(expert.down_proj, act.down_input, n, Pass::Into::kReplace, act.expert_out, hidden);
    pass.pool().For(n, [&](size_t i, size_t) {
      pass.set().loops->blend(act.sublayer_out + chosen[i] / used * hidden, 1.0f,
                              act.expert_out + i * hidden, act.routes[chosen[i]].weight, hidden);
    });
  }
  pass.AddSublayerOut(spec, weights);
}

}  // namespace rondo
