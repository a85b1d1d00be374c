// State space duality as a sublayer (Mamba2).
#include "runtime/base/portable_math.h"
#include "runtime/decoder/recurrent.h"

namespace rondo {

namespace {

// Behind the steps, what they leave of a state.
void Prepare(const RecurrentRow& row) {
  const RecurrentSpec& spec = row.spec;
  float* step = row.gates;
  float* decay = row.gates + spec.n_heads;
  for (size_t h = 0; h < spec.n_heads; ++h) {
    step[h] = std::max(static_cast<float>(Softplus(step[h] + row.weights.dt_bias[h])), spec.dt_min);
    if (spec.dt_max > 0) step[h] = std::min(step[h], spec.dt_max);
    decay[h] = static_cast<float>(PortableExp(-double{row.weights.decay[h]} * step[h]));
  }
}

}  // namespace

void RunMamba2(const Pass& pass, size_t sublayer) {
  const Recurrence recurrence(pass, sublayer);
  const RecurrentSpec& spec = recurrence.spec();
  const size_t per_group = spec.n_heads / spec.n_groups;
  recurrence.Project();
  recurrence.ForRows([&](size_t r, float*) { Prepare(recurrence.row(r)); });
  recurrence.ForStates([&](size_t r, size_t head, size_t column, float* state) {
    const RecurrentRow row = recurrence.row(r);
    const float* b = row.convolved + spec.inner_size() + head / per_group * spec.group_dim;
    const float* c = b + spec.group_size();
    const float step = row.gates[head];
    const float skip = row.weights.skip[head];
    RunColumns(spec, head, column, row.convolved, row.mixed, [&](const float* x, float* out) {
      std::array<float, kStateColumns> in;
      for (size_t i = 0; i < in.size(); ++i) in[i] = step * x[i];
      pass.set().loops->scan_step(state, b, c, spec.group_dim, row.gates[spec.n_heads + head],
                                  in.data(), out);
      for (size_t i = 0; i < in.size(); ++i) out[i] += skip * x[i];
    });
  });
  recurrence.Finish();
}

}  // namespace rondo
