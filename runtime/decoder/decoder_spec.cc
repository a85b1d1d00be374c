#include "runtime/decoder/decoder_spec.h"

namespace rondo {

namespace {

LayerSpec ReadLayer(const format::Layer& layer) {
  LayerSpec spec;
  if (const format::ShortConv* conv = layer.conv()) {
    spec.conv_taps = conv->taps();
  } else {
    const format::Attention& attention = *layer.attention();
    spec.n_heads = attention.n_heads();
    spec.n_kv_heads = attention.n_kv_heads();
    spec.head_dim = attention.head_dim();
    spec.rope = attention.rope();
    spec.score_scale = attention.score_scale();
    spec.soft_cap = attention.soft_cap();
    spec.qkv_clip = attention.qkv_clip();
    spec.window = attention.window();
    spec.post_norms = attention.post_norm() != nullptr;
  }
  const format::Mlp& mlp = *layer.mlp();
  spec.post_norms = spec.post_norms || mlp.post_norm() != nullptr;
  spec.parallel = layer.parallel();
  spec.intermediate_size = mlp.intermediate_size();
  spec.activation = mlp.activation();
  spec.gated = !mlp.plain();
  if (const format::Experts* experts = mlp.experts()) {
    spec.n_experts = experts->experts()->size();
    spec.n_used_experts = experts->n_used();
    spec.normalize_experts = experts->normalize();
  }
  return spec;
}

}  // namespace

Result<DecoderSpec> DecoderSpec::Read(const ModelFile& file) {
  const format::Model& model = file.model();
  DecoderSpec spec;
  spec.vocab_size = model.vocab_size();
  spec.hidden_size = model.hidden_size();
  spec.embedding_scale = model.embedding_scale();
  spec.logit_soft_cap = model.logit_soft_cap();
  if (model.positions() >= 0) spec.max_positions = model.context_length();

  const size_t n_ropes = model.ropes()->size();
  RONDO_ASSIGN(spec.ropes, HeapArray<RopeSpec>::Create(n_ropes));
  for (size_t i = 0; i < n_ropes; ++i) {
    const format::Rope* rope = model.ropes()->Get(static_cast<uint32_t>(i));
    const auto* longer = rope->long_frequencies();
    spec.ropes[i] = {rope->frequencies()->data(), longer != nullptr ? longer->data() : nullptr,
                     2 * size_t{rope->frequencies()->size()}, rope->scale()};
    if (longer != nullptr) spec.short_context = rope->short_context();
  }

  RONDO_ASSIGN(spec.layers, HeapArray<LayerSpec>::Create(model.layers()->size()));
  for (size_t i = 0; i < spec.layers.size(); ++i) {
    spec.layers[i] = ReadLayer(*model.layers()->Get(static_cast<uint32_t>(i)));
  }
  return spec;
}

}  // namespace rondo
