// GLM and GLM 4: RoPE of neighbouring channels in half of each head, gate and up in one tensor; in
// 4 norms behind attention and MLP, too.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

Family GlmFamily(const Config& config) {
  Family f = ReadFamily(config,
                        {.default_kv_heads = 2, .default_head_dim = 128, .default_context = 131072},
                        {.epsilon = 1.5625e-7, .turning = 0.5});
  f.attention.qkv_bias = config.Flag("attention_bias", true);
  f.attention.rope_pairs = RopePairs::kNeighbours;
  f.mlp.FuseGate("mlp.gate_up_proj");
  return f;
}

DecoderSpec ReadGlm(const Config& config) { return BuildDecoder(GlmFamily(config)); }

DecoderSpec ReadGlm4(const Config& config) {
  Family f = GlmFamily(config);
  f.attention.post_norm = "post_self_attn_layernorm";
  f.mlp.post_norm = "post_mlp_layernorm";
  return BuildDecoder(f);
}

void AddGlm4(const GgufKeys& keys, nlohmann::json& config) {
  // The converter of models that see turns their channels about.
  if (keys.Has("rope.dimension_sections")) {
    keys.Refuse("rope.dimension_sections", "is set, which is not known for this model");
  }
  AddBiases(keys, config);
}

}  // namespace

std::vector<Architecture> GlmArchitectures() {
  const NameRules glm4 = {
      {"blk.{}.post_attention_norm", "model.layers.{}.post_self_attn_layernorm"},
      {"blk.{}.post_ffw_norm", "model.layers.{}.post_mlp_layernorm"},
      {"blk.{}.ffn_up", "model.layers.{}.mlp.gate_up_proj"},
  };
  return {
      {.name = "GlmForCausalLM", .model_type = "glm", .read = ReadGlm},
      {.name = "Glm4ForCausalLM",
       .model_type = "glm4",
       .read = ReadGlm4,
       .gguf = "glm4",
       .add_gguf = AddGlm4,
       .gguf_names = With(UsualNames(), glm4)},
  };
}

}  // namespace rondo::convert
