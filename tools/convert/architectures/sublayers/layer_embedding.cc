#include "tools/convert/architectures/sublayers/layer_embedding.h"

#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

format::LayerEmbeddingsT Build(const LayerEmbeddings& e, SublayerBuilder& b) {
  const std::string& prefix = b.family().prefix;
  const uint64_t n_layers = b.sizes().n_layers, width = n_layers * e.size;
  format::LayerEmbeddingsT all = e;
  // A row for each layer, so that each has scales of its own.
  all.table =
      b.spec().Add({"layer_embeddings.table",
                    TensorRole::kEmbedding,
                    {{prefix + e.names.table + ".weight", e.vocab * n_layers, 0, {e.vocab, width}}},
                    e.size});
  all.projection = b.Linear("layer_embeddings.projection", {{prefix + e.names.projection, width}},
                            b.sizes().hidden, false, e.projection_scale);
  const std::string norm = prefix + e.names.norm;
  all.norm = b.NormOf("layer_embeddings.norm", {{norm + ".weight", e.size}},
                      {{norm + ".bias", e.size}}, b.family().norm_bias, 1);
  return all;
}

format::LayerEmbeddingT Build(const LayerEmbedding& e, SublayerBuilder& b) {
  const uint32_t hidden = b.sizes().hidden;
  const std::string name = b.name() + "layer_embedding.", source = b.source();
  format::LayerEmbeddingT embedding = e;
  embedding.gate = b.Linear(name + "gate", {{source + e.names.gate, e.size}}, hidden, false);
  embedding.down = b.Linear(name + "down", {{source + e.names.down, hidden}}, e.size, false);
  return embedding;
}

}  // namespace rondo::convert
