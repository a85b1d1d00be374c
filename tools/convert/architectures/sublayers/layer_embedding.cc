#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

format::LayerEmbeddingsT BuildLayerEmbeddings(SublayerBuilder& b) {
  const Family& f = b.family();
  const Sizes& s = b.sizes();
  const Family::LayerEmbeddings& e = *f.layer_embeddings;
  const uint64_t width = uint64_t{s.n_layers} * e.size;
  format::LayerEmbeddingsT all;
  all.size = e.size;
  // A row for each layer, so that each has scales of its own.
  all.table = b.spec().Add(
      {"layer_embeddings.table",
       TensorRole::kEmbedding,
       {{f.prefix + e.table + ".weight", uint64_t{e.vocab} * s.n_layers, 0, {e.vocab, width}}},
       e.size});
  all.table_scale = e.table_scale;
  all.projection = b.Linear("layer_embeddings.projection", {{f.prefix + e.projection, width}},
                            s.hidden, false, e.projection_scale);
  const std::string norm = f.prefix + e.norm;
  all.norm = b.NormOf("layer_embeddings.norm", {{norm + ".weight", e.size}},
                      {{norm + ".bias", e.size}}, f.norm_bias, 1);
  all.scale = e.scale;
  return all;
}

format::LayerEmbeddingT BuildLayerEmbedding(SublayerBuilder& b) {
  const Family& f = b.family();
  const Family::LayerEmbeddings& e = *f.layer_embeddings;
  const std::string name = b.name() + "layer_embedding.";
  format::LayerEmbeddingT embedding;
  embedding.activation = f.activation;
  embedding.gate =
      b.Linear(name + "gate", {{b.source() + e.gate, e.size}}, b.sizes().hidden, false);
  embedding.down =
      b.Linear(name + "down", {{b.source() + e.down, b.sizes().hidden}}, e.size, false);
  return embedding;
}

}  // namespace rondo::convert
