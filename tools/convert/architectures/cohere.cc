// Cohere (Command R) and Cohere 2 (Command R7B, A): LayerNorm without bias, attention and MLP side
// by side after one norm, RoPE of neighbouring channels; in 2 windows in three layers of four,
// which alone turn. Cohere 2 MoE has experts in place of the MLP, behind dense layers.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

Family CohereFamily(const Config& config, double theta, uint32_t head_dim = 0) {
  Family f = ReadFamily(config, {.default_head_dim = head_dim, .default_context = 8192},
                        {.norm = format::NormKind::kLayerNorm,
                         .epsilon_key = "layer_norm_eps",
                         .epsilon = 1e-5,
                         .theta = theta,
                         .attention_bias = false,
                         .tied = true});
  f.mlp.pre_norm = f.attention.pre_norm;
  f.mlp.reads_previous_input = true;
  f.attention.rope_pairs = RopePairs::kNeighbours;
  f.logit_scale = static_cast<float>(config.Positive("logit_scale", 0.0625));
  return f;
}

DecoderSpec ReadCohere(const Config& config) {
  Family f = CohereFamily(config, 500000);
  if (config.Flag("use_qk_norm", false)) f.attention.head_norm = HeadNorm::kStacked;
  return BuildDecoder(f);
}

DecoderSpec ReadCohere2(const Config& config) {
  Family f = CohereFamily(config, 10000);
  const uint64_t pattern = config.Integer("sliding_window_pattern", 1, kMaxLayers, 4);
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 4096),
                  [pattern](uint32_t i) { return (i + 1) % pattern != 0; });
  f.AddLayers(windows, {.full = -1, .sliding = 0});
  return BuildDecoder(f);
}

Experts Cohere2Experts(const Config& config, const Family& f) {
  Experts experts = ReadExperts(config, f, {.n_experts = "num_experts"});
  const char* const kScoring = "expert_selection_fn";
  const std::string scoring = config.Text(kScoring, "softmax");
  if (scoring == "softmax") {
    experts.normalize = true;  // the softmax is of those that are used
  } else if (scoring == "sigmoid") {
    experts.scoring = format::Scoring::kSigmoid;
    experts.normalize = config.Flag("norm_topk_prob", true);
  } else {
    config.Refuse(kScoring, "is " + scoring + "; known: softmax, sigmoid");
  }
  const char* const kCombination = "shared_expert_combination_strategy";
  const std::string combination = config.Text(kCombination, "average");
  if (combination != "sum" && combination != "average") {
    config.Refuse(kCombination, "is " + combination + "; known: sum, average");
  }
  const char* const kShared = "num_shared_experts";
  ShareExperts(config, kShared, config.Integer(kShared, 0, kMaxExperts, 0), experts);
  if (experts.shared_size > 0 && combination == "average") {
    experts.weight_scale = experts.shared_factor = 0.5f;
  }
  return experts;
}

DecoderSpec ReadCohere2Moe(const Config& config) {
  Family f = CohereFamily(config, 10000, 128);
  if (config.Has("rms_norm_eps")) {
    f.norm = format::NormKind::kRmsNorm;
    f.epsilon = config.Positive("rms_norm_eps");
  }
  const char* const kFirst = "first_k_dense_replace";
  const uint64_t n_dense = config.Integer(kFirst, 0, kMaxLayers, 0);
  const uint64_t dense_pattern =
      config.Integer("prefix_dense_sliding_window_pattern", 1, kMaxLayers, 1);
  const uint64_t pattern = config.Integer("sliding_window_pattern", 1, kMaxLayers, 4);
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 4096), [&](uint32_t i) {
        return i < n_dense ? (i + 1) % dense_pattern != 0 : (i - n_dense + 1) % pattern != 0;
      });
  Experts experts = Cohere2Experts(config, f);
  const LayerChoice is_sparse = SparseLayers(config, f.sizes, n_dense);
  f.mlp.intermediate_size =
      config.Count("prefix_dense_intermediate_size", kMaxIntermediate, f.sizes.intermediate);
  f.AddLayers(windows);
  for (uint32_t i = 0; i < f.sizes.n_layers; ++i) {
    const bool turns = windows[i] != 0 || (!is_sparse(i) && dense_pattern == 1);
    f.layers[i].attention().rope = turns ? 0 : -1;
  }
  f.PlaceExperts(experts, is_sparse);
  return BuildDecoder(f);
}

void AddCohere(const GgufKeys& keys, nlohmann::json& config) {
  AddBiases(keys, config);
  config["layer_norm_eps"] = keys.Number("attention.layer_norm_epsilon");
  config["logit_scale"] = keys.Number("logit_scale");
  config["use_qk_norm"] = keys.HasInSomeLayer("attn_q_norm.weight");
}

void AddCohere2(const GgufKeys& keys, nlohmann::json& config) {
  AddCohere(keys, config);
  AddWindow(keys, config);
  AddSlidingLayers(keys, 4, config);
}

}  // namespace

std::vector<Architecture> CohereArchitectures() {
  return {
      {.name = "CohereForCausalLM",
       .model_type = "cohere",
       .read = ReadCohere,
       .gguf = "command-r",
       .add_gguf = AddCohere},
      {.name = "Cohere2ForCausalLM",
       .model_type = "cohere2",
       .read = ReadCohere2,
       .gguf = "cohere2",
       .add_gguf = AddCohere2},
      {.name = "Cohere2MoeForCausalLM", .model_type = "cohere2_moe", .read = ReadCohere2Moe},
  };
}

}  // namespace rondo::convert
