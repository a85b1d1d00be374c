#include "runtime/decoder/decoder_spec.h"

namespace rondo {

namespace {

// What the schema can say and is not read yet: layers of other sublayers than attention or a
// convolution, then an MLP or experts; values of another width than keys; factors.
Status CheckSupported(int layer, const format::Layer& spec) {
  const auto refuse = [layer](const char* what) {
    return Status::Error(StatusCode::kUnsupported,
                         "layer %d %s, which this version of Rondo cannot run", layer, what);
  };
  const auto& sublayers = *spec.sublayers();
  if (sublayers.size() != 2) return refuse("does not have two sublayers");
  const format::Attention* attention = sublayers[0]->op_as_Attention();
  if (attention == nullptr && sublayers[0]->op_as_ShortConv() == nullptr) {
    return refuse("does not begin with attention or a convolution");
  }
  if (sublayers[1]->op_as_Mlp() == nullptr && sublayers[1]->op_as_Experts() == nullptr) {
    return refuse("does not end with an MLP or experts");
  }
  for (const format::Sublayer* sublayer : sublayers) {
    if (sublayer->factor() != 1) return refuse("has a sublayer with a factor");
  }
  if (attention != nullptr && attention->v_head_dim() != attention->head_dim()) {
    return refuse("has values of another width than keys");
  }
  return Status();
}

SublayerSpec ReadSublayer(const format::Sublayer& sublayer) {
  SublayerSpec spec = {};
  spec.reads_previous_input = sublayer.reads_previous_input();
  spec.has_post_norm = sublayer.post_norm() != nullptr;
  spec.factor = sublayer.factor();
  if (const format::Attention* attention = sublayer.op_as_Attention()) {
    spec.kind = SublayerKind::kAttention;
    spec.attention.n_heads = attention->n_heads();
    spec.attention.n_kv_heads = attention->n_kv_heads();
    spec.attention.head_dim = attention->head_dim();
    spec.attention.v_head_dim = attention->v_head_dim();
    spec.attention.rope = attention->rope();
    spec.attention.score_scale = attention->score_scale();
    spec.attention.soft_cap = attention->soft_cap();
    spec.attention.qkv_clip = attention->qkv_clip();
    spec.attention.window = attention->window();
  } else if (const format::ShortConv* conv = sublayer.op_as_ShortConv()) {
    spec.kind = SublayerKind::kShortConv;
    spec.short_conv.taps = conv->taps();
  } else if (const format::Mlp* mlp = sublayer.op_as_Mlp()) {
    spec.kind = SublayerKind::kMlp;
    spec.mlp.intermediate_size = mlp->intermediate_size();
    spec.mlp.activation = mlp->activation();
    spec.mlp.gated = !mlp->plain();
  } else if (const format::Experts* experts = sublayer.op_as_Experts()) {
    spec.kind = SublayerKind::kExperts;
    spec.mlp.intermediate_size = experts->intermediate_size();
    spec.mlp.activation = experts->activation();
    spec.mlp.gated = !experts->plain();
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
    RONDO_RETURN_IF_ERROR(CheckSupported(static_cast<int>(i), layer));
    spec.sublayers[2 * i] = ReadSublayer(*layer.sublayers()->Get(0));
    spec.sublayers[2 * i + 1] = ReadSublayer(*layer.sublayers()->Get(1));
    spec.layer_ends[i] = 2 * i + 2;
  }
  for (SublayerSpec& sublayer : spec.sublayers) {
    if (sublayer.keeps_positions()) sublayer.kv_entry = spec.n_kv_entries++;
  }
  return spec;
}

}  // namespace rondo
