#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

format::MlpT BuildMlp(SublayerBuilder& b) {
  const Family& f = b.family();
  const Sizes& s = b.sizes();
  const uint32_t size = b.intermediate();
  std::vector<TensorRecipe::Part> parts, apart;
  if (!f.gated) {
    parts = {{b.source() + f.up, size}};
  } else if (f.fused_gate) {
    parts = {{b.source() + f.gate, 2 * uint64_t{size}}};
    apart = GateAndUp(b.source() + f.gate, size);
  } else {
    parts = {{b.source() + f.gate, size}, {b.source() + f.up, size}};
    parts[0].scale = f.gate_factor;
  }
  format::MlpT mlp;
  mlp.intermediate_size = size;
  mlp.activation = f.activation;
  mlp.plain = !f.gated;
  if (f.activation == format::Activation::kXielu) {
    TensorRecipe numbers{b.name() + "mlp.xielu", TensorRole::kVector, {}, 1};
    for (const char* name : {"alpha_p", "alpha_n", "beta", "eps"}) {
      numbers.parts.push_back({b.source() + f.xielu + name, 1});
    }
    mlp.xielu = static_cast<int32_t>(b.spec().Add(std::move(numbers)));
  }
  mlp.gate_up = b.Linear(b.name() + "mlp.gate_up", parts, s.hidden, f.mlp_bias, 1, apart);
  mlp.down = b.Linear(b.name() + "mlp.down", {{b.source() + f.down, s.hidden}}, size, f.mlp_bias,
                      f.residual_scale * f.mlp_factor);
  if (!f.layer_gate_cutoff.empty() && f.layer_gate_cutoff[b.layer()]) {
    mlp.gate_cutoff = std::make_unique<format::GateCutoffT>();
    mlp.gate_cutoff->deviations = static_cast<float>(*f.layer_gate_cutoff[b.layer()]);
  }
  return mlp;
}

}  // namespace rondo::convert
