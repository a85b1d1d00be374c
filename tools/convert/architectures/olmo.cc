// OLMo: LayerNorm without weights. OLMo 2 and 3: norms after attention and MLP only, and of q and k
// as a whole; in 3 windows in three layers of four. OLMoE: norms before, and experts.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

Family OlmoFamily(const Config& config, uint32_t context) {
  Family f =
      ReadFamily(config, {.default_context = context}, {.epsilon = 1e-5, .attention_bias = false});
  f.attention.head_norm = HeadNorm::kWhole;
  return f;
}

Family Olmo2Family(const Config& config) {
  Family f = OlmoFamily(config, 2048);
  f.PostNorm("post_attention_layernorm", "post_feedforward_layernorm");
  return f;
}

DecoderSpec ReadOlmo(const Config& config) {
  Family f = OlmoFamily(config, 2048);
  f.norm = format::NormKind::kLayerNorm;
  f.norm_weights = false;
  f.epsilon = 1e-5;
  f.attention.head_norm = HeadNorm::kNone;
  if (config.Has("clip_qkv"))
    f.attention.qkv_clip = static_cast<float>(config.Positive("clip_qkv"));
  return BuildDecoder(f);
}

DecoderSpec ReadOlmo2(const Config& config) { return BuildDecoder(Olmo2Family(config)); }

DecoderSpec ReadOlmo3(const Config& config) {
  Family f = Olmo2Family(config);
  const std::vector<uint32_t> windows = ReadWindows(config, f.sizes, ReadWindow(config, 4096),
                                                    [](uint32_t i) { return (i + 1) % 4 != 0; });
  f.AddLayers(windows);
  return BuildDecoder(f);
}

DecoderSpec ReadOlmoe(const Config& config) {
  Family f = OlmoFamily(config, 4096);
  if (config.Has("clip_qkv"))
    f.attention.qkv_clip = static_cast<float>(config.Positive("clip_qkv"));
  Experts experts = ReadExperts(
      config, f, {.n_experts = "num_experts", .default_experts = 64, .default_used = 8});
  experts.normalize = config.Flag("norm_topk_prob", false);
  f.PlaceExperts(experts);
  return BuildDecoder(f);
}

void AddOlmo3(const GgufKeys& keys, json& config) {
  AddWindow(keys, config);
  AddSlidingLayers(keys, 4, config);
}

void AddClip(const GgufKeys& keys, json& config) {
  if (keys.Has("attention.clamp_kqv")) config["clip_qkv"] = keys.Number("attention.clamp_kqv");
}

void AddOlmoe(const GgufKeys& keys, json& config) {
  AddExperts(keys, "num_experts", config);
  config["norm_topk_prob"] = false;
  if (keys.Has("expert_feed_forward_length")) {
    config["intermediate_size"] = keys.Count("expert_feed_forward_length", kMaxIntermediate);
  }
  AddClip(keys, config);
}

}  // namespace

std::vector<Architecture> OlmoArchitectures() {
  const NameRules olmo2 = {
      {"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm"},
      {"blk.{}.post_ffw_norm", "model.layers.{}.post_feedforward_layernorm"},
  };
  return {
      {.name = "OlmoForCausalLM",
       .model_type = "olmo",
       .read = ReadOlmo,
       .gguf = "olmo",
       .add_gguf = AddClip,
       .gguf_names = With(UsualNames(), PairedHeadNames())},
      {.name = "Olmo3ForCausalLM",
       .model_type = "olmo3",
       .read = ReadOlmo3,
       .gguf = "olmo2",
       .is_in_gguf = HasWindow,
       .add_gguf = AddOlmo3,
       .gguf_names = With(UsualNames(), olmo2)},
      {.name = "Olmo2ForCausalLM",
       .model_type = "olmo2",
       .read = ReadOlmo2,
       .gguf = "olmo2",
       .gguf_names = With(UsualNames(), olmo2)},
      {.name = "OlmoeForCausalLM",
       .model_type = "olmoe",
       .read = ReadOlmoe,
       .gguf = "olmoe",
       .add_gguf = AddOlmoe,
       .gguf_names = With(UsualNames(), StackedExpertNames())},
  };
}

}  // namespace rondo::convert
