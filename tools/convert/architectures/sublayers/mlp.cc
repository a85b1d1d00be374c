#include "tools/convert/architectures/sublayers/mlp.h"

#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

format::MlpT Build(const Mlp& m, SublayerBuilder& b) {
  const uint64_t hidden = b.sizes().hidden, size = m.intermediate_size;
  std::vector<TensorRecipe::Part> parts, apart;
  if (m.plain) {
    parts = {{b.source() + m.names.up, size}};
  } else if (m.names.up.empty()) {
    parts = {{b.source() + m.names.gate, 2 * size}};
    apart = GateAndUp(b.source() + m.names.gate, size);
  } else {
    parts = {{b.source() + m.names.gate, size}, {b.source() + m.names.up, size}};
    parts[0].scale = m.gate_factor;
  }
  format::MlpT mlp = m;
  if (m.activation == format::Activation::kXielu) {
    TensorRecipe numbers{b.name() + "mlp.xielu", TensorRole::kVector, {}, 1};
    for (const char* name : {"alpha_p", "alpha_n", "beta", "eps"}) {
      numbers.parts.push_back({b.source() + m.names.xielu + name, 1});
    }
    mlp.xielu = static_cast<int32_t>(b.spec().Add(std::move(numbers)));
  }
  if (!m.names.inner_norm.empty()) {
    const std::string norm = b.source() + m.names.inner_norm + ".weight";
    mlp.inner_norm = b.NormOf(b.name() + "mlp.inner_norm", {{norm, size}}, {}, false, 1);
  }
  mlp.gate_up = b.Linear(b.name() + "mlp.gate_up", parts, hidden, m.bias, 1, apart);
  mlp.down = b.Linear(b.name() + "mlp.down", {{b.source() + m.names.down, hidden}}, size, m.bias,
                      m.output_factor());
  return mlp;
}

}  // namespace rondo::convert
