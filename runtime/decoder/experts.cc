// A mixture of experts as a sublayer: one expert after another, each on the rows that chose it, and
// a shared one on all of them.
#include <algorithm>

#include "runtime/decoder/mlp.h"
#include "runtime/decoder/pass.h"
#include "runtime/decoder/routing.h"
#include "runtime/model/operators/experts.h"
#include "runtime/weights/vectors.h"

namespace rondo {

namespace {

using Matrix = ExpertsMatrix;

const RowNorm& Or(const RowNorm& own, const RowNorm& sublayers) {
  return own.kind != NormKind::kNone ? own : sublayers;
}

ExpertsSpec ReadExperts(const format::Experts& experts) {
  ExpertsSpec spec;
  spec.n_experts = experts.experts()->size();
  spec.n_used = experts.n_used();
  spec.scoring = experts.scoring();
  spec.jitter = experts.jitter();
  spec.n_groups = experts.n_groups();
  spec.n_groups_used = experts.n_groups_used();
  spec.group_best = experts.group_best();
  spec.normalize = experts.normalize();
  spec.normalize_epsilon = experts.normalize_epsilon();
  spec.normalize_min = experts.normalize_min();
  spec.weight_scale = experts.weight_scale();
  spec.weigh_input = experts.weigh_input();
  spec.shared_gate = experts.shared_gate();
  return spec;
}

class Experts final : public Operator {
 public:
  explicit Experts(const OperatorSite& site)
      : spec_(ReadExperts(*site.sublayer.op_as_Experts())),
        expert_(*site.sublayer.op_as_Experts()),
        shared_(expert_),
        hidden_(site.model.hidden_size),
        has_shared_norm_(site.sublayer.op_as_Experts()->shared_norm() != nullptr) {
    shared_.intermediate_size = site.sublayer.op_as_Experts()->shared_size();
  }

  Status ReadVectors(const format::Sublayer& sublayer, VectorReader& vectors) override {
    const format::Experts& experts = *sublayer.op_as_Experts();
    RONDO_ASSIGN(router_norm_, ReadNorm(vectors, experts.router_norm(), hidden_));
    RONDO_ASSIGN(shared_norm_, ReadNorm(vectors, experts.shared_norm(), hidden_));
    RONDO_ASSIGN(experts_post_norm_, ReadNorm(vectors, experts.experts_post_norm(), hidden_));
    RONDO_ASSIGN(shared_post_norm_, ReadNorm(vectors, experts.shared_post_norm(), hidden_));
    RONDO_ASSIGN(choice_bias_, ReadOptional(vectors, experts.choice_bias()));
    RONDO_ASSIGN(weight_scales_, ReadOptional(vectors, experts.weight_scales()));
    return Status();
  }

  void Widen(const Sublayer& sublayer, const ContextWindow& /*window*/,
             Activations* act) const override {
    act->router_input.Widen(sublayer.matrix(Matrix::kRouter));
    act->scores.Widen(spec_.score_floats());
    act->routes.Widen(spec_.n_used);
    act->begin.Widen(spec_.n_experts + 1);
    act->gate_up.Widen(expert_.gate_up_size());
    for (size_t e = 0; e < spec_.n_experts; ++e) {
      act->gate_up_input.Widen(sublayer.matrix(Matrix::GateUp(e)));
      act->down_input.Widen(sublayer.matrix(Matrix::Down(e)));
    }
    act->sublayer_out.Widen(hidden_);
    if (!has_shared()) return;
    act->gate_up.Widen(shared_.gate_up_size());
    act->gate_up_input.Widen(sublayer.matrix(Matrix::kSharedGateUp));
    act->down_input.Widen(sublayer.matrix(Matrix::kSharedDown));
    if (has_shared_norm_) act->shared_input.Widen(sublayer.matrix(Matrix::kSharedGateUp));
  }

  CheckedSize ScratchBytes() const override {
    return RowScratch(std::max(expert_.intermediate_size, shared_.intermediate_size));
  }

  void MakeInput(const Pass& pass, const Sublayer& sublayer) const override {
    const RowNorm& norm = sublayer.weights.norm;
    Activations& act = pass.act();
    pass.NormInput(sublayer.matrix(Matrix::kRouter), Or(router_norm_, norm), act.router_input);
    pass.NormInput(sublayer.matrix(Matrix::GateUp(0)), norm, act.gate_up_input);
    if (!has_shared_norm_) return;
    pass.NormInput(sublayer.matrix(Matrix::kSharedGateUp), shared_norm_, act.shared_input);
  }

  void Run(const Pass& pass, const Sublayer& sublayer) const override {
    const size_t score_floats = spec_.score_floats();
    Activations& act = pass.act();
    pass.Linear(sublayer.matrix(Matrix::kRouter), act.router_input, pass.rows(),
                Pass::Into::kReplace, act.scores, score_floats);
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      float* scores = act.scores + r * score_floats;
      RouteRow(pass.set(), spec_, choice_bias_, weight_scales_, scores,
               act.routes + r * spec_.n_used);
      if (spec_.shared_gate) {
        float* gate = scores + spec_.n_experts;
        pass.set().sigmoid(sizeof(float), gate, gate, nullptr);
      }
      std::fill_n(act.sublayer_out + r * hidden_, hidden_, 0.0f);
    });
    AddExperts(pass, sublayer);
    if (experts_post_norm_.kind != NormKind::kNone) {
      pass.pool().For(pass.rows(), [&](size_t r, size_t) {
        float* out = act.sublayer_out + r * hidden_;
        Normalize(pass.set(), experts_post_norm_, out, hidden_, out);
      });
    }
    if (has_shared()) AddSharedExpert(pass, sublayer);
    pass.AddSublayerOut(sublayer);
  }

 private:
  bool has_shared() const { return shared_.intermediate_size > 0; }

  // The rows that chose an expert, as it reads them.
  void GatherRows(const Pass& pass, const PackedLinear& gate_up, const uint32_t* chosen,
                  size_t n) const {
    const Activations& act = pass.act();
    const InputRows& in = act.expert_input;
    const bool is_float = gate_up.shape.format == WeightFormat::kF32;
    for (size_t i = 0; i < n; ++i) {
      const size_t row = chosen[i] / spec_.n_used;
      const float weight = spec_.weigh_input ? act.routes[chosen[i]].weight : 1.0f;
      const uint8_t* rows = act.gate_up_input.rows;
      if (is_float) {
        const auto* values = reinterpret_cast<const float*>(rows + row * in.stride);
        pass.set().loops->scale(values, weight, gate_up.inputs,
                                reinterpret_cast<float*>(in.rows + i * in.stride));
      } else {
        CopyRow(pass.set(), reinterpret_cast<const int8_t*>(rows), row, in.stride, i,
                reinterpret_cast<int8_t*>(in.rows.data));
        in.quant[i] = act.gate_up_input.quant[row];
        in.quant[i].scale *= weight;  // the same integers stand for the weighted values
      }
    }
  }

  // sublayer_out += what all experts make of the rows that chose them. A row's sum is in the order
  // of its experts.
  void AddExperts(const Pass& pass, const Sublayer& sublayer) const {
    const Activations& act = pass.act();
    GroupByExpert(act.routes, pass.rows() * spec_.n_used, spec_.n_experts, act.begin, act.order);
    for (size_t e = 0; e < spec_.n_experts; ++e) {
      const uint32_t* chosen = act.order + act.begin[e];
      const size_t n = act.begin[e + 1] - act.begin[e];
      if (n == 0) continue;
      const PackedLinear& gate_up = sublayer.matrix(Matrix::GateUp(e));
      const PackedLinear& down = sublayer.matrix(Matrix::Down(e));
      GatherRows(pass, gate_up, chosen, n);
      pass.Linear(gate_up, act.expert_input, n, Pass::Into::kReplace, act.gate_up,
                  expert_.gate_up_size());
      ActivateMlp(pass, expert_, {}, down, n);
      pass.Linear(down, act.down_input, n, Pass::Into::kReplace, act.expert_out, hidden_);
      pass.pool().For(n, [&](size_t i, size_t) {
        const float weight = spec_.weigh_input ? 1.0f : act.routes[chosen[i]].weight;
        pass.set().loops->blend(act.sublayer_out + chosen[i] / spec_.n_used * hidden_, 1.0f,
                                act.expert_out + i * hidden_, weight, hidden_);
      });
    }
  }

  // sublayer_out = its post-norm, if there is one, and what the shared expert makes added.
  void AddSharedExpert(const Pass& pass, const Sublayer& sublayer) const {
    const Activations& act = pass.act();
    const InputRows& in = has_shared_norm_ ? act.shared_input : act.gate_up_input;
    const PackedLinear& down = sublayer.matrix(Matrix::kSharedDown);
    pass.Linear(sublayer.matrix(Matrix::kSharedGateUp), in, pass.rows(), Pass::Into::kReplace,
                act.gate_up, shared_.gate_up_size());
    ActivateMlp(pass, shared_, {}, down, pass.rows());
    pass.Linear(down, act.down_input, pass.rows(), Pass::Into::kReplace, act.expert_out, hidden_);
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      float* out = act.expert_out + r * hidden_;
      const float gate =
          spec_.shared_gate ? act.scores[r * spec_.score_floats() + spec_.n_experts] : 1.0f;
      Normalize(pass.set(), shared_post_norm_, out, hidden_, out);
      pass.set().loops->blend(act.sublayer_out + r * hidden_, 1.0f, out, gate, hidden_);
    });
  }

  const ExpertsSpec spec_;
  const MlpSpec expert_;
  MlpSpec shared_;  // of no size: there is none
  const size_t hidden_;
  const bool has_shared_norm_;
  RowNorm router_norm_;
  RowNorm shared_norm_;
  RowNorm experts_post_norm_;
  RowNorm shared_post_norm_;
  const float* choice_bias_ = nullptr;    // [n_experts], in the file; null: none
  const float* weight_scales_ = nullptr;  // the same
};

}  // namespace

const OperatorType kExpertsType = {"experts", InputKind::kMlp, CreateOperator<Experts>};

}  // namespace rondo
