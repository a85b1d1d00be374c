#include "tools/convert/architectures/sublayers/laurel.h"

#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

format::LaurelT Build(const Laurel& l, SublayerBuilder& b) {
  const uint32_t hidden = b.sizes().hidden;
  const std::string name = b.name() + "laurel.", source = b.source();
  format::LaurelT laurel;
  laurel.left = b.Linear(name + "left", {{source + l.names.left, l.rank}}, hidden, false);
  laurel.right = b.Linear(name + "right", {{source + l.names.right, hidden}}, l.rank, false);
  laurel.norm =
      b.NormOf(name + "norm", {{source + l.names.norm + ".weight", hidden}}, {}, false, 1);
  return laurel;
}

}  // namespace rondo::convert
