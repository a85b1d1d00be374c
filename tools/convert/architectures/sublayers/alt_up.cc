#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

format::AltUpT BuildAltUp(SublayerBuilder& b) {
  const Family& f = b.family();
  const Family::AltUp& a = *f.alt_up;
  const uint32_t hidden = b.sizes().hidden;
  format::AltUpT alt_up;
  alt_up.n_streams = a.n_streams;
  alt_up.active = a.active;
  std::vector<TensorRecipe::Part> embed;
  for (uint32_t i = 0; i + 1 < a.n_streams; ++i) {
    const std::string number = std::to_string(i);
    embed.push_back({f.prefix + a.embed + number, hidden});
    alt_up.unembed.push_back(b.Linear("streams.from." + number,
                                      {{f.prefix + a.unembed + number, hidden}}, hidden, false));
  }
  alt_up.embed = b.Linear("streams.to", embed, hidden, false);
  return alt_up;
}

format::LayerAltUpT BuildLayerAltUp(SublayerBuilder& b) {
  const Family::AltUp& a = *b.family().alt_up;
  const uint32_t hidden = b.sizes().hidden, n = a.n_streams;
  const std::string name = b.name() + "streams.";
  // In float32: all streams hang on these few numbers.
  const auto table = [&](const char* ours, const std::string& theirs, uint64_t rows,
                         uint64_t cols) {
    return b.spec().Add({name + ours, TensorRole::kTable, {{b.source() + theirs, rows}}, cols});
  };
  format::LayerAltUpT own;
  // What the router reads is divided by its length.
  own.router_norm =
      b.NormOf(name + "router_norm", {{b.source() + a.router_norm + ".weight", hidden}}, {}, false,
               1 / static_cast<float>(hidden));
  own.router = table("router", a.router, n, hidden);
  own.predict = table("predict", a.predict, uint64_t{n} * n, n);
  own.correct = table("correct", a.correct, n, n);
  if (a.scaled) {
    own.scale = static_cast<int32_t>(
        b.spec().Add({name + "scale", TensorRole::kVector, {{b.source() + a.scale, hidden}}, 1}));
  }
  return own;
}

}  // namespace rondo::convert
