// GLM and GLM 4: RoPE of neighbouring channels in half of each head, gate and up in one tensor; in
// 4 norms behind attention and MLP, too.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

Family GlmFamily(const Config& config) {
  Family f(ReadSizes(config,
                     {.default_kv_heads = 2, .default_head_dim = 128, .default_context = 131072}));
  f.epsilon = config.Positive("rms_norm_eps", 1.5625e-7);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.qkv_bias = config.Flag("attention_bias", true);
  f.rope_pairs = Family::RopePairs::kNeighbours;
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, 10000, 0.5})};
  f.fused_gate = true;
  f.gate = "mlp.gate_up_proj";
  f.tied = config.Flag("tie_word_embeddings", false);
  return f;
}

DecoderSpec ReadGlm(const Config& config) { return BuildDecoder(GlmFamily(config)); }

DecoderSpec ReadGlm4(const Config& config) {
  Family f = GlmFamily(config);
  f.attention_post_norm = "post_self_attn_layernorm";
  f.mlp_post_norm = "post_mlp_layernorm";
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> GlmArchitectures() {
  return {
      {.name = "GlmForCausalLM", .model_type = "glm", .read = ReadGlm},
      {.name = "Glm4ForCausalLM", .model_type = "glm4", .read = ReadGlm4},
  };
}

}  // namespace rondo::convert
