// Linear attention by the gated delta rule as a sublayer (Qwen3.5).
#include <cmath>

#include "runtime/base/portable_math.h"
#include "runtime/decoder/recurrent.h"

namespace rondo {

namespace {

constexpr float kEpsilon = 1e-6f;  // of a head's length

// q and k to length 1, q by the square root of its size besides; b and a to the gates that they
// stand for: the share of a new value, and what is left of the state.
void Prepare(const KernelSet& set, const RecurrentRow& row, float* convolved) {
  const RecurrentSpec& spec = row.spec;
  const float q_scale = 1.0f / std::sqrt(static_cast<float>(spec.group_dim));
  for (size_t i = 0; i < 2 * spec.n_groups; ++i) {
    float* head = convolved + i * spec.group_dim;
    const float length = std::sqrt(set.loops->sum_of_squares(head, spec.group_dim) + kEpsilon);
    set.loops->scale(head, (i < spec.n_groups ? q_scale : 1.0f) / length, spec.group_dim, head);
  }
  float* beta = row.gates;
  float* decay = row.gates + spec.n_heads;
  for (size_t h = 0; h < spec.n_heads; ++h) {
    beta[h] = static_cast<float>(spec.beta_scale / (1.0 + PortableExp(-double{beta[h]})));
    const float step = static_cast<float>(Softplus(decay[h] + row.weights.dt_bias[h]));
    decay[h] = static_cast<float>(PortableExp(-double{row.weights.decay[h]} * step));
  }
}

}  // namespace

void RunGatedDeltaNet(const Pass& pass, size_t sublayer) {
  const Recurrence recurrence(pass, sublayer);
  const RecurrentSpec& spec = recurrence.spec();
  const size_t per_group = spec.n_heads / spec.n_groups;
  recurrence.Project();
  recurrence.ForRows(
      [&](size_t r, float* convolved) { Prepare(pass.set(), recurrence.row(r), convolved); });
  recurrence.ForStates([&](size_t r, size_t head, size_t column, float* state) {
    const RecurrentRow row = recurrence.row(r);
    const float* q = row.convolved + head / per_group * spec.group_dim;
    const float* k = q + spec.group_size();
    const float* v = row.convolved + 2 * spec.group_size();
    RunColumns(spec, head, column, v, row.mixed, [&](const float* values, float* out) {
      pass.set().loops->delta_step(state, q, k, spec.group_dim, row.gates[spec.n_heads + head],
                                   row.gates[head], values, out);
    });
  });
  recurrence.Finish();
}

}  // namespace rondo
