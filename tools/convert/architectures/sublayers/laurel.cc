#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

format::LaurelT BuildLaurel(SublayerBuilder& b) {
  const Family::Laurel& l = *b.family().laurel;
  const uint32_t hidden = b.sizes().hidden;
  const std::string name = b.name() + "laurel.";
  format::LaurelT laurel;
  laurel.left = b.Linear(name + "left", {{b.source() + l.left, l.rank}}, hidden, false);
  laurel.right = b.Linear(name + "right", {{b.source() + l.right, hidden}}, l.rank, false);
  laurel.norm = b.NormOf(name + "norm", {{b.source() + l.norm + ".weight", hidden}}, {}, false, 1);
  return laurel;
}

}  // namespace rondo::convert
