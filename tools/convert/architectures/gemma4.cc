// Gemma 4 (text): embeddings of each layer's own, layers that read the keys and values of others,
// larger heads in those that see everything, norms of values, and a factor at a layer's end.
#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

// Of a head's channels the first share turns, by frequencies that are counted over all of them.
RopeSpec ProportionalRope(const Config& parameters, uint32_t head_dim) {
  const double theta = parameters.Positive("rope_theta", 1e6);
  const double share = parameters.Positive("partial_rotary_factor", 1);
  const double factor = parameters.Positive("factor", 1);
  if (share > 1) parameters.Refuse("partial_rotary_factor", "is above 1");
  const auto turned = static_cast<uint32_t>(share * head_dim / 2);
  RopeSpec rope;
  for (uint32_t i = 0; i < head_dim / 2; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(head_dim);
    const float power = static_cast<float>(
        std::pow(static_cast<double>(static_cast<float>(theta)), static_cast<double>(exponent)));
    rope.frequencies.push_back(i < turned ? 1.0f / power / static_cast<float>(factor) : 0.0f);
  }
  rope.description = "proportional, " + std::to_string(2 * turned) + " of " +
                     std::to_string(head_dim) + " channels";
  return rope;
}

RopeSpec FullRope(const Config& config, uint32_t head_dim, uint32_t context) {
  const auto all = config.Object("rope_parameters");
  const auto full = all ? all->Object("full_attention") : std::nullopt;
  if (!full) {
    return ProportionalRope(
        Config::Of("its defaults: key ", {{"partial_rotary_factor", 0.25}, {"rope_theta", 1e6}}),
        head_dim);
  }
  if (full->Text("rope_type", "default") == "proportional")
    return ProportionalRope(*full, head_dim);
  return ReadRope(config, *full, {head_dim, context, 1e6});
}

RopeSpec SlidingRope(const Config& config, uint32_t head_dim, uint32_t context) {
  const auto all = config.Object("rope_parameters");
  const auto sliding = all ? all->Object("sliding_attention") : std::nullopt;
  const RopeRequest request = {head_dim, context, 1e4};
  return sliding ? ReadRope(config, *sliding, request) : PlainRope(config, 1e4, request);
}

// The last layers read the keys and values of the last one of their kind before them.
void ShareKeys(const Config& config, Family& f) {
  const uint32_t n_layers = f.sizes.n_layers;
  const auto shared =
      static_cast<uint32_t>(config.Integer("num_kv_shared_layers", 0, n_layers - uint64_t{1}, 0));
  if (shared == 0) return;
  const uint32_t first = n_layers - shared;
  const bool wide = config.Flag("use_double_wide_mlp", false);
  f.layer_kv_layer.assign(n_layers, -1);
  f.layer_intermediate.assign(n_layers, f.sizes.intermediate);
  for (uint32_t i = first; i < n_layers; ++i) {
    for (uint32_t owner = 0; owner < first; ++owner) {
      if ((f.layer_window[owner] == 0) == (f.layer_window[i] == 0)) {
        f.layer_kv_layer[i] = static_cast<int32_t>(owner);
      }
    }
    if (f.layer_kv_layer[i] < 0) {
      config.Refuse("num_kv_shared_layers",
                    "leaves layer " + std::to_string(i) + " none of its kind to share with");
    }
    if (wide) f.layer_intermediate[i] *= 2;
  }
}

void AddLayerEmbeddings(const Config& config, Family& f) {
  const char* const kSize = "hidden_size_per_layer_input";
  if (config.Mentions(kSize) && config.Integer(kSize, 0, kMaxHidden, 0) == 0) return;
  const auto size = static_cast<uint32_t>(config.Integer(kSize, 1, kMaxHidden, 256));
  f.layer_embeddings = Family::LayerEmbeddings{
      .size = size,
      .vocab =
          static_cast<uint32_t>(config.Integer("vocab_size_per_layer_input", 1, kMaxVocab, 262144)),
      .table_scale = std::sqrt(static_cast<float>(size)),
      .projection_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(f.sizes.hidden))),
      .scale = static_cast<float>(std::sqrt(0.5)),
  };
}

DecoderSpec ReadGemma4(const Config& config) {
  // "vision" is of pictures alone: text is causal.
  if (config.Text("use_bidirectional_attention", "vision") != "vision") {
    config.Refuse("use_bidirectional_attention", "is set: only causal attention is known");
  }
  if (config.Flag("enable_moe_block", false)) {
    config.Refuse("enable_moe_block", "is true: only models without experts are known");
  }
  Family f(ReadSizes(config,
                     {.default_kv_heads = 4, .default_head_dim = 256, .default_context = 131072}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-6);
  f.activation = ReadActivation(config, "hidden_activation", "gelu_pytorch_tanh");
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", false);
  f.embedding_scale = std::sqrt(static_cast<float>(f.sizes.hidden));
  f.tied = config.Flag("tie_word_embeddings", true);
  f.attention_post_norm = "post_attention_layernorm";
  f.mlp_norm = "pre_feedforward_layernorm";
  f.mlp_post_norm = "post_feedforward_layernorm";
  f.head_norm = Family::HeadNorm::kShared;
  f.v_norm = true;
  f.layer_factor = "layer_scalar";
  if (config.Has("final_logit_softcapping")) {
    f.logit_soft_cap = static_cast<float>(config.Positive("final_logit_softcapping"));
  }
  const uint32_t n_layers = f.sizes.n_layers;
  f.layer_scale.assign(n_layers, 1.0f);
  f.layer_window = ReadWindows(config, f.sizes, ReadWindow(config, 512),
                               [&](uint32_t i) { return (i + 1) % 6 != 0 && i + 1 < n_layers; });
  f.layer_window.back() = 0;  // whatever the list says

  // Layers that see everything have heads of their own size.
  const auto global_dim = static_cast<uint32_t>(
      config.Integer("global_head_dim", 1, kMaxHeadDim,
                     config.Mentions("global_head_dim") ? f.sizes.head_dim : 512));
  const bool k_is_v = config.Flag("attention_k_eq_v", false);
  const uint32_t global_kv_heads =
      k_is_v ? static_cast<uint32_t>(config.Integer("num_global_key_value_heads", 1,
                                                    f.sizes.n_heads, f.sizes.n_kv_heads))
             : f.sizes.n_kv_heads;
  if (global_dim % kHeadDimMultiple != 0) {
    config.Refuse("global_head_dim", "is not a multiple of " + std::to_string(kHeadDimMultiple));
  }
  if (f.sizes.n_heads % global_kv_heads != 0) {
    config.Refuse("num_global_key_value_heads", "does not divide num_attention_heads");
  }
  for (const uint32_t window : f.layer_window) {
    const bool global = window == 0;
    f.layer_head_dim.push_back(global ? global_dim : f.sizes.head_dim);
    f.layer_kv_heads.push_back(global ? global_kv_heads : f.sizes.n_kv_heads);
    f.layer_v_is_k.push_back(global && k_is_v);
    f.layer_rope.push_back(global ? 0 : 1);
  }
  f.ropes = {FullRope(config, global_dim, f.sizes.context),
             SlidingRope(config, f.sizes.head_dim, f.sizes.context)};
  ShareKeys(config, f);
  AddLayerEmbeddings(config, f);
  // Of layers that share keys, checkpoints may hold what is not used.
  f.ignored = {"self_attn.k_proj.weight", "self_attn.v_proj.weight", "self_attn.k_norm.weight",
               "self_attn.v_norm.weight"};
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> Gemma4Architectures() {
  return {
      {.name = "Gemma4ForCausalLM", .model_type = "gemma4_text", .read = ReadGemma4},
  };
}

}  // namespace rondo::convert
