#include "tools/convert/output/fine_rows.h"

#include <memory>

namespace rondo::convert {

// As IsAdaptable names them (runtime/model/adaptable.h).
std::map<uint32_t, format::LinearT*> Finable(DecoderSpec& spec) {
  std::map<uint32_t, format::LinearT*> linears;
  const auto add = [&](const std::unique_ptr<format::LinearT>& linear) {
    if (linear != nullptr && linear->bias < 0) linears[linear->weight] = linear.get();
  };
  const auto add_ends = [&](auto& op, auto first, auto last) {
    add(op.*first);
    add(op.*last);
  };
  for (format::LayerT& layer : spec.layers) {
    for (const auto& sublayer : layer.sublayers) {
      if (auto* const op = sublayer->op.AsMlp()) {
        add_ends(*op, &format::MlpT::gate_up, &format::MlpT::down);
      } else if (auto* const op = sublayer->op.AsAttention()) {
        add_ends(*op, &format::AttentionT::qkv, &format::AttentionT::output);
      } else if (auto* const op = sublayer->op.AsShortConv()) {
        add_ends(*op, &format::ShortConvT::input, &format::ShortConvT::output);
      } else if (auto* const op = sublayer->op.AsGatedDeltaNet()) {
        add_ends(*op, &format::GatedDeltaNetT::input, &format::GatedDeltaNetT::output);
      } else if (auto* const op = sublayer->op.AsMamba2()) {
        add_ends(*op, &format::Mamba2T::input, &format::Mamba2T::output);
      } else if (auto* const op = sublayer->op.AsLatentAttention()) {
        add(op->output);
      }
    }
  }
  return linears;
}

}  // namespace rondo::convert
