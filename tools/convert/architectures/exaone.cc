// EXAONE 4: norms after attention and MLP, and of q and k in each head; where some layers have a
// window, those turn and the others do not. EXAONE MoE has its norms before, and DeepSeek-V3's
// experts.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

Family ExaoneFamily(const Config& config) {
  Family f(ReadSizes(config, {.default_kv_heads = 32}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.head_norm = Family::HeadNorm::kShared;
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  f.tied = config.Flag("tie_word_embeddings", false);
  const uint64_t window = ReadWindow(config, 4096);
  // With layer_types the pattern is a word, or not there.
  const uint64_t pattern = config.Has("layer_types") || window == 0
                               ? 1
                               : config.Integer("sliding_window_pattern", 1, kMaxLayers, 4);
  f.layer_window = ReadWindows(config, f.sizes, window,
                               [pattern](uint32_t i) { return (i + 1) % pattern != 0; });
  if (window != 0) {
    for (const uint32_t one : f.layer_window) f.layer_rope.push_back(one != 0 ? 0 : -1);
  }
  f.left_out = {"mtp."};
  return f;
}

DecoderSpec ReadExaone4(const Config& config) {
  Family f = ExaoneFamily(config);
  f.attention_norm = f.mlp_norm = "";
  f.attention_post_norm = "post_attention_layernorm";
  f.mlp_post_norm = "post_feedforward_layernorm";
  return BuildDecoder(f);
}

DecoderSpec ReadExaoneMoe(const Config& config) {
  Family f = ExaoneFamily(config);
  f.experts = ReadDeepSeekExperts(config, f,
                                  {.n_experts = "num_experts",
                                   .default_experts = 64,
                                   .default_used = 8,
                                   .intermediate = "moe_intermediate_size",
                                   .default_intermediate = 1024,
                                   .n_shared = "num_shared_experts",
                                   .default_scale = 2.5});
  PlaceSparseLayers(config, config.Integer("first_k_dense_replace", 0, kMaxLayers, 1), f);
  f.other_names = {{"mlp.gate.e_score_correction_bias", "mlp.e_score_correction_bias"}};
  return BuildDecoder(f);
}

void AddExaone4(const GgufKeys& keys, nlohmann::json& config) {
  AddWindow(keys, config);
  if (HasWindow(keys)) AddSlidingLayers(keys, 4, config);
}

}  // namespace

std::vector<Architecture> ExaoneArchitectures() {
  const NameRules names = {
      {"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm"},
      {"blk.{}.post_ffw_norm", "model.layers.{}.post_feedforward_layernorm"},
  };
  return {
      {.name = "Exaone4ForCausalLM",
       .model_type = "exaone4",
       .read = ReadExaone4,
       .gguf = "exaone4",
       .add_gguf = AddExaone4,
       .gguf_names = With(UsualNames(), names)},
      {.name = "ExaoneMoeForCausalLM", .model_type = "exaone_moe", .read = ReadExaoneMoe},
  };
}

}  // namespace rondo::convert
