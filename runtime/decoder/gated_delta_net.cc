// Linear attention by the gated delta rule as a sublayer (Qwen3.5).
#include <cmath>

#include "runtime/base/portable_math.h"
#include "runtime/decoder/recurrent.h"

namespace rondo {

namespace {

constexpr float kEpsilon = 1e-6f;  // of a head's length

RecurrentSpec SpecOf(const format::GatedDeltaNet& net) {
  RecurrentSpec spec;
  spec.n_heads = net.n_value_heads();
  spec.head_dim = net.value_head_dim();
  spec.n_groups = net.n_key_heads();
  spec.group_dim = net.key_head_dim();
  spec.taps = net.taps();
  spec.gate_after_norm = true;
  return spec;
}

class GatedDeltaNet final : public RecurrentOperator {
 public:
  explicit GatedDeltaNet(const OperatorSite& site)
      : RecurrentOperator(SpecOf(*site.sublayer.op_as_GatedDeltaNet())),
        beta_scale_(site.sublayer.op_as_GatedDeltaNet()->beta_scale()) {}

  Status ReadVectors(const format::Sublayer& sublayer, VectorReader& vectors) override {
    return vectors_.Read(*sublayer.op_as_GatedDeltaNet(), spec_, vectors);
  }

  void Run(const Pass& pass, const Sublayer& sublayer) const override {
    const Recurrence recurrence(pass, sublayer, spec_, vectors_);
    const size_t per_group = spec_.n_heads / spec_.n_groups;
    recurrence.Project();
    recurrence.ForRows([&](size_t r, float* convolved) {
      Prepare(pass.set(), convolved, recurrence.row(r).gates);
    });
    recurrence.ForStates([&](size_t r, size_t head, size_t column, float* state) {
      const RecurrentRow row = recurrence.row(r);
      const float* q = row.convolved + head / per_group * spec_.group_dim;
      const float* k = q + spec_.group_size();
      const float* v = row.convolved + 2 * spec_.group_size();
      RunColumns(spec_, head, column, v, row.mixed, [&](const float* values, float* out) {
        pass.set().loops->delta_step(state, q, k, spec_.group_dim, row.gates[spec_.n_heads + head],
                                     row.gates[head], values, out);
      });
    });
    recurrence.Finish();
  }

 private:
  // q and k to length 1, q by the square root of its size besides; b and a to the gates that they
  // stand for: the share of a new value, and what is left of the state.
  void Prepare(const KernelSet& set, float* convolved, float* gates) const {
    const float q_scale = 1.0f / std::sqrt(static_cast<float>(spec_.group_dim));
    for (size_t i = 0; i < 2 * spec_.n_groups; ++i) {
      float* head = convolved + i * spec_.group_dim;
      const float length = std::sqrt(set.loops->sum_of_squares(head, spec_.group_dim) + kEpsilon);
      set.loops->scale(head, (i < spec_.n_groups ? q_scale : 1.0f) / length, spec_.group_dim, head);
    }
    float* beta = gates;
    float* decay = gates + spec_.n_heads;
    for (size_t h = 0; h < spec_.n_heads; ++h) {
      beta[h] = static_cast<float>(beta_scale_ / (1.0 + PortableExp(-double{beta[h]})));
      const float step = static_cast<float>(Softplus(decay[h] + vectors_.dt_bias[h]));
      decay[h] = static_cast<float>(PortableExp(-double{vectors_.decay[h]} * step));
    }
  }

  const float beta_scale_;
};

}  // namespace

const OperatorType kGatedDeltaNetType = {"gated_delta_net", InputKind::kState,
                                         CreateOperator<GatedDeltaNet>};

}  // namespace rondo
