#include "runtime/decoder/decoder_spec.h"

namespace rondo {

namespace {

QueryScale ReadQueryScale(const format::QueryScale* scale) {
  if (scale == nullptr) return {};
  return {scale->factor(), scale->period(), scale->offset()};
}

AttentionSpec ReadAttention(const format::Attention& attention) {
  AttentionSpec spec;
  spec.n_heads = attention.n_heads();
  spec.n_kv_heads = attention.n_kv_heads();
  spec.head_dim = attention.head_dim();
  spec.v_head_dim = attention.v_head_dim();
  spec.rope = attention.rope();
  spec.score_scale = attention.score_scale();
  spec.soft_cap = attention.soft_cap();
  spec.qkv_clip = attention.qkv_clip();
  spec.chunked = attention.chunk() > 0;
  spec.window = spec.chunked ? attention.chunk() : attention.window();
  spec.norms_after_rope = attention.norms_after_rope();
  if (attention.alibi_slopes() != nullptr) spec.alibi_slopes = attention.alibi_slopes()->data();
  spec.query_scale = ReadQueryScale(attention.query_scale());
  spec.gate = attention.gate();
  spec.gate_by_head = attention.gate_by_head();
  spec.shares_kv = attention.kv_layer() >= 0;
  return spec;
}

LatentAttentionSpec ReadLatentAttention(const format::LatentAttention& attention) {
  LatentAttentionSpec spec;
  spec.n_heads = attention.n_heads();
  spec.nope_dim = attention.nope_dim();
  spec.rope_dim = attention.rope_dim();
  spec.latent_dim = attention.latent_dim();
  spec.v_head_dim = attention.v_head_dim();
  spec.rope = attention.rope();
  spec.score_scale = attention.score_scale();
  spec.query_scale = ReadQueryScale(attention.query_scale());
  return spec;
}

RecurrentSpec ReadGatedDeltaNet(const format::GatedDeltaNet& net) {
  RecurrentSpec spec;
  spec.n_heads = net.n_value_heads();
  spec.head_dim = net.value_head_dim();
  spec.n_groups = net.n_key_heads();
  spec.group_dim = net.key_head_dim();
  spec.taps = net.taps();
  spec.beta_scale = net.beta_scale();
  spec.gate_after_norm = true;
  return spec;
}

RecurrentSpec ReadMamba2(const format::Mamba2& mamba) {
  RecurrentSpec spec;
  spec.n_heads = mamba.n_heads();
  spec.head_dim = mamba.head_dim();
  spec.n_groups = mamba.n_groups();
  spec.group_dim = mamba.state_size();
  spec.taps = mamba.taps();
  spec.dt_min = mamba.dt_min();
  spec.dt_max = mamba.dt_max();
  spec.gate_after_norm = mamba.gate_after_norm();
  return spec;
}

template <typename Table>  // Mlp, or Experts: each of them is one
MlpSpec ReadMlp(const Table& mlp) {
  MlpSpec spec;
  spec.intermediate_size = mlp.intermediate_size();
  spec.activation = mlp.activation();
  spec.gated = !mlp.plain();
  spec.limit = mlp.limit();
  spec.up_offset = mlp.up_offset();
  return spec;
}

ExpertsSpec ReadExperts(const format::Experts& experts) {
  ExpertsSpec spec;
  spec.n_experts = experts.experts()->size();
  spec.n_used = experts.n_used();
  spec.scoring = experts.scoring();
  spec.jitter = experts.jitter();
  spec.n_groups = experts.n_groups();
  spec.n_groups_used = experts.n_groups_used();
  spec.group_best = experts.group_best();
  spec.normalize = experts.normalize();
  spec.normalize_epsilon = experts.normalize_epsilon();
  spec.normalize_min = experts.normalize_min();
  spec.weight_scale = experts.weight_scale();
  spec.weigh_input = experts.weigh_input();
  spec.shared_gate = experts.shared_gate();
  spec.shared = ReadMlp(experts);
  spec.shared.intermediate_size = experts.shared_size();
  spec.shared_norm = experts.shared_norm() != nullptr;
  return spec;
}

SublayerSpec ReadSublayer(const format::Sublayer& sublayer) {
  SublayerSpec spec = {};
  spec.reads_previous_input = sublayer.reads_previous_input();
  spec.has_post_norm = sublayer.post_norm() != nullptr;
  spec.factor = sublayer.factor();
  spec.residual_factor = sublayer.residual_factor();
  if (const format::Attention* attention = sublayer.op_as_Attention()) {
    spec.kind = SublayerKind::kAttention;
    spec.attention = ReadAttention(*attention);
  } else if (const format::ShortConv* conv = sublayer.op_as_ShortConv()) {
    spec.kind = SublayerKind::kShortConv;
    spec.short_conv.taps = conv->taps();
  } else if (const format::Mlp* mlp = sublayer.op_as_Mlp()) {
    spec.kind = SublayerKind::kMlp;
    spec.mlp = ReadMlp(*mlp);
    spec.mlp.cuts_gate = mlp->gate_cutoff() != nullptr;
    if (spec.mlp.cuts_gate) spec.mlp.gate_deviations = mlp->gate_cutoff()->deviations();
  } else if (const format::LatentAttention* latent = sublayer.op_as_LatentAttention()) {
    spec.kind = SublayerKind::kLatentAttention;
    spec.latent_attention = ReadLatentAttention(*latent);
  } else if (const format::LayerEmbedding* embedding = sublayer.op_as_LayerEmbedding()) {
    spec.kind = SublayerKind::kLayerEmbedding;
    spec.layer_embedding.activation = embedding->activation();
  } else if (const format::GatedDeltaNet* net = sublayer.op_as_GatedDeltaNet()) {
    spec.kind = SublayerKind::kGatedDeltaNet;
    spec.recurrent = ReadGatedDeltaNet(*net);
  } else if (const format::Mamba2* mamba = sublayer.op_as_Mamba2()) {
    spec.kind = SublayerKind::kMamba2;
    spec.recurrent = ReadMamba2(*mamba);
  } else if (sublayer.op_as_Laurel() != nullptr) {
    spec.kind = SublayerKind::kLaurel;
  } else {
    const format::Experts& experts = *sublayer.op_as_Experts();
    spec.kind = SublayerKind::kExperts;
    spec.mlp = ReadMlp(experts);
    spec.experts = ReadExperts(experts);
  }
  return spec;
}

// The KV entry of the attention that `sublayers` have; it passed the checks, so that there is one.
size_t EntryOfAttention(std::span<const SublayerSpec> sublayers) {
  size_t i = 0;
  while (sublayers[i].kind != SublayerKind::kAttention) ++i;
  return sublayers[i].kv_entry;
}

// Whose input lies in a buffer of its own.
enum class InputKind : uint8_t { kMixer, kState, kLaurel, kMlp };

InputKind InputOf(const SublayerSpec& sublayer) {
  if (sublayer.keeps_state()) return InputKind::kState;
  if (sublayer.kind == SublayerKind::kLaurel) return InputKind::kLaurel;
  return sublayer.keeps_positions() ? InputKind::kMixer : InputKind::kMlp;
}

// Where sublayers read what the one before them read, their inputs are made before any of them
// runs: so each needs a buffer of its own, and one that does not use the others' buffers. MLPs and
// experts come last.
Status CheckNeighbours(std::span<const SublayerSpec> sublayers, size_t layer) {
  for (size_t i = 0; i < sublayers.size(); ++i) {
    if (!sublayers[i].reads_previous_input) continue;
    bool apart = i > 0;
    for (size_t other = i; apart && other-- > 0;) {
      const InputKind kind = InputOf(sublayers[other]);
      apart = kind != InputOf(sublayers[i]) && kind != InputKind::kMlp;
      if (!sublayers[other].reads_previous_input) break;
    }
    if (apart) continue;
    return Status::Error(
        StatusCode::kUnsupported,
        "sublayer %zu of layer %zu reads what the one before it read, which only "
        "attention or a convolution, a recurrence, a laurel, and an MLP or experts "
        "behind these can, one of each",
        i, layer);
  }
  return Status();
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
  if (const format::LayerEmbeddings* embeddings = model.layer_embeddings()) {
    spec.layer_embedding_size = embeddings->size();
    spec.layer_table_scale = embeddings->table_scale();
    spec.layer_embedding_scale = embeddings->scale();
  }
  if (const format::AltUp* alt_up = model.alt_up()) {
    spec.alt_up = {alt_up->n_streams(), alt_up->active()};
  }

  const size_t n_ropes = model.ropes()->size();
  RONDO_ASSIGN(spec.ropes, HeapArray<RopeSpec>::Create(n_ropes));
  for (size_t i = 0; i < n_ropes; ++i) {
    const format::Rope* rope = model.ropes()->Get(static_cast<uint32_t>(i));
    const auto* longer = rope->long_frequencies();
    spec.ropes[i] = {rope->frequencies()->data(), longer != nullptr ? longer->data() : nullptr,
                     2 * size_t{rope->frequencies()->size()}, rope->scale(),
                     rope->long_scale() > 0 ? rope->long_scale() : rope->scale()};
    if (longer != nullptr) spec.short_context = rope->short_context();
  }

  const size_t n_layers = model.layers()->size();
  RONDO_ASSIGN(spec.layer_ends, HeapArray<size_t>::Create(n_layers));
  size_t n_sublayers = 0;
  for (const format::Layer* layer : *model.layers()) n_sublayers += layer->sublayers()->size();
  RONDO_ASSIGN(spec.sublayers, HeapArray<SublayerSpec>::Create(n_sublayers));
  size_t n = 0;
  for (size_t i = 0; i < n_layers; ++i) {
    const size_t begin = n;
    for (const format::Sublayer* sublayer :
         *model.layers()->Get(static_cast<uint32_t>(i))->sublayers()) {
      SublayerSpec& read = spec.sublayers[n++];
      read = ReadSublayer(*sublayer);
      read.layer_embedding.layer = i;
      if (read.attention.shares_kv) {
        const auto owner = static_cast<size_t>(sublayer->op_as_Attention()->kv_layer());
        read.kv_entry = EntryOfAttention(spec.sublayers.span().subspan(spec.layer_begin(owner)));
      } else if (read.keeps_positions() || read.keeps_state()) {
        read.kv_entry = spec.n_kv_entries++;
      }
    }
    spec.layer_ends[i] = n;
    RONDO_RETURN_IF_ERROR(CheckNeighbours(spec.sublayers.span().subspan(begin, n - begin), i));
  }
  return spec;
}

}  // namespace rondo
