// The MLP as a sublayer: down_proj(activation(gate) * up), or without a gate.
#include <cmath>

#include "runtime/decoder/pass.h"

namespace rondo {

void MlpInput(const Pass& pass, size_t sublayer) {
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  pass.NormInput(weights.mlp.gate_up_proj, weights.norm, pass.act().hidden, pass.rows(),
                 pass.act().gate_up_input);
}

namespace {

// What is not so many standard deviations above a row's mean becomes 0, and what is, the rest.
void CutGate(const KernelSet& set, float deviations, size_t n, float* gate) {
  const auto count = static_cast<float>(n);
  set.loops->subtract(gate, set.loops->sum(gate, n) / count, n, gate);
  const float deviation = std::sqrt(set.loops->sum_of_squares(gate, n) / count);
  set.loops->subtract(gate, deviations * deviation, n, gate);
  set.loops->clamp(gate, 0.0f, INFINITY, n, gate);
}

}  // namespace

void RunMlp(const Pass& pass, size_t sublayer) {
  const SublayerSpec& spec = pass.spec().sublayers[sublayer];
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  Activations& act = pass.act();
  pass.Linear(weights.mlp.gate_up_proj, act.gate_up_input, pass.rows(), Pass::Into::kReplace,
              act.gate_up, spec.mlp.gate_up_size());
  ActivateMlp(pass, spec.mlp, weights.mlp, pass.rows());
  pass.AddToResidual(spec, weights, weights.mlp.down_proj, act.down_input);
}

void ActivateMlp(const Pass& pass, const MlpSpec& spec, const MlpWeights& weights, size_t rows) {
  const ProfileSpan span(pass.profile(), "activation", rows);
  const size_t size = spec.intermediate_size;
  Activations& act = pass.act();
  pass.pool().For(rows, [&](size_t r, size_t thread) {
    float* gate = act.gate_up + r * spec.gate_up_size();
    float* up = spec.gated ? gate + size : nullptr;
    float* scratch = pass.ScratchFloats(thread);
    if (spec.gated) {
      if (spec.limit > 0) {
        pass.set().loops->clamp(gate, -INFINITY, spec.limit, size, gate);
        pass.set().loops->clamp(up, -spec.limit, spec.limit, size, up);
      }
      if (spec.cuts_gate) CutGate(pass.set(), spec.gate_deviations, size, gate);
      if (spec.up_offset != 0) pass.set().loops->subtract(up, -spec.up_offset, size, up);
    }
    if (spec.activation == Activation::kXielu) {
      pass.set().loops->xielu(gate, weights.xielu, size, gate);
      if (spec.gated) pass.set().multiply(size * sizeof(float), gate, up, gate, nullptr);
    } else if (spec.gated) {
      ActivateGate(pass.set(), spec.activation, gate, up, size, scratch, gate);
    } else {
      Activate(pass.set(), spec.activation, gate, size, scratch, gate);
    }
    pass.RowInput(weights.down_proj, gate, r, act.down_input);
  });
}

}  // namespace rondo
