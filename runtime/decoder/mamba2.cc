// State space duality as a sublayer (Mamba2).
#include "runtime/base/portable_math.h"
#include "runtime/decoder/recurrent.h"

namespace rondo {

namespace {

RecurrentSpec SpecOf(const format::Mamba2& mamba) {
  RecurrentSpec spec;
  spec.n_heads = mamba.n_heads();
  spec.head_dim = mamba.head_dim();
  spec.n_groups = mamba.n_groups();
  spec.group_dim = mamba.state_size();
  spec.taps = mamba.taps();
  spec.gate_first = true;
  spec.gate_after_norm = mamba.gate_after_norm();
  return spec;
}

class Mamba2 final : public RecurrentOperator {
 public:
  explicit Mamba2(const OperatorSite& site)
      : RecurrentOperator(SpecOf(*site.sublayer.op_as_Mamba2())),
        dt_min_(site.sublayer.op_as_Mamba2()->dt_min()),
        dt_max_(site.sublayer.op_as_Mamba2()->dt_max()) {}

  Status ReadVectors(const format::Sublayer& sublayer, VectorReader& vectors) override {
    const format::Mamba2& mamba = *sublayer.op_as_Mamba2();
    RONDO_ASSIGN(skip_, vectors.Read(mamba.skip()));
    return vectors_.Read(mamba, spec_, vectors);
  }

  void Run(const Pass& pass, const Sublayer& sublayer) const override {
    const Recurrence recurrence(pass, sublayer, spec_, vectors_);
    const size_t per_group = spec_.n_heads / spec_.n_groups;
    recurrence.Project();
    recurrence.ForRows([&](size_t r, float*) { Prepare(recurrence.row(r).gates); });
    recurrence.ForStates([&](size_t r, size_t head, size_t column, float* state) {
      const RecurrentRow row = recurrence.row(r);
      const float* b = row.convolved + spec_.inner_size() + head / per_group * spec_.group_dim;
      const float* c = b + spec_.group_size();
      const float step = row.gates[head];
      const float skip = skip_[head];
      RunColumns(spec_, head, column, row.convolved, row.mixed, [&](const float* x, float* out) {
        std::array<float, kStateColumns> in;
        for (size_t i = 0; i < in.size(); ++i) in[i] = step * x[i];
        pass.set().loops->scan_step(state, b, c, spec_.group_dim, row.gates[spec_.n_heads + head],
                                    in.data(), out);
        for (size_t i = 0; i < in.size(); ++i) out[i] += skip * x[i];
      });
    });
    recurrence.Finish();
  }

 private:
  // Behind the steps, what they leave of a state.
  void Prepare(float* gates) const {
    float* step = gates;
    float* decay = gates + spec_.n_heads;
    for (size_t h = 0; h < spec_.n_heads; ++h) {
      step[h] = std::max(static_cast<float>(Softplus(step[h] + vectors_.dt_bias[h])), dt_min_);
      if (dt_max_ > 0) step[h] = std::min(step[h], dt_max_);
      decay[h] = static_cast<float>(PortableExp(-double{vectors_.decay[h]} * step[h]));
    }
  }

  const float dt_min_;
  const float dt_max_;           // 0: no limit
  const float* skip_ = nullptr;  // [n_heads], in the file
};

}  // namespace

const OperatorType kMamba2Type = {"mamba2", InputKind::kState, CreateOperator<Mamba2>};

}  // namespace rondo
