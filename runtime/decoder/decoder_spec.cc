#include "runtime/decoder/decoder_spec.h"

namespace rondo {

namespace {

SublayerSpec ReadMixer(const format::Layer& layer) {
  SublayerSpec spec = {};
  if (const format::ShortConv* conv = layer.conv()) {
    spec.kind = SublayerKind::kShortConv;
    spec.short_conv.taps = conv->taps();
    return spec;
  }
  const format::Attention& attention = *layer.attention();
  spec.kind = SublayerKind::kAttention;
  spec.has_post_norm = attention.post_norm() != nullptr;
  spec.attention.n_heads = attention.n_heads();
  spec.attention.n_kv_heads = attention.n_kv_heads();
  spec.attention.head_dim = spec.attention.v_head_dim = attention.head_dim();
  spec.attention.rope = attention.rope();
  spec.attention.score_scale = attention.score_scale();
  spec.attention.soft_cap = attention.soft_cap();
  spec.attention.qkv_clip = attention.qkv_clip();
  spec.attention.window = attention.window();
  return spec;
}

SublayerSpec ReadMlp(const format::Layer& layer) {
  const format::Mlp& mlp = *layer.mlp();
  SublayerSpec spec = {};
  spec.kind = SublayerKind::kMlp;
  spec.reads_previous_input = layer.parallel();
  spec.has_post_norm = mlp.post_norm() != nullptr;
  spec.mlp.intermediate_size = mlp.intermediate_size();
  spec.mlp.activation = mlp.activation();
  spec.mlp.gated = !mlp.plain();
  if (const format::Experts* experts = mlp.experts()) {
    spec.kind = SublayerKind::kExperts;
    spec.experts.n_experts = experts->experts()->size();
    spec.experts.n_used = experts->n_used();
    spec.experts.normalize = experts->normalize();
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

  const size_t n_layers = model.layers()->size();
  RONDO_ASSIGN(spec.layer_ends, HeapArray<size_t>::Create(n_layers));
  RONDO_ASSIGN(spec.sublayers, HeapArray<SublayerSpec>::Create(2 * n_layers));
  for (size_t i = 0; i < n_layers; ++i) {
    const format::Layer& layer = *model.layers()->Get(static_cast<uint32_t>(i));
    spec.sublayers[2 * i] = ReadMixer(layer);
    spec.sublayers[2 * i + 1] = ReadMlp(layer);
    spec.layer_ends[i] = 2 * i + 2;
  }
  for (SublayerSpec& sublayer : spec.sublayers) {
    if (sublayer.keeps_positions()) sublayer.kv_entry = spec.n_kv_entries++;
  }
  return spec;
}

}  // namespace rondo
