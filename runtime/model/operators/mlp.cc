#include <cmath>

#include "runtime/model/operators/layer_checker.h"

namespace rondo {

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
  RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, "gate_up"}, mlp.gate_up(),
                                            mlp.plain() ? intermediate : 2 * intermediate,
                                            checker.hidden()));
  return checker.CheckLinear({layer, "down"}, mlp.down(), checker.hidden(), intermediate);
}

}  // namespace rondo
