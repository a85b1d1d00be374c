// Hunyuan with experts: beside a shared one; norms of q and k behind RoPE.
#include <algorithm>
#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

// One number for all layers, or one for each: the same.
uint64_t OneForAll(const Config& config, const char* key, uint64_t high) {
  if (!config.HoldsList(key)) return config.Integer(key, 1, high, 1);
  const std::vector<uint64_t> all = config.Integers(key, high);
  if (all.empty() || all[0] == 0 || std::ranges::count(all, all[0]) != std::ssize(all)) {
    config.Refuse(key, "differs between layers, or is 0");
  }
  return all[0];
}

// The type dynamic with an alpha is another theta, at every length.
RopeSpec Rope(const Config& config, const Sizes& sizes) {
  const RopeRequest request = {sizes.head_dim, sizes.context};
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    const std::optional<Config> scaling = config.Object(key);
    if (!scaling || !scaling->Has("alpha")) continue;
    const double dim = sizes.head_dim;
    const double theta =
        scaling->Positive("rope_theta", config.Positive("rope_theta", request.theta));
    const double alpha = scaling->Positive("alpha");
    if (scaling->Text("rope_type", scaling->Text("type", "")) != "dynamic") {
      scaling->Refuse("alpha", "is set for another type than dynamic");
    }
    return PlainRope(config, theta * std::pow(alpha, dim / (dim - 2)), request);
  }
  return ReadRope(config, request);
}

DecoderSpec ReadHunyuanMoe(const Config& config) {
  Family f = ReadFamily(config, {}, {.epsilon = 1e-5, .turning = 0, .attention_bias = false});
  f.attention.head_norm = HeadNorm::kShared;
  f.attention.norms_after_rope = true;
  f.attention.names.q_norm = "self_attn.query_layernorm";
  f.attention.names.k_norm = "self_attn.key_layernorm";
  f.ropes = {Rope(config, f.sizes)};
  Experts experts;
  experts.n_experts = static_cast<uint32_t>(OneForAll(config, "num_experts", kMaxExperts));
  experts.n_used = static_cast<uint32_t>(OneForAll(config, "moe_topk", experts.n_experts));
  experts.intermediate_size = f.sizes.intermediate;
  experts.names.router = "mlp.gate.wg";
  experts.normalize = true;
  experts.Share("mlp.shared_mlp.", f.sizes.intermediate);
  f.PlaceExperts(experts);
  return BuildDecoder(f);
}

void AddHunyuanMoe(const GgufKeys& keys, nlohmann::json& config) {
  AddBiases(keys, config);
  AddExperts(keys, "num_experts", config);
  CheckGating(keys, Gating::kSoftmax);
  config["moe_topk"] = config["num_experts_per_tok"];
  config["intermediate_size"] = keys.Count("expert_feed_forward_length", kMaxIntermediate);
  const char* const kShared = "expert_shared_feed_forward_length";
  if (keys.Count("expert_shared_count", kMaxExperts, 1) != 1) {
    keys.Refuse("expert_shared_count", "is not 1, the only one known for this model");
  }
  if (keys.Count(kShared, kMaxIntermediate) != config["intermediate_size"]) {
    keys.Refuse(kShared, "is not expert_feed_forward_length, which is all that is known");
  }
}

}  // namespace

std::vector<Architecture> HunyuanMoeArchitectures() {
  const NameRules names = {
      {"blk.{}.attn_q_norm", "model.layers.{}.self_attn.query_layernorm"},
      {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.key_layernorm"},
      {"blk.{}.ffn_gate_inp", "model.layers.{}.mlp.gate.wg"},
      {"blk.{}.ffn_gate_shexp", "model.layers.{}.mlp.shared_mlp.gate_proj"},
      {"blk.{}.ffn_up_shexp", "model.layers.{}.mlp.shared_mlp.up_proj"},
      {"blk.{}.ffn_down_shexp", "model.layers.{}.mlp.shared_mlp.down_proj"},
  };
  return {
      {.name = "HunYuanMoEV1ForCausalLM",
       .model_type = "hunyuan_v1_moe",
       .read = ReadHunyuanMoe,
       .gguf = "hunyuan-moe",
       .add_gguf = AddHunyuanMoe,
       .gguf_names = With(With(UsualNames(), StackedExpertNames()), names)},
  };
}

}  // namespace rondo::convert
