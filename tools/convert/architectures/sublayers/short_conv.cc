#include "tools/convert/architectures/sublayers/short_conv.h"

#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

format::ShortConvT Build(const ShortConv& c, SublayerBuilder& b) {
  const uint64_t hidden = b.sizes().hidden;
  const std::string name = b.name() + "conv.", source = b.source();
  format::ShortConvT conv = c;
  conv.input = b.Linear(name + "input", {{source + c.names.input, 3 * hidden}}, hidden, c.has_bias);
  conv.kernel = b.Kernel(name + "kernel", source + c.names.kernel + ".weight", c.taps, hidden);
  if (c.has_bias) {
    conv.bias = b.Vector(name + "bias", source + c.names.kernel + ".bias", hidden);
  }
  conv.output = b.Linear(name + "output", {{source + c.names.output, hidden}}, hidden, c.has_bias,
                         c.output_factor());
  return conv;
}

}  // namespace rondo::convert
