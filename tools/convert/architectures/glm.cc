// GLM and GLM 4: RoPE of neighbouring channels in half of each head, gate and up in one tensor; in
// 4 norms behind attention and MLP, too. The texts of GLM-4.1V and GLM-OCR are GLM 4's.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
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

Family Glm4Family(Family f) {
  f.attention.post_norm = "post_self_attn_layernorm";
  f.mlp.post_norm = "post_mlp_layernorm";
  return f;
}

DecoderSpec ReadGlm4(const Config& config) { return BuildDecoder(Glm4Family(GlmFamily(config))); }

Family Glm4vFamily(const Config& config, uint32_t default_kv_heads, bool qkv_bias) {
  Family f = ReadFamily(
      config,
      {.default_kv_heads = default_kv_heads, .default_context = qkv_bias ? 32768u : 131072u},
      {.epsilon = 1e-5});
  f.attention.qkv_bias = qkv_bias;
  f.attention.rope_pairs = RopePairs::kNeighbours;
  f.mlp.FuseGate("mlp.gate_up_proj");
  return Glm4Family(f);
}

DecoderSpec ReadGlm4v(const Config& config) { return BuildDecoder(Glm4vFamily(config, 2, true)); }

DecoderSpec ReadGlmOcr(const Config& config) {
  Family f = Glm4vFamily(config, 8, false);
  // It is there whether the config says so or not.
  const char* const kNext = "num_nextn_predict_layers";
  ReadNextLayers(config.Has(kNext) ? config : config.With(kNext, 1), f);
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
      {.name = "Glm4vTextModel", .model_type = "glm4v_text", .read = ReadGlm4v},
      {.name = "GlmOcrTextModel", .model_type = "glm_ocr_text", .read = ReadGlmOcr},
  };
}

}  // namespace rondo::convert
