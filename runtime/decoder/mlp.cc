// The MLP as a sublayer: down_proj(activation(gate) * up), or without a gate.
#include "runtime/decoder/mlp.h"

#include <array>
#include <cmath>

#include "runtime/base/portable_math.h"
#include "runtime/model/operators/mlp.h"
#include "runtime/weights/vectors.h"

namespace rondo {

namespace {

// What is not so many standard deviations above a row's mean becomes 0, and what is, the rest.
void CutGate(const KernelSet& set, float deviations, size_t n, float* gate) {
  const auto count = static_cast<float>(n);
  set.loops->subtract(gate, set.loops->sum(gate, n) / count, n, gate);
  const float deviation = std::sqrt(set.loops->sum_of_squares(gate, n) / count);
  set.loops->subtract(gate, deviations * deviation, n, gate);
  set.loops->clamp(gate, 0.0f, INFINITY, n, gate);
}

Result<XieluNumbers> ReadXielu(VectorReader& vectors, int32_t index) {
  if (index < 0) return XieluNumbers{};
  RONDO_ASSIGN(const float* numbers, vectors.Read(static_cast<uint32_t>(index)));
  const float beta = numbers[2];
  return XieluNumbers{.positive = static_cast<float>(Softplus(numbers[0])),
                      .negative = beta + static_cast<float>(Softplus(numbers[1])),
                      .beta = beta,
                      .epsilon = numbers[3]};
}

class Mlp final : public Operator {
 public:
  explicit Mlp(const OperatorSite& site) : spec_(*site.sublayer.op_as_Mlp()) {
    const format::GateCutoff* cutoff = site.sublayer.op_as_Mlp()->gate_cutoff();
    spec_.cuts_gate = cutoff != nullptr;
    if (spec_.cuts_gate) spec_.gate_deviations = cutoff->deviations();
  }

  Status ReadVectors(const format::Sublayer& sublayer, VectorReader& vectors) override {
    const format::Mlp& mlp = *sublayer.op_as_Mlp();
    RONDO_ASSIGN(vectors_.xielu, ReadXielu(vectors, mlp.xielu()));
    RONDO_ASSIGN(vectors_.inner_norm, ReadNorm(vectors, mlp.inner_norm(), spec_.intermediate_size));
    const std::span<Clip> clips = std::span(clips_).first(n_parts() + 1);
    RONDO_ASSIGN(has_clips_, ReadClips(vectors, mlp.clips(), clips));
    if (has_clips_) vectors_.down_input = &clips_[n_parts()].input;
    return Status();
  }

  void Widen(const Sublayer& sublayer, const ContextWindow& /*window*/,
             Activations* act) const override {
    act->gate_up_input.Widen(sublayer.matrix(MlpMatrix::kGateUp));
    act->gate_up.Widen(spec_.gate_up_size());
    act->down_input.Widen(sublayer.matrix(MlpMatrix::kDown));
  }

  CheckedSize ScratchBytes() const override { return RowScratch(spec_.intermediate_size); }

  // With clips gate and up have inputs of their own, made before each.
  void MakeInput(const Pass& pass, const Sublayer& sublayer) const override {
    if (has_clips_) return;
    pass.NormInput(sublayer.matrix(MlpMatrix::kGateUp), sublayer.weights.norm,
                   pass.act().gate_up_input);
  }

  void Run(const Pass& pass, const Sublayer& sublayer) const override {
    Activations& act = pass.act();
    const PackedLinear& down = sublayer.matrix(MlpMatrix::kDown);
    MakeGateUp(pass, sublayer);
    ActivateMlp(pass, spec_, vectors_, down, pass.rows());
    pass.AddToResidual(sublayer, down, act.down_input,
                       has_clips_ ? &clips_[n_parts()].output : nullptr);
  }

 private:
  size_t n_parts() const { return spec_.gated ? 2 : 1; }  // of the first product

  void MakeGateUp(const Pass& pass, const Sublayer& sublayer) const {
    const Activations& act = pass.act();
    const PackedLinear& gate_up = sublayer.matrix(MlpMatrix::kGateUp);
    const size_t size = spec_.intermediate_size, stride = spec_.gate_up_size();
    if (!has_clips_) {
      pass.Linear(gate_up, act.gate_up_input, pass.rows(), Pass::Into::kReplace, act.gate_up,
                  stride);
      return;
    }
    for (size_t part = 0; part < n_parts(); ++part) {
      pass.NormInput(gate_up, sublayer.weights.norm, act.gate_up_input, &clips_[part].input);
      pass.LinearPart(gate_up, act.gate_up_input, part * size, (part + 1) * size, act.gate_up,
                      stride, &clips_[part].output);
    }
  }

  MlpSpec spec_;
  MlpVectors vectors_;
  bool has_clips_ = false;
  std::array<Clip, 3> clips_ = {};  // of the parts, and of down
};

}  // namespace

const OperatorType kMlpType = {"mlp", InputKind::kMlp, CreateOperator<Mlp>};

void ActivateRow(const Pass& pass, const MlpSpec& spec, const MlpVectors& vectors,
                 const PackedLinear& down, size_t r, size_t thread) {
  const size_t size = spec.intermediate_size;
  const Activations& act = pass.act();
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
    pass.set().loops->xielu(gate, vectors.xielu, size, gate);
    if (spec.gated) pass.set().multiply(size * sizeof(float), gate, up, gate, nullptr);
  } else if (spec.gated) {
    ActivateGate(pass.set(), spec.activation, gate, up, size, scratch, gate);
  } else {
    Activate(pass.set(), spec.activation, gate, size, scratch, gate);
  }
  if (vectors.inner_norm.kind != NormKind::kNone) {
    Normalize(pass.set(), vectors.inner_norm, gate, size, gate);
  }
  if (vectors.down_input != nullptr) {
    pass.set().loops->clamp(gate, vectors.down_input->least, vectors.down_input->most, size, gate);
  }
  pass.RowInput(down, gate, r, act.down_input);
}

void ActivateMlp(const Pass& pass, const MlpSpec& spec, const MlpVectors& vectors,
                 const PackedLinear& down, size_t rows) {
  const ProfileSpan span(pass.profile(), "activation", rows);
  pass.pool().For(
      rows, [&](size_t r, size_t thread) { ActivateRow(pass, spec, vectors, down, r, thread); });
}

}  // namespace rondo
