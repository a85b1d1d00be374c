#include "runtime/model/operators/experts.h"

#include <cmath>

#include "runtime/model/limits.h"
#include "runtime/model/operators/operators.h"

namespace rondo {

namespace {

constexpr uint64_t kMostGroupBest = 2;

// How experts are chosen and weighed; there are `n` of them.
Status CheckRouting(const LayerChecker& checker, Place place, const format::Experts& experts,
                    uint64_t n) {
  if (experts.n_used() == 0 || experts.n_used() > n) {
    return Corrupt("layer %d uses %u of %llu experts", place.layer, experts.n_used(), ull{n});
  }
  if (experts.scoring() > format::Scoring::MAX) {
    return UnknownKind(place, "scoring", static_cast<unsigned>(experts.scoring()));
  }
  const bool mixer = experts.scoring() == format::Scoring::kSparseMixer;
  if (mixer && experts.n_used() != 2) return Wrong(place, "is a SparseMixer that does not use two");
  if (!std::isfinite(experts.jitter()) || experts.jitter() < 0 ||
      (!mixer && experts.jitter() != 0)) {
    return Wrong(place,
                 "has a jitter that is not a finite number of at least 0, or no SparseMixer");
  }
  RONDO_RETURN_IF_ERROR(
      checker.CheckBias({place.layer, "bias of choice"}, experts.choice_bias(), n));
  RONDO_RETURN_IF_ERROR(
      checker.CheckBias({place.layer, "experts' weights' scales"}, experts.weight_scales(), n));
  for (const float number : {experts.normalize_epsilon(), experts.normalize_min()}) {
    if (!std::isfinite(number) || number < 0) {
      return Wrong(place,
                   "has an epsilon or a least sum of weights that is not a finite number of "
                   "at least 0");
    }
  }
  if (!std::isfinite(experts.weight_scale())) {
    return Wrong(place, "has a scale of weights that is not finite");
  }
  const uint64_t groups = experts.n_groups(), used = experts.n_groups_used();
  const uint64_t best = experts.group_best();
  if (groups == 0) {
    if (used == 0 && best == 0) return Status();
    return Wrong(place, "says how its groups are chosen, but has none");
  }
  if (n % groups != 0 || used == 0 || used > groups) {
    return Corrupt(
        "layer %d uses %llu of %llu groups of its %llu experts, expected groups of equal "
        "size, and at least one of them",
        place.layer, ull{used}, ull{groups}, ull{n});
  }
  if (best == 0 || best > kMostGroupBest || best > n / groups) {
    return Corrupt("layer %d chooses groups by their %llu best of %llu experts, expected 1 or 2",
                   place.layer, ull{best}, ull{n / groups});
  }
  if (experts.n_used() > n / groups * used) {
    return Corrupt("layer %d uses %u experts, but its %llu groups have only %llu", place.layer,
                   experts.n_used(), ull{used}, ull{n / groups * used});
  }
  return Status();
}

Status CheckExperts(const LayerChecker& checker, int layer, const format::Sublayer& sublayer) {
  const Place place = {layer, "mixture of experts"};
  const format::Experts& experts = *sublayer.op_as_Experts();
  const uint64_t intermediate = experts.intermediate_size();
  const uint64_t width = experts.plain() ? 1 : 2;
  RONDO_RETURN_IF_ERROR(
      checker.CheckMlpSizes(place, experts.intermediate_size(), experts.activation(), -1));
  RONDO_RETURN_IF_ERROR(
      checker.CheckMlpLimits(place, experts.limit(), experts.up_offset(), experts.plain()));
  const auto* list = experts.experts();
  if (list == nullptr || list->size() == 0 || list->size() > kMaxExperts) {
    return Wrong(place, "has no experts, or too many");
  }
  RONDO_RETURN_IF_ERROR(CheckRouting(checker, place, experts, list->size()));
  const format::Expert* shared = experts.shared();
  if (experts.shared_gate() && shared == nullptr) {
    return Wrong(place, "has a gate for a shared expert that is absent");
  }
  RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, "router"}, experts.router(),
                                            list->size() + (experts.shared_gate() ? 1 : 0),
                                            checker.hidden()));
  const auto check_expert = [&](const format::Expert& expert, uint64_t size) -> Status {
    RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, "expert's gate_up"}, expert.gate_up(),
                                              width * size, checker.hidden()));
    RONDO_RETURN_IF_ERROR(
        checker.CheckLinear({layer, "expert's down"}, expert.down(), checker.hidden(), size));
    // Rows are made ready once for all experts.
    if (checker.IsFloat(*expert.gate_up()) != checker.IsFloat(*list->Get(0)->gate_up()) ||
        checker.IsFloat(*expert.down()) != checker.IsFloat(*list->Get(0)->down())) {
      return Wrong(place, "has float32 weights in some experts and not in others");
    }
    return Status();
  };
  for (const format::Expert* expert : *list) {
    RONDO_RETURN_IF_ERROR(check_expert(*expert, intermediate));
  }
  if (shared != nullptr) {
    RONDO_RETURN_IF_ERROR(checker.CheckMlpSizes({layer, "shared expert"}, experts.shared_size(),
                                                experts.activation(), -1));
    RONDO_RETURN_IF_ERROR(check_expert(*shared, experts.shared_size()));
  } else if (experts.shared_size() != 0 || experts.shared_norm() != nullptr ||
             experts.shared_post_norm() != nullptr) {
    return Wrong(place, "has the size or a norm of a shared expert that is absent");
  }
  const uint64_t hidden = checker.hidden();
  RONDO_RETURN_IF_ERROR(checker.CheckNorm({layer, "router norm"}, experts.router_norm(), hidden));
  RONDO_RETURN_IF_ERROR(
      checker.CheckNorm({layer, "shared expert's norm"}, experts.shared_norm(), hidden));
  RONDO_RETURN_IF_ERROR(
      checker.CheckNorm({layer, "experts' post-norm"}, experts.experts_post_norm(), hidden));
  return checker.CheckNorm({layer, "shared expert's post-norm"}, experts.shared_post_norm(),
                           hidden);
}

void ExpertsMatrices(const format::Sublayer& sublayer, const MatrixVisitor& visit) {
  const format::Experts& op = *sublayer.op_as_Experts();
  visit(ExpertsMatrix::kRouter, *op.router());
  for (uint32_t i = 0; i < op.experts()->size(); ++i) {
    visit(ExpertsMatrix::GateUp(i), *op.experts()->Get(i)->gate_up());
    visit(ExpertsMatrix::Down(i), *op.experts()->Get(i)->down());
  }
  if (op.shared() == nullptr) return;
  visit(ExpertsMatrix::kSharedGateUp, *op.shared()->gate_up());
  visit(ExpertsMatrix::kSharedDown, *op.shared()->down());
}

}  // namespace

const OperatorRule kExpertsRule = {"mixture of experts", "norm before the experts",
                                   "norm after the experts", CheckExperts, ExpertsMatrices};

}  // namespace rondo
