#include "runtime/model/limits.h"
#include "runtime/model/operators/layer_checker.h"

namespace rondo {

Status CheckAltUp(const LayerChecker& checker) {
  const format::AltUp* all = checker.model().alt_up();
  if (all == nullptr) return Status();
  const uint64_t n = all->n_streams(), hidden = checker.hidden();
  RONDO_RETURN_IF_ERROR(CheckRange("the number of residual streams", n, 2, kMaxStreams));
  RONDO_RETURN_IF_ERROR(CheckRange("the active residual stream", all->active(), 0, n - 1));
  RONDO_RETURN_IF_ERROR(
      checker.CheckLinear({-1, "projection to streams"}, all->embed(), (n - 1) * hidden, hidden));
  if (all->unembed() == nullptr || all->unembed()->size() != n - 1) {
    return Corrupt("the model has projections from %u streams, expected one for each of %llu",
                   all->unembed() == nullptr ? 0 : all->unembed()->size(), ull{n - 1});
  }
  for (const format::Linear* unembed : *all->unembed()) {
    RONDO_RETURN_IF_ERROR(
        checker.CheckLinear({-1, "projection from a stream"}, unembed, hidden, hidden));
  }
  return Status();
}

Status CheckLayerAltUp(const LayerChecker& checker, int index, const format::Layer& layer) {
  const Place place = {index, "update of residual streams"};
  const format::AltUp* all = checker.model().alt_up();
  const format::LayerAltUp* own = layer.alt_up();
  if ((all == nullptr) != (own == nullptr)) {
    return Wrong(place, own == nullptr ? "is absent, but the model has several"
                                       : "is there, but the model has only one");
  }
  if (own == nullptr) return Status();
  const uint64_t n = all->n_streams();
  if (own->router_norm() == nullptr) return Wrong(place, "has no norm of its router");
  RONDO_RETURN_IF_ERROR(checker.CheckNorm({index, "norm of the streams' router"},
                                          own->router_norm(), checker.hidden()));
  RONDO_RETURN_IF_ERROR(checker.CheckFloats(place, own->router(), n, checker.hidden()));
  RONDO_RETURN_IF_ERROR(checker.CheckFloats(place, own->predict(), n * n, n));
  RONDO_RETURN_IF_ERROR(checker.CheckFloats(place, own->correct(), n, n));
  if (layer.scale() != -1) return Wrong(place, "stands beside a scale of the one stream");
  const uint32_t last = layer.sublayers()->size() - 1;
  for (uint32_t i = 0; i < last; ++i) {
    if (layer.sublayers()->Get(i)->op_type() == format::Operator::LayerEmbedding) {
      return Wrong(place, "has a layer embedding that is not the last sublayer");
    }
  }
  const format::Sublayer& behind = *layer.sublayers()->Get(last);
  const bool has_embedding = behind.op_type() == format::Operator::LayerEmbedding;
  if (has_embedding && behind.reads_previous_input()) {
    return Wrong(place, "has a layer embedding that reads what the sublayer before it read");
  }
  if (!has_embedding && own->scale() != -1) {
    return Wrong(place, "has a scale, but no layer embedding that would read it");
  }
  return checker.CheckBias(place, own->scale(), checker.hidden());
}

}  // namespace rondo
