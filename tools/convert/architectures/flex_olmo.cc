// FlexOlmo: OLMo 2 with experts.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadFlexOlmo(const Config& config) {
  Family f(ReadSizes(config, {.default_context = 4096}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-6);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", false);
  f.head_norm = Family::HeadNorm::kWhole;
  f.attention_norm = f.mlp_norm = "";
  f.attention_post_norm = "post_attention_layernorm";
  f.mlp_post_norm = "post_feedforward_layernorm";
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, 500000})};
  f.tied = config.Flag("tie_word_embeddings", false);
  f.experts =
      ReadExperts(config, f, {.n_experts = "num_experts", .default_experts = 7, .default_used = 5});
  f.experts->normalize = config.Flag("norm_topk_prob", false);
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> FlexOlmoArchitectures() {
  return {{.name = "FlexOlmoForCausalLM", .model_type = "flex_olmo", .read = ReadFlexOlmo}};
}

}  // namespace rondo::convert
