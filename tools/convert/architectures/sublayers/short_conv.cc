#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

format::ShortConvT BuildShortConv(SublayerBuilder& b) {
  const Family& f = b.family();
  const Sizes& s = b.sizes();
  const Family::Conv& conv = *f.conv;
  format::ShortConvT spec;
  spec.taps = conv.taps;
  spec.input = b.Linear(b.name() + "conv.input",
                        {{b.source() + conv.input, 3 * uint64_t{s.hidden}}}, s.hidden, conv.bias);
  TensorRecipe kernel{
      b.name() + "conv.kernel",
      TensorRole::kTable,
      {{b.source() + conv.kernel + ".weight", conv.taps, 0, {s.hidden, 1, conv.taps}}},
      s.hidden};
  kernel.transposed = true;
  spec.kernel = b.spec().Add(std::move(kernel));
  if (conv.bias) {
    spec.bias = static_cast<int32_t>(b.spec().Add({b.name() + "conv.bias",
                                                   TensorRole::kVector,
                                                   {{b.source() + conv.kernel + ".bias", s.hidden}},
                                                   1}));
  }
  spec.output = b.Linear(b.name() + "conv.output", {{b.source() + conv.output, s.hidden}}, s.hidden,
                         conv.bias);
  return spec;
}

}  // namespace rondo::convert
