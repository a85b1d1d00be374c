// A mixture of experts as a sublayer: each on the rows that chose it, and a shared one on all of
// them.
#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/decoder/mlp.h"
#include "runtime/decoder/pass.h"
#include "runtime/decoder/routing.h"
#include "runtime/model/operators/experts.h"
#include "runtime/weights/vectors.h"

namespace rondo {

namespace {

constexpr uint32_t kNoRoute = UINT32_MAX;
// Rows that are copied, or whose outputs are added, where less is not worth another thread; and
// channels of such a task, of which it has a multiple, as vectors do.
constexpr size_t kTaskRows = 16, kTaskChannels = 64;

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
    act->router_input.Widen(sublayer.matrix(ExpertsMatrix::kRouter));
    act->scores.Widen(spec_.score_floats());
    act->routes.Widen(spec_.n_used);
    act->begin.Widen(spec_.n_experts + 1);
    act->products.Widen(2 * spec_.n_experts);
    act->gate_up.Widen(expert_.gate_up_size());
    for (size_t e = 0; e < spec_.n_experts; ++e) {
      act->gate_up_input.Widen(sublayer.matrix(ExpertsMatrix::GateUp(e)));
      act->down_input.Widen(sublayer.matrix(ExpertsMatrix::Down(e)));
    }
    act->sublayer_out.Widen(hidden_);
    if (!has_shared()) return;
    act->gate_up.Widen(shared_.gate_up_size());
    act->gate_up_input.Widen(sublayer.matrix(ExpertsMatrix::kSharedGateUp));
    act->down_input.Widen(sublayer.matrix(ExpertsMatrix::kSharedDown));
    if (has_shared_norm_) act->shared_input.Widen(sublayer.matrix(ExpertsMatrix::kSharedGateUp));
  }

  CheckedSize ScratchBytes() const override {
    return RowScratch(std::max(expert_.intermediate_size, shared_.intermediate_size));
  }

  void MakeInput(const Pass& pass, const Sublayer& sublayer) const override {
    const RowNorm& norm = sublayer.weights.norm;
    Activations& act = pass.act();
    pass.NormInput(sublayer.matrix(ExpertsMatrix::kRouter), Or(router_norm_, norm),
                   act.router_input);
    pass.NormInput(sublayer.matrix(ExpertsMatrix::GateUp(0)), norm, act.gate_up_input);
    if (!has_shared_norm_) return;
    pass.NormInput(sublayer.matrix(ExpertsMatrix::kSharedGateUp), shared_norm_, act.shared_input);
  }

  void Run(const Pass& pass, const Sublayer& sublayer) const override {
    const size_t score_floats = spec_.score_floats();
    Activations& act = pass.act();
    pass.Linear(sublayer.matrix(ExpertsMatrix::kRouter), act.router_input, pass.rows(),
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

  // sublayer_out += what all experts make of the rows that chose them. A row's sum is in the order
  // of its experts. As many experts as there is room for run side by side; where rows are in pairs,
  // each one's begin with an even one.
  void AddExperts(const Pass& pass, const Sublayer& sublayer) const {
    const Activations& act = pass.act();
    GroupByExpert(act.routes, pass.rows() * spec_.n_used, spec_.n_experts, act.begin, act.order);
    size_t n_experts = 0, end = 0;  // of those that wait to be run
    for (size_t e = 0; e < spec_.n_experts; ++e) {
      const size_t n = act.begin[e + 1] - act.begin[e];
      if (n == 0) continue;
      size_t first = pass.set().rows_in_pairs ? HeldRows(end) : end;
      if (first + n > pass.max_rows()) {
        RunExperts(pass, n_experts, end);
        n_experts = end = first = 0;
      }
      std::fill(act.slots + end, act.slots + first, kNoRoute);
      std::copy_n(act.order + act.begin[e], n, act.slots + first);
      act.products[n_experts] = {&sublayer.matrix(ExpertsMatrix::GateUp(e)), first, n,
                                 act.gate_up + first * expert_.gate_up_size()};
      act.products[spec_.n_experts + n_experts] = {&sublayer.matrix(ExpertsMatrix::Down(e)), first,
                                                   n, act.expert_out + first * hidden_};
      ++n_experts;
      end = first + n;
    }
    RunExperts(pass, n_experts, end);
  }

  // sublayer_out += what the first experts of act.products make of `rows` rows.
  void RunExperts(const Pass& pass, size_t n_experts, size_t rows) const {
    const Activations& act = pass.act();
    if (n_experts == 0) return;  // all sequences have dropped out
    const Product* gate_up = act.products;
    const Product* down = act.products + spec_.n_experts;
    pass.pool().For(CeilDiv(rows, kTaskRows), [&](size_t task, size_t) {
      const size_t last = std::min(rows, (task + 1) * kTaskRows);
      for (size_t r = task * kTaskRows; r < last; ++r) GatherRow(pass, *gate_up->linear, r);
    });
    pass.Linears({gate_up, n_experts}, act.expert_input, expert_.gate_up_size());
    {
      const ProfileSpan span(pass.profile(), "activation", rows);
      pass.pool().For(rows, [&](size_t r, size_t thread) {
        if (act.slots[r] != kNoRoute) ActivateRow(pass, expert_, {}, *down->linear, r, thread);
      });
    }
    pass.Linears({down, n_experts}, act.down_input, hidden_);
    // By channels, so that each sum is in order.
    const size_t tasks = CeilDiv(rows, kTaskRows);
    const size_t channels = RoundUp(CeilDiv(hidden_, tasks), kTaskChannels);
    pass.pool().For(CeilDiv(hidden_, channels), [&](size_t task, size_t) {
      const size_t begin = task * channels, n = std::min(channels, hidden_ - begin);
      for (size_t r = 0; r < rows; ++r) {
        const uint32_t route = act.slots[r];
        if (route == kNoRoute) continue;
        const float weight = spec_.weigh_input ? 1.0f : act.routes[route].weight;
        pass.set().loops->blend(act.sublayer_out + route / spec_.n_used * hidden_ + begin, 1.0f,
                                act.expert_out + r * hidden_ + begin, weight, n);
      }
    });
  }

  // Row r of expert_input, as its expert reads it.
  void GatherRow(const Pass& pass, const PackedLinear& gate_up, size_t r) const {
    const Activations& act = pass.act();
    const InputRows& in = act.expert_input;
    const uint32_t route = act.slots[r];
    if (route == kNoRoute) return;
    const size_t row = route / spec_.n_used;
    const float weight = spec_.weigh_input ? act.routes[route].weight : 1.0f;
    const uint8_t* rows = act.gate_up_input.rows;
    if (gate_up.shape.float_rows()) {
      const auto* values = reinterpret_cast<const float*>(rows + row * in.stride);
      pass.set().loops->scale(values, weight, gate_up.inputs,
                              reinterpret_cast<float*>(in.rows + r * in.stride));
      return;
    }
    CopyRow(pass.set(), reinterpret_cast<const int8_t*>(rows), row, in.stride, r,
            reinterpret_cast<int8_t*>(in.rows.data));
    in.quant[r] = act.gate_up_input.quant[row];
    in.quant[r].scale *= weight;  // the same integers stand for the weighted values
  }

  // sublayer_out = its post-norm, if there is one, and what the shared expert makes added.
  void AddSharedExpert(const Pass& pass, const Sublayer& sublayer) const {
    const Activations& act = pass.act();
    const InputRows& in = has_shared_norm_ ? act.shared_input : act.gate_up_input;
    const PackedLinear& down = sublayer.matrix(ExpertsMatrix::kSharedDown);
    pass.Linear(sublayer.matrix(ExpertsMatrix::kSharedGateUp), in, pass.rows(),
                Pass::Into::kReplace, act.gate_up, shared_.gate_up_size());
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
