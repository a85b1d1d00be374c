#include "runtime/model/limits.h"
#include "runtime/model/operators/layer_checker.h"

namespace rondo {

Status CheckExperts(const LayerChecker& checker, int layer, const format::Sublayer& sublayer) {
  const Place place = {layer, "mixture of experts"};
  const format::Experts& experts = *sublayer.op_as_Experts();
  const uint64_t intermediate = experts.intermediate_size();
  const uint64_t gate_up = experts.plain() ? intermediate : 2 * intermediate;
  RONDO_RETURN_IF_ERROR(
      checker.CheckMlpSizes(place, experts.intermediate_size(), experts.activation()));
  const auto* list = experts.experts();
  if (list == nullptr || list->size() == 0 || list->size() > kMaxExperts) {
    return Wrong(place, "has no experts, or too many");
  }
  if (experts.n_used() == 0 || experts.n_used() > list->size()) {
    return Corrupt("layer %d uses %u of %u experts", layer, experts.n_used(), list->size());
  }
  RONDO_RETURN_IF_ERROR(
      checker.CheckLinear({layer, "router"}, experts.router(), list->size(), checker.hidden()));
  const auto is_float = [&checker](const format::Linear* linear) {
    return checker.model().tensors()->Get(linear->weight())->format() == format::TensorFormat::F32;
  };
  for (const format::Expert* expert : *list) {
    RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, "expert's gate_up"}, expert->gate_up(),
                                              gate_up, checker.hidden()));
    RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, "expert's down"}, expert->down(),
                                              checker.hidden(), intermediate));
    // Rows are made ready once for all experts.
    if (is_float(expert->gate_up()) != is_float(list->Get(0)->gate_up()) ||
        is_float(expert->down()) != is_float(list->Get(0)->down())) {
      return Wrong(place, "has float32 weights in some experts and not in others");
    }
  }
  return Status();
}

}  // namespace rondo
