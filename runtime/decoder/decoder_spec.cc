#include "runtime/decoder/decoder_spec.h"

namespace rondo {

Result<DecoderSpec> DecoderSpec::Read(const ModelFile& file) {
  const format::Model& model = file.model();
  DecoderSpec spec;
  spec.vocab_size = model.vocab_size();
  spec.hidden_size = model.hidden_size();
  spec.final_epsilon = static_cast<float>(model.final_norm()->epsilon());

  const size_t n_ropes = model.ropes() != nullptr ? model.ropes()->size() : 0;
  RONDO_ASSIGN(spec.ropes, HeapArray<RopeSpec>::Create(n_ropes));
  for (size_t i = 0; i < n_ropes; ++i) {
    const format::Rope* rope = model.ropes()->Get(static_cast<uint32_t>(i));
    spec.ropes[i] = {rope->frequencies()->data(), 2 * size_t{rope->frequencies()->size()},
                     rope->scale()};
  }

  RONDO_ASSIGN(spec.layers, HeapArray<LayerSpec>::Create(model.layers()->size()));
  for (size_t i = 0; i < spec.layers.size(); ++i) {
    const format::Layer* layer = model.layers()->Get(static_cast<uint32_t>(i));
    const format::Attention* attention = layer->attention();
    spec.layers[i] = {
        .n_heads = attention->n_heads(),
        .n_kv_heads = attention->n_kv_heads(),
        .head_dim = attention->head_dim(),
        .intermediate_size = layer->mlp()->intermediate_size(),
        .rope = attention->rope(),
        .score_scale = attention->score_scale(),
        .attention_epsilon = static_cast<float>(attention->norm()->epsilon()),
        .mlp_epsilon = static_cast<float>(layer->mlp()->norm()->epsilon()),
    };
  }
  return spec;
}

}  // namespace rondo
