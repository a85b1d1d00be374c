#include "tools/convert/architectures/sublayers/alt_up.h"

#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

format::AltUpT Build(const AltUp& a, SublayerBuilder& b) {
  const std::string embed_name = b.family().prefix + a.names.embed;
  const std::string unembed_name = b.family().prefix + a.names.unembed;
  const uint32_t hidden = b.sizes().hidden;
  format::AltUpT alt_up = a;
  std::vector<TensorRecipe::Part> embed;
  for (uint32_t i = 0; i + 1 < a.n_streams; ++i) {
    const std::string number = std::to_string(i);
    embed.push_back({embed_name + number, hidden});
    alt_up.unembed.push_back(
        b.Linear("streams.from." + number, {{unembed_name + number, hidden}}, hidden, false));
  }
  alt_up.embed = b.Linear("streams.to", embed, hidden, false);
  return alt_up;
}

format::LayerAltUpT BuildLayer(const AltUp& a, SublayerBuilder& b) {
  const uint32_t hidden = b.sizes().hidden, n = a.n_streams;
  const std::string name = b.name() + "streams.", source = b.source();
  // In float32: all streams hang on these few numbers.
  const auto table = [&](const char* ours, const std::string& theirs, uint64_t rows,
                         uint64_t cols) {
    return b.spec().Add({name + ours, TensorRole::kTable, {{source + theirs, rows}}, cols});
  };
  format::LayerAltUpT own;
  // What the router reads is divided by its length.
  own.router_norm =
      b.NormOf(name + "router_norm", {{source + a.names.router_norm + ".weight", hidden}}, {},
               false, 1 / static_cast<float>(hidden));
  own.router = table("router", a.names.router, n, hidden);
  own.predict = table("predict", a.names.predict, uint64_t{n} * n, n);
  own.correct = table("correct", a.names.correct, n, n);
  if (a.scaled) own.scale = b.Vector(name + "scale", source + a.names.scale, hidden);
  return own;
}

}  // namespace rondo::convert
