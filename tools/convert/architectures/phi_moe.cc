// Phi-3.5-MoE: LayerNorm, longrope, and experts chosen by SparseMixer.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

// The factors of cosines and sines are in the config: one for short, one for long sequences.
void ScaleRope(const Config& config, RopeSpec& rope) {
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    const std::optional<Config> scaling = config.Object(key);
    if (!scaling || !scaling->Has("short_mscale")) continue;
    rope.scale = static_cast<float>(scaling->Positive("short_mscale"));
    const auto long_scale = static_cast<float>(scaling->Positive("long_mscale"));
    if (long_scale == rope.scale) continue;
    if (rope.long_frequencies.empty()) {
      scaling->Refuse("long_mscale", "differs from short_mscale, but the factors do not");
    }
    rope.long_scale = long_scale;
  }
}

DecoderSpec ReadPhiMoe(const Config& config) {
  Family f = ReadFamily(config, {.default_kv_heads = 8, .default_context = 131072},
                        {.epsilon = 1e-5, .theta = 1e6, .attention_bias = false});
  f.norm = format::NormKind::kLayerNorm;
  f.norm_bias = true;
  f.head_bias = config.Flag("lm_head_bias", false);
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 0), [](uint32_t) { return true; });
  ScaleRope(config, f.ropes[0]);
  Experts experts = ReadExperts(config, f, {.default_experts = 16});
  if (experts.n_used != 2) config.Refuse("num_experts_per_tok", "is not 2");
  NameAsMixtral(experts);
  experts.scoring = format::Scoring::kSparseMixer;
  experts.jitter = static_cast<float>(config.Number("router_jitter_noise", 0.01));
  if (experts.jitter < 0) config.Refuse("router_jitter_noise", "is below 0");
  f.AddLayers(windows);
  f.PlaceExperts(experts);
  return BuildDecoder(f);
}

void AddPhiMoe(const GgufKeys& keys, nlohmann::json& config) {
  AddBiases(keys, config);
  AddWindow(keys, config);
  AddExperts(keys, "num_local_experts", config);
  config["lm_head_bias"] = keys.HasTensor("output.bias");
}

}  // namespace

std::vector<Architecture> PhiMoeArchitectures() {
  return {{.name = "PhimoeForCausalLM",
           .model_type = "phimoe",
           .read = ReadPhiMoe,
           .gguf = "phimoe",
           .add_gguf = AddPhiMoe,
           .gguf_names = With(UsualNames(), MixtralNames())}};
}

}  // namespace rondo::convert
