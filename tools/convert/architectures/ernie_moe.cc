// Ernie 4.5 with experts: chosen by their shares and a bias, beside shared ones.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadErnieMoe(const Config& config) {
  Family f(ReadSizes(config, {.default_kv_heads = 4, .default_context = 131072}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.qkv_bias = f.output_bias = f.mlp_bias = f.head_bias = config.Flag("use_bias", false);
  f.rope_pairs = Family::RopePairs::kNeighbours;
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, 500000})};
  f.tied = config.Flag("tie_word_embeddings", true);
  Family::Experts experts = ReadExperts(config, f,
                                        {.n_experts = "moe_num_experts",
                                         .default_experts = 64,
                                         .n_used = "moe_k",
                                         .default_used = 6,
                                         .intermediate = "moe_intermediate_size",
                                         .default_intermediate = 1536});
  experts.choice_bias = "mlp.moe_statics.e_score_correction_bias";
  experts.choice_bias_shape = {1, experts.n_experts};
  experts.normalize = true;
  experts.normalize_min = static_cast<float>(config.Positive("moe_norm_min", 1e-12));
  ShareExperts(config, "moe_num_shared_experts",
               config.Integer("moe_num_shared_experts", 0, kMaxExperts, 2), experts);
  f.experts = std::move(experts);
  const uint64_t first = config.Integer("moe_layer_start_index", 0, kMaxLayers, 1);
  const double last = config.Number("moe_layer_end_index", -1);  // -1: the last of all
  const uint64_t step = config.Integer("moe_layer_interval", 1, kMaxLayers, 1);
  f.has_experts = [first, last, step](uint32_t i) {
    return (i + 1) % step == 0 && i >= first && (last == -1 || i <= last);
  };
  return BuildDecoder(f);
}

void AddErnieMoe(const GgufKeys& keys, nlohmann::json& config) {
  AddExperts(keys, "moe_num_experts", config);
  AddExpertSize(keys, config);
  CheckGating(keys, Gating::kSoftmax);
  config["moe_k"] = config["num_experts_per_tok"];
  config["moe_num_shared_experts"] = keys.Count("expert_shared_count", kMaxExperts, 0);
  config["moe_layer_start_index"] = keys.Count("leading_dense_block_count", kMaxLayers, 0);
  config["moe_layer_interval"] = keys.Count("interleave_moe_layer_step", kMaxLayers, 1);
  config["use_bias"] = keys.HasInSomeLayer("attn_q.bias");
}

}  // namespace

std::vector<Architecture> ErnieMoeArchitectures() {
  const NameRules names = With(With(UsualNames(), StackedExpertNames()), SharedExpertNames());
  return {
      {.name = "Ernie4_5_MoeForCausalLM",
       .model_type = "ernie4_5_moe",
       .read = ReadErnieMoe,
       .gguf = "ernie4_5-moe",
       .add_gguf = AddErnieMoe,
       .gguf_names = With(names, {{"blk.{}.exp_probs_b.bias",
                                   "model.layers.{}.mlp.moe_statics.e_score_correction_bias"}}),
       .gguf_rope_theta = 500000},
  };
}

}  // namespace rondo::convert
