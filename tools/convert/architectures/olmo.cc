// OLMo 2: norms after attention and MLP only, and of q and k as a whole. OLMoE: norms before, and
// experts.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

Family OlmoFamily(const Config& config, uint32_t context) {
  Family f(ReadSizes(config, {.default_context = context}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", false);
  f.head_norm = Family::HeadNorm::kWhole;
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  f.tied = config.Flag("tie_word_embeddings", false);
  return f;
}

}  // namespace

DecoderSpec ReadOlmo2(const Config& config) {
  Family f = OlmoFamily(config, 2048);
  f.attention_norm = f.mlp_norm = "";
  f.attention_post_norm = "post_attention_layernorm";
  f.mlp_post_norm = "post_feedforward_layernorm";
  return BuildDecoder(f);
}

DecoderSpec ReadOlmoe(const Config& config) {
  Family f = OlmoFamily(config, 4096);
  if (config.Has("clip_qkv")) f.qkv_clip = static_cast<float>(config.Positive("clip_qkv"));
  const auto n_experts = static_cast<uint32_t>(config.Integer("num_experts", 1, kMaxExperts, 64));
  f.experts = Family::Experts{
      .router = "mlp.gate",
      .expert = "mlp.experts.",
      .gate = "gate_proj",
      .up = "up_proj",
      .down = "down_proj",
      .n_experts = n_experts,
      .n_used = static_cast<uint32_t>(config.Integer("num_experts_per_tok", 1, n_experts, 8)),
      .intermediate = f.sizes.intermediate,
      .normalize = config.Flag("norm_topk_prob", false),
  };
  return BuildDecoder(f);
}

}  // namespace rondo::convert
