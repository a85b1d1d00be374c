// Gemma, Gemma 2 and Gemma 3 (text): norms whose weights are kept less 1, a scaled embedding, GELU;
// later norms after attention and MLP, soft caps, windows in some layers, and a RoPE of their own.
#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

Family GemmaFamily(const Config& config, uint32_t kv_heads, uint32_t context) {
  if (config.Flag("use_bidirectional_attention", false)) {
    config.Refuse("use_bidirectional_attention", "is true: only causal attention is known");
  }
  Family f(ReadSizes(
      config, {.default_kv_heads = kv_heads, .default_head_dim = 256, .default_context = context}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-6);
  f.norm_offset = 1;
  // hidden_act of the first configs says "gelu", which the model never used.
  f.activation = ReadActivation(config, "hidden_activation", "gelu_pytorch_tanh");
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", false);
  f.embedding_scale = std::sqrt(static_cast<float>(f.sizes.hidden));
  f.tied = config.Flag("tie_word_embeddings", true);
  f.ignored = {"self_attn.rotary_emb.inv_freq"};
  return f;
}

// What Gemma 2 added: norms on both sides, the scale of scores, soft caps.
void AddGemma2(const Config& config, double attention_cap, double logit_cap, Family& f) {
  f.attention_post_norm = "post_attention_layernorm";
  f.mlp_norm = "pre_feedforward_layernorm";
  f.mlp_post_norm = "post_feedforward_layernorm";
  const double scalar = config.Positive("query_pre_attn_scalar", 256);
  f.layer_scale.assign(f.sizes.n_layers, static_cast<float>(1 / std::sqrt(scalar)));
  const auto cap = [&](const char* key, double if_absent) {
    if (!config.Mentions(key)) return static_cast<float>(if_absent);
    return config.Has(key) ? static_cast<float>(config.Positive(key)) : 0.0f;
  };
  f.soft_cap = cap("attn_logit_softcapping", attention_cap);
  f.logit_soft_cap = cap("final_logit_softcapping", logit_cap);
}

}  // namespace

DecoderSpec ReadGemma(const Config& config) {
  Family f = GemmaFamily(config, 16, 8192);
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  return BuildDecoder(f);
}

DecoderSpec ReadGemma2(const Config& config) {
  Family f = GemmaFamily(config, 4, 8192);
  AddGemma2(config, 50, 30, f);
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  f.layer_window =
      ReadWindows(config, f.sizes, ReadWindow(config, 4096), [](uint32_t i) { return i % 2 == 0; });
  return BuildDecoder(f);
}

DecoderSpec ReadGemma3(const Config& config) {
  Family f = GemmaFamily(config, 4, 131072);
  AddGemma2(config, 0, 0, f);
  f.soft_cap = 0;  // transformers reads attn_logit_softcapping here, and does not use it
  f.head_norm = Family::HeadNorm::kShared;
  const char* const kPattern =
      config.Has("sliding_window_pattern") ? "sliding_window_pattern" : "_sliding_window_pattern";
  const uint64_t pattern = config.Integer(kPattern, 1, kMaxLayers, 6);
  f.layer_window = ReadWindows(config, f.sizes, ReadWindow(config, 4096),
                               [pattern](uint32_t i) { return (i + 1) % pattern != 0; });
  // Rope 0 is of the layers that see everything, 1 of those with a window.
  const RopeRequest request = {f.sizes.head_dim, f.sizes.context, 1e6};
  const auto parameters = config.Object("rope_parameters");
  const auto full = parameters ? parameters->Object("full_attention") : std::nullopt;
  const auto sliding = parameters ? parameters->Object("sliding_attention") : std::nullopt;
  f.ropes = {full ? ReadRope(config, *full, request) : ReadRope(config, request)};
  RopeRequest local = request;
  local.theta = config.Positive("rope_local_base_freq", 10000);
  f.ropes.push_back(sliding ? ReadRope(config, *sliding, local)
                            : PlainRope(config, local.theta, local));
  for (const uint32_t window : f.layer_window) f.layer_rope.push_back(window == 0 ? 0 : 1);
  return BuildDecoder(f);
}

}  // namespace rondo::convert
