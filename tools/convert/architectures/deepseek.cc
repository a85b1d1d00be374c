// Llama with latent attention: Youtu, and with experts DeepSeek-V2 and V3 and GLM 4.7 Flash.
#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

uint32_t ReadDim(const Config& config, const char* key, uint64_t if_absent) {
  const uint64_t dim = config.Integer(key, 1, kMaxHeadDim, if_absent);
  if (dim % kHeadDimMultiple != 0) {
    config.Refuse(key, "is not a multiple of " + std::to_string(kHeadDimMultiple));
  }
  return static_cast<uint32_t>(dim);
}

struct LatentDefaults {
  uint64_t q_rank = 1536, latent_dim = 512, nope_dim = 128, rope_dim = 64, v_head_dim = 128;
};

LatentAttention ReadLatent(const Config& config, const LatentDefaults& defaults) {
  LatentAttention latent;
  const char* const kRank = "q_lora_rank";  // null: queries are not of a low rank
  latent.q_rank = static_cast<uint32_t>(
      config.Integer(kRank, 1, kMaxHidden, config.Mentions(kRank) ? 0 : defaults.q_rank));
  latent.latent_dim = ReadDim(config, "kv_lora_rank", defaults.latent_dim);
  latent.nope_dim = ReadDim(config, "qk_nope_head_dim", defaults.nope_dim);
  latent.rope_dim = ReadDim(config, "qk_rope_head_dim", defaults.rope_dim);
  latent.v_head_dim = ReadDim(config, "v_head_dim", defaults.v_head_dim);
  if (latent.latent_dim + latent.rope_dim > kMaxKeyDim) {
    config.Refuse("kv_lora_rank",
                  "and qk_rope_head_dim are more than " + std::to_string(kMaxKeyDim) + " together");
  }
  latent.interleaved = config.Flag("rope_interleave", true);
  latent.bias = config.Flag("attention_bias", false);
  latent.rope = 0;
  return latent;
}

// With yarn, scores are multiplied by the square of what the context was stretched by.
double Stretch(const Config& config) {
  const auto parameters =
      config.Object(config.Has("rope_parameters") ? "rope_parameters" : "rope_scaling");
  if (!parameters) return 1;
  const std::string type = parameters->Text("rope_type", parameters->Text("type", "default"));
  const double mscale = parameters->Number("mscale_all_dim", 0);
  if (type == "default" || mscale == 0) return 1;
  const double factor = parameters->Positive("factor");
  return factor <= 1 ? 1 : 0.1 * mscale * std::log(factor) + 1;
}

Family LatentFamily(const Config& config, LatentAttention latent, double stretch,
                    uint32_t context) {
  latent.score_scale = static_cast<float>(
      1 / std::sqrt(static_cast<double>(latent.nope_dim) + latent.rope_dim) * stretch * stretch);
  // `head_dim` says what turns, if anything.
  Family f = ReadFamily(config, {.default_head_dim = latent.rope_dim, .default_context = context},
                        {.turning = 0});
  f.ropes = {ReadRope(config, {latent.rope_dim, f.sizes.context})};
  f.ignored = {"self_attn.rotary_emb.inv_freq"};
  latent.n_heads = f.sizes.n_heads;
  f.AddLayers();
  for (Layer& layer : f.layers) layer.sublayers[0] = InPlaceOf(f.attention, latent);
  return f;
}

DecoderSpec ReadYoutu(const Config& config) {
  Family f = LatentFamily(config, ReadLatent(config, {}), Stretch(config), 131072);
  f.tied = config.Flag("tie_word_embeddings", true);
  return BuildDecoder(f);
}

// Softmax over all experts, whose shares stay as they are; groups by their best expert.
DecoderSpec ReadDeepSeekV2(const Config& config) {
  LatentAttention latent = ReadLatent(config, {});
  latent.interleaved = true;
  Family f = LatentFamily(config, latent, 1, 2048);
  if (config.Flag("mlp_bias", false)) config.Refuse("mlp_bias", "is true, which is not known");
  Experts experts = ReadExperts(config, f,
                                {.n_experts = "n_routed_experts",
                                 .default_experts = 64,
                                 .default_used = 6,
                                 .intermediate = "moe_intermediate_size",
                                 .default_intermediate = 1407});
  experts.weight_scale = static_cast<float>(config.Number("routed_scaling_factor", 1));
  const std::string method = config.Text("topk_method", "greedy");
  if (method == "group_limited_greedy") {
    ReadGroups(config, 1, experts);
  } else if (method != "greedy") {
    config.Refuse("topk_method", "is " + method + "; known: greedy, group_limited_greedy");
  }
  const uint64_t shared = config.Integer("n_shared_experts", 0, kMaxExperts, 2);
  ShareExperts(config, "n_shared_experts", shared, experts);
  f.PlaceExperts(experts, BehindFirstLayers(config, 0));
  return BuildDecoder(f);
}

DecoderSpec ReadDeepSeekV3(const Config& config) {
  Family f = LatentFamily(config, ReadLatent(config, {}), Stretch(config), 4096);
  for (const char* key : {"n_group", "topk_group"}) {
    if (!config.Has(key)) config.Refuse(key, "is missing");
  }
  Experts experts = ReadDeepSeekExperts(config, f,
                                        {.n_experts = "n_routed_experts",
                                         .default_experts = 256,
                                         .default_used = 8,
                                         .intermediate = "moe_intermediate_size",
                                         .default_intermediate = 2048,
                                         .default_scale = 2.5});
  f.left_out = {"mtp."};  // of GGUF files
  ReadNextLayers(config, f);
  f.PlaceExperts(experts, BehindFirstLayers(config, 3));
  return BuildDecoder(f);
}

DecoderSpec ReadGlm4MoeLite(const Config& config) {
  Family f =
      LatentFamily(config, ReadLatent(config, {.q_rank = 768, .nope_dim = 192, .v_head_dim = 256}),
                   Stretch(config), 202752);
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  Experts experts = ReadDeepSeekExperts(config, f,
                                        {.n_experts = "n_routed_experts",
                                         .default_experts = 64,
                                         .default_used = 4,
                                         .intermediate = "moe_intermediate_size",
                                         .default_intermediate = 1536,
                                         .default_scale = 1.8});
  ReadNextLayers(config, f);
  f.PlaceExperts(experts, SparseLayers(config, f.sizes, 1));
  return BuildDecoder(f);
}

bool HasNoExperts(const GgufKeys& keys) { return ExpertCount(keys) == 0; }
// Older files do not say how experts are scored.
bool ScoresBySigmoid(const GgufKeys& keys) {
  return keys.HasInSomeLayer("exp_probs_b.bias") ||
         keys.Count("expert_gating_func", UINT32_MAX, 0) == static_cast<uint64_t>(Gating::kSigmoid);
}

void AddLatent(const GgufKeys& keys, nlohmann::json& config) {
  // Older files have the sizes of a whole head, newer ones also those of what is cached.
  const auto size = [&](const std::string& key) {
    const std::string of_head = key + "_mla";
    return keys.Count(keys.Has(of_head) ? of_head : key, kMaxIntermediate);
  };
  keys.Has("attention.key_length");
  keys.Has("attention.value_length");
  const uint64_t turned = keys.head_dim(), key = size("attention.key_length");
  if (key <= turned) {
    keys.Refuse("rope.dimension_count", "leaves nothing of a key's " + std::to_string(key) +
                                            " channels that does not turn");
  }
  config["qk_nope_head_dim"] = key - turned;
  config["qk_rope_head_dim"] = turned;
  config["v_head_dim"] = size("attention.value_length");
  config["kv_lora_rank"] = keys.Count("attention.kv_lora_rank", kMaxHidden);
  const uint64_t q_rank = keys.Count("attention.q_lora_rank", kMaxHidden, 0);
  config["q_lora_rank"] = q_rank == 0 ? nlohmann::json() : nlohmann::json(q_rank);
  config["num_key_value_heads"] = keys.n_heads();
  config["attention_bias"] = false;
  // A tenth of mscale_all_dim. mscale is not in the file: in all published models they are equal.
  if (const char* kMul = "rope.scaling.yarn_log_multiplier"; keys.Has(kMul)) {
    const double mscale = 10 * keys.Number(kMul);
    config["rope_parameters"]["mscale"] = config["rope_parameters"]["mscale_all_dim"] = mscale;
  }
}

void AddYoutu(const GgufKeys& keys, nlohmann::json& config) {
  AddLatent(keys, config);
  for (const char* of_experts : {"leading_dense_block_count", "expert_weights_scale"}) {
    keys.Has(of_experts);  // files without experts have them, too
  }
}

void AddDeepSeekV2(const GgufKeys& keys, nlohmann::json& config) {
  AddLatent(keys, config);
  AddDeepSeekExperts(keys, config);
  CheckGating(keys, Gating::kSoftmax);
  if (config["norm_topk_prob"]) {
    keys.Refuse("expert_weights_norm", "is true, which is not known for softmax");
  }
  config["topk_method"] = config["n_group"] > 1 ? "group_limited_greedy" : "greedy";
}

void AddDeepSeekV3(const GgufKeys& keys, nlohmann::json& config) {
  AddLatent(keys, config);
  AddDeepSeekExperts(keys, config);
  CheckGating(keys, Gating::kSigmoid);
}

}  // namespace

std::vector<Architecture> DeepSeekArchitectures() {
  const NameRules latent = {
      {"blk.{}.attn_q_a", "model.layers.{}.self_attn.q_a_proj"},
      {"blk.{}.attn_q_a_norm", "model.layers.{}.self_attn.q_a_layernorm"},
      {"blk.{}.attn_q_b", "model.layers.{}.self_attn.q_b_proj"},
      {"blk.{}.attn_kv_a_mqa", "model.layers.{}.self_attn.kv_a_proj_with_mqa"},
      {"blk.{}.attn_kv_a_norm", "model.layers.{}.self_attn.kv_a_layernorm"},
      {"blk.{}.attn_kv_b", "model.layers.{}.self_attn.kv_b_proj"},  // older files
      {"blk.{}.attn_k_b", "model.layers.{}.self_attn.k_b_proj"},
      {"blk.{}.attn_v_b", "model.layers.{}.self_attn.v_b_proj"},
      {"blk.{}.exp_probs_b.bias", "model.layers.{}.mlp.gate.e_score_correction_bias"},
  };
  const NameRules names =
      With(With(With(UsualNames(), StackedExpertNames()), SharedExpertNames()), latent);
  return {
      {.name = "YoutuForCausalLM",
       .model_type = "youtu",
       .read = ReadYoutu,
       .gguf = "deepseek2",
       .is_in_gguf = HasNoExperts,
       .add_gguf = AddYoutu,
       .gguf_names = names},
      // GLM 4.7 Flash, too: the file does not tell them apart, and they compute the same.
      {.name = "DeepseekV3ForCausalLM",
       .model_type = "deepseek_v3",
       .read = ReadDeepSeekV3,
       .gguf = "deepseek2",
       .is_in_gguf = ScoresBySigmoid,
       .add_gguf = AddDeepSeekV3,
       .gguf_names = names},
      {.name = "DeepseekV2ForCausalLM",
       .model_type = "deepseek_v2",
       .read = ReadDeepSeekV2,
       .gguf = "deepseek2",
       .add_gguf = AddDeepSeekV2,
       .gguf_names = names},
      {.name = "Glm4MoeLiteForCausalLM", .model_type = "glm4_moe_lite", .read = ReadGlm4MoeLite},
  };
}

}  // namespace rondo::convert
