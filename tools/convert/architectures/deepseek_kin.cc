// GLM 4.5, dots.llm1, SOLAR Open and HY 3: Llama with DeepSeek-V3's experts; norms of q and k but
// in SOLAR Open.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadGlm4MoeOf(const Config& config, bool is_seeing) {
  Family f =
      ReadFamily(config, {.default_kv_heads = 8, .default_context = is_seeing ? 65536u : 131072u},
                 {.epsilon = 1e-5, .turning = 0.5});
  f.attention.qkv_bias = config.Flag("attention_bias", is_seeing);
  if (!is_seeing && config.Flag("use_qk_norm", false)) {
    f.attention.head_norm = HeadNorm::kShared;
  }
  Experts experts = ReadDeepSeekExperts(config, f,
                                        {.n_experts = "n_routed_experts",
                                         .default_experts = 128,
                                         .default_used = 8,
                                         .intermediate = "moe_intermediate_size",
                                         .default_intermediate = 1408});
  f.left_out = {"mtp."};  // of GGUF files
  ReadNextLayers(config, f);
  f.PlaceExperts(experts, BehindFirstLayers(config, 1));
  return BuildDecoder(f);
}

DecoderSpec ReadGlm4Moe(const Config& config) { return ReadGlm4MoeOf(config, false); }

// The text's part of GLM-4.5V and 4.6V.
DecoderSpec ReadGlm4vMoe(const Config& config) { return ReadGlm4MoeOf(config, true); }

DecoderSpec ReadDots1(const Config& config) {
  Family f = ReadFamily(config, {.default_kv_heads = 32, .default_context = 2048},
                        {.attention_bias = false});
  f.attention.head_norm = HeadNorm::kShared;
  const uint64_t full = config.Integer("max_window_layers", 0, UINT32_MAX, 62);
  const std::vector<uint32_t> windows = ReadWindows(config, f.sizes, ReadWindow(config, 4096),
                                                    [full](uint32_t i) { return i >= full; });
  Experts experts = ReadDeepSeekExperts(config, f,
                                        {.n_experts = "n_routed_experts",
                                         .intermediate = "moe_intermediate_size",
                                         .default_intermediate = 1408});
  experts.normalize = config.Flag("norm_topk_prob", false);
  f.AddLayers(windows);
  f.PlaceExperts(experts, BehindFirstLayers(config, 0));
  return BuildDecoder(f);
}

DecoderSpec ReadSolarOpen(const Config& config) {
  Family f = ReadFamily(config,
                        {.intermediate = nullptr,
                         .default_kv_heads = 8,
                         .default_head_dim = 128,
                         .default_context = 131072},
                        {.epsilon = 1e-5, .theta = 1e6});
  f.attention.qkv_bias = config.Flag("attention_bias", false);
  Experts experts = ReadDeepSeekExperts(config, f,
                                        {.n_experts = "n_routed_experts",
                                         .default_experts = 128,
                                         .default_used = 8,
                                         .intermediate = "moe_intermediate_size",
                                         .default_intermediate = 1280});
  ReadNextLayers(config, f);
  f.PlaceExperts(experts);
  return BuildDecoder(f);
}

DecoderSpec ReadHyV3(const Config& config) {
  Family f = ReadFamily(config,
                        {.default_kv_heads = 8, .default_head_dim = 128, .default_context = 131072},
                        {.epsilon = 1e-5, .theta = 11158840, .attention_bias = false});
  f.mlp.bias = config.Flag("mlp_bias", false);
  f.attention.head_norm = HeadNorm::kShared;
  Experts experts = ReadExperts(config, f,
                                {.n_experts = "num_experts",
                                 .default_experts = 192,
                                 .default_used = 8,
                                 .intermediate = "moe_intermediate_size",
                                 .default_intermediate = 1536});
  experts.scoring = format::Scoring::kSigmoid;
  experts.names.choice_bias = "mlp.e_score_correction_bias";
  experts.normalize = true;
  experts.normalize_epsilon = 1e-20f;
  experts.weight_scale = static_cast<float>(config.Number("router_scaling_factor", 2.826));
  const uint64_t shared = config.Integer("num_shared_experts", 1, kMaxExperts, 1);
  ShareExperts(config, "num_shared_experts", shared, experts);
  // As it is published.
  f.other_names = {{"mlp.gate.", "mlp.router.gate."},
                   {"mlp.e_score_correction_bias", "mlp.expert_bias"},
                   {"mlp.shared_experts.", "mlp.shared_mlp."}};
  ReadNextLayers(config, f);
  f.PlaceExperts(experts, SparseLayers(config, f.sizes, 1));
  return BuildDecoder(f);
}

void AddGlm4Moe(const GgufKeys& keys, nlohmann::json& config) {
  AddBiases(keys, config);
  AddDeepSeekExperts(keys, config);
  CheckGating(keys, Gating::kSigmoid);
  config["use_qk_norm"] = keys.HasInSomeLayer("attn_q_norm.weight");
}

void AddDots1(const GgufKeys& keys, nlohmann::json& config) {
  AddBiases(keys, config);
  AddDeepSeekExperts(keys, config);
  CheckGating(keys, Gating::kSigmoid);
  AddWindow(keys, config);
}

}  // namespace

std::vector<Architecture> DeepSeekKinArchitectures() {
  const NameRules dots1 =
      With(With(With(UsualNames(), StackedExpertNames()), SharedExpertNames()),
           {{"blk.{}.exp_probs_b.bias", "model.layers.{}.mlp.gate.e_score_correction_bias"}});
  const NameRules glm4_moe =
      With(dots1, {{"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm"}});
  return {
      {.name = "Glm4MoeForCausalLM",
       .model_type = "glm4_moe",
       .read = ReadGlm4Moe,
       .gguf = "glm4moe",
       .add_gguf = AddGlm4Moe,
       .gguf_names = glm4_moe},
      {.name = "Glm4vMoeTextModel", .model_type = "glm4v_moe_text", .read = ReadGlm4vMoe},
      {.name = "Dots1ForCausalLM",
       .model_type = "dots1",
       .read = ReadDots1,
       .gguf = "dots1",
       .add_gguf = AddDots1,
       .gguf_names = dots1},
      {.name = "SolarOpenForCausalLM", .model_type = "solar_open", .read = ReadSolarOpen},
      {.name = "HYV3ForCausalLM", .model_type = "hy_v3", .read = ReadHyV3},
  };
}

}  // namespace rondo::convert
