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

Family ExaoneFamily(const Config& config, bool norms_before) {
  Family f = ReadFamily(config, {.default_kv_heads = 32}, {.epsilon = 1e-5});
  if (!norms_before) f.PostNorm("post_attention_layernorm", "post_feedforward_layernorm");
  f.attention.head_norm = HeadNorm::kShared;
  const uint64_t window = ReadWindow(config, 4096);
  // With layer_types the pattern is a word, or not there.
  const uint64_t pattern = config.Has("layer_types") || window == 0
                               ? 1
                               : config.Integer("sliding_window_pattern", 1, kMaxLayers, 4);
  const std::vector<uint32_t> windows = ReadWindows(
      config, f.sizes, window, [pattern](uint32_t i) { return (i + 1) % pattern != 0; });
  f.AddLayers(windows, {.full = window != 0 ? -1 : 0, .sliding = 0});
  f.left_out = {"mtp."};
  return f;
}

DecoderSpec ReadExaone4(const Config& config) {
  return BuildDecoder(ExaoneFamily(config, /*norms_before=*/false));
}

DecoderSpec ReadExaoneMoe(const Config& config) {
  Family f = ExaoneFamily(config, /*norms_before=*/true);
  Experts experts = ReadDeepSeekExperts(config, f,
                                        {.n_experts = "num_experts",
                                         .default_experts = 64,
                                         .default_used = 8,
                                         .intermediate = "moe_intermediate_size",
                                         .default_intermediate = 1024,
                                         .n_shared = "num_shared_experts",
                                         .default_scale = 2.5});
  f.other_names = {{"mlp.gate.e_score_correction_bias", "mlp.e_score_correction_bias"}};
  f.PlaceExperts(experts, SparseLayers(config, f.sizes,
                                       config.Integer("first_k_dense_replace", 0, kMaxLayers, 1)));
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
