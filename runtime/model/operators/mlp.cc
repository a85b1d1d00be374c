#include "runtime/model/operators/layer_checker.h"

namespace rondo {

Status CheckMlp(const LayerChecker& checker, int layer, const format::Sublayer& sublayer) {
  const format::Mlp& mlp = *sublayer.op_as_Mlp();
  const uint64_t intermediate = mlp.intermediate_size();
  const Place place = {layer, "mlp"};
  RONDO_RETURN_IF_ERROR(
      checker.CheckMlpSizes(place, mlp.intermediate_size(), mlp.activation(), mlp.xielu()));
  if (mlp.gate_cutoff() != nullptr) {
    return Status::Error(StatusCode::kUnsupported,
                         "layer %d's mlp has a cutoff of its gate, which this version of Rondo "
                         "does not have",
                         layer);
  }
  RONDO_RETURN_IF_ERROR(checker.CheckMlpLimits(place, mlp.limit(), mlp.up_offset(), mlp.plain()));
  RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, "gate_up"}, mlp.gate_up(),
                                            mlp.plain() ? intermediate : 2 * intermediate,
                                            checker.hidden()));
  return checker.CheckLinear({layer, "down"}, mlp.down(), checker.hidden(), intermediate);
}

}  // namespace rondo
