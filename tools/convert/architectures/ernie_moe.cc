// Ernie 4.5 with experts: chosen by their shares and a bias, beside shared ones.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadErnieMoe(const Config& config) {
  Family f = ReadFamily(config, {.default_kv_heads = 4, .default_context = 131072},
                        {.epsilon = 1e-5, .theta = 500000, .tied = true});
  f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = f.head_bias =
      config.Flag("use_bias", false);
  f.attention.rope_pairs = RopePairs::kNeighbours;
  Experts experts = ReadExperts(config, f,
                                {.n_experts = "moe_num_experts",
                                 .default_experts = 64,
                                 .n_used = "moe_k",
                                 .default_used = 6,
                                 .intermediate = "moe_intermediate_size",
                                 .default_intermediate = 1536});
  experts.names.choice_bias = "mlp.moe_statics.e_score_correction_bias";
  experts.normalize = true;
  experts.normalize_min = static_cast<float>(config.Positive("moe_norm_min", 1e-12));
  ShareExperts(config, "moe_num_shared_experts",
               config.Integer("moe_num_shared_experts", 0, kMaxExperts, 2), experts);
  const uint64_t first = config.Integer("moe_layer_start_index", 0, kMaxLayers, 1);
  const double last = config.Number("moe_layer_end_index", -1);  // -1: the last of all
  const uint64_t step = config.Integer("moe_layer_interval", 1, kMaxLayers, 1);
  f.PlaceExperts(experts, [first, last, step](uint32_t i) {
    return (i + 1) % step == 0 && i >= first && (last == -1 || i <= last);
  });
  DecoderSpec spec = BuildDecoder(f);
  for (TensorRecipe& recipe : spec.tensors) {
    if (!recipe.name.ends_with("mlp.choice_bias")) continue;
    recipe.others = {{recipe.parts}};  // GGUF has a vector
    recipe.parts[0].shape = {1, experts.n_experts};
  }
  return spec;
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
