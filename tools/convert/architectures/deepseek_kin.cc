// GLM 4.5 and dots.llm1: Llama with DeepSeek-V3's experts, and norms of q and k.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadGlm4Moe(const Config& config) {
  Family f(ReadSizes(config, {.default_kv_heads = 8, .default_context = 131072}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.qkv_bias = config.Flag("attention_bias", false);
  if (config.Flag("use_qk_norm", false)) f.head_norm = Family::HeadNorm::kShared;
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, 10000, 0.5})};
  f.tied = config.Flag("tie_word_embeddings", false);
  f.experts = ReadDeepSeekExperts(config, f,
                                  {.n_experts = "n_routed_experts",
                                   .default_experts = 128,
                                   .default_used = 8,
                                   .intermediate = "moe_intermediate_size",
                                   .default_intermediate = 1408});
  SkipFirstLayers(config, 1, f);
  return BuildDecoder(f);
}

DecoderSpec ReadDots1(const Config& config) {
  Family f(ReadSizes(config, {.default_kv_heads = 32, .default_context = 2048}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-6);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", false);
  f.head_norm = Family::HeadNorm::kShared;
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  f.tied = config.Flag("tie_word_embeddings", false);
  const uint64_t full = config.Integer("max_window_layers", 0, UINT32_MAX, 62);
  f.layer_window = ReadWindows(config, f.sizes, ReadWindow(config, 4096),
                               [full](uint32_t i) { return i >= full; });
  f.experts = ReadDeepSeekExperts(config, f,
                                  {.n_experts = "n_routed_experts",
                                   .intermediate = "moe_intermediate_size",
                                   .default_intermediate = 1408});
  f.experts->normalize = config.Flag("norm_topk_prob", false);
  SkipFirstLayers(config, 0, f);
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> DeepSeekKinArchitectures() {
  return {
      {.name = "Glm4MoeForCausalLM", .model_type = "glm4_moe", .read = ReadGlm4Moe},
      {.name = "Dots1ForCausalLM", .model_type = "dots1", .read = ReadDots1},
  };
}

}  // namespace rondo::convert
