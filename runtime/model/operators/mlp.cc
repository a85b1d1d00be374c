#include "runtime/model/operators/mlp.h"

#include <cmath>

#include "runtime/model/operators/operators.h"

namespace rondo {

namespace {

Status CheckMlp(const LayerChecker& checker, int layer, const format::Sublayer& sublayer) {
  const format::Mlp& mlp = *sublayer.op_as_Mlp();
  const uint64_t intermediate = mlp.intermediate_size();
  const Place place = {layer, "mlp"};
  RONDO_RETURN_IF_ERROR(
      checker.CheckMlpSizes(place, mlp.intermediate_size(), mlp.activation(), mlp.xielu()));
  RONDO_RETURN_IF_ERROR(checker.CheckMlpLimits(place, mlp.limit(), mlp.up_offset(), mlp.plain()));
  if (const format::GateCutoff* cutoff = mlp.gate_cutoff()) {
    if (!std::isfinite(cutoff->deviations())) {
      return Wrong(place, "has a cutoff of its gate that is not finite");
    }
    if (mlp.plain() || mlp.limit() != 0) {
      return Wrong(place, "has a cutoff of its gate, but is plain or has a limit");
    }
  }
  RONDO_RETURN_IF_ERROR(
      checker.CheckNorm({layer, "norm inside mlp"}, mlp.inner_norm(), intermediate));
  RONDO_RETURN_IF_ERROR(checker.CheckClips(place, mlp.clips(), mlp.plain() ? 2 : 3));
  RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, "gate_up"}, mlp.gate_up(),
                                            mlp.plain() ? intermediate : 2 * intermediate,
                                            checker.hidden()));
  return checker.CheckLinear({layer, "down"}, mlp.down(), checker.hidden(), intermediate);
}

void MlpMatrices(const format::Sublayer& sublayer, const MatrixVisitor& visit) {
  const format::Mlp& op = *sublayer.op_as_Mlp();
  visit(MlpMatrix::kGateUp, *op.gate_up());
  visit(MlpMatrix::kDown, *op.down());
}

}  // namespace

const OperatorRule kMlpRule = {"mlp",    "mlp norm",  "norm after mlp",
                               CheckMlp, MlpMatrices, kAllMatrices};

}  // namespace rondo
