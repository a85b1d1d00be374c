#include "tools/convert/output/fine_rows.h"

#include "tools/convert/output/stream_matrices.h"

namespace rondo::convert {

std::map<uint32_t, format::LinearT*> Finable(DecoderSpec& spec) {
  std::map<uint32_t, format::LinearT*> linears;
  for (const format::LayerT& layer : spec.layers) {
    for (const auto& sublayer : layer.sublayers) {
      for (format::LinearT* const linear : StreamMatricesOf(sublayer->op).finable) {
        if (linear->bias < 0) linears[linear->weight] = linear;
      }
    }
  }
  return linears;
}

}  // namespace rondo::convert
