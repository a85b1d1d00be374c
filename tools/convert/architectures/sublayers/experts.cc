#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

format::ExpertsT BuildExperts(SublayerBuilder& b) {
  const Family& f = b.family();
  const Sizes& s = b.sizes();
  const Family::Experts& e = *f.experts;
  format::ExpertsT experts;
  experts.n_used = e.n_used;
  experts.normalize = e.normalize;
  experts.intermediate_size = e.intermediate;
  experts.activation = f.activation;
  // In float32: which experts are chosen hangs on small differences, and it is small.
  experts.router = std::make_unique<format::LinearT>();
  experts.router->weight = b.spec().Add({b.name() + "mlp.router",
                                         TensorRole::kTable,
                                         {{b.source() + e.router + ".weight", e.n_experts}},
                                         s.hidden});
  for (uint32_t i = 0; i < e.n_experts; ++i) {
    const std::string own = b.name() + "mlp.experts." + std::to_string(i);
    const std::string from = b.source() + e.expert + std::to_string(i) + ".";
    auto expert = std::make_unique<format::ExpertT>();
    expert->gate_up =
        b.Linear(own + ".gate_up", {{from + e.gate, e.intermediate}, {from + e.up, e.intermediate}},
                 s.hidden, false);
    expert->down = b.Linear(own + ".down", {{from + e.down, s.hidden}}, e.intermediate, false,
                            f.residual_scale);
    experts.experts.push_back(std::move(expert));
  }
  return experts;
}

}  // namespace rondo::convert
