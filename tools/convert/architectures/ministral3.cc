// Ministral 3: Mistral with queries that count for more the further they stand in the text.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadMinistral3(const Config& config) {
  const std::optional<Config> rope = config.Object("rope_parameters");
  if (!rope) config.Refuse("rope_parameters", "is missing");
  Family f = ReadFamily(config,
                        {.default_kv_heads = 8, .default_head_dim = 128, .default_context = 262144},
                        {.epsilon = 1e-5});
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 0), [](uint32_t) { return true; });
  const char* const kBeta = "llama_4_scaling_beta";
  format::QueryScaleT scale;
  scale.factor = static_cast<float>(rope->Number(kBeta));
  if (scale.factor < 0) rope->Refuse(kBeta, "is below 0");
  scale.period =
      static_cast<uint32_t>(rope->Integer("original_max_position_embeddings", 1, kMaxContext));
  if (scale.factor > 0) {
    f.attention.query_scale = std::make_unique<format::QueryScaleT>(scale);
  }
  f.AddLayers(windows);
  return BuildDecoder(f);
}

// So the text of Mistral 3 is called, too, whose queries all count alike.
void AddMinistral3(const GgufKeys& keys, nlohmann::json& config) {
  AddWindow(keys, config);
  nlohmann::json& rope = config["rope_parameters"];
  rope["llama_4_scaling_beta"] = keys.Number("attention.temperature_scale", 0.0);
  const char *const kOriginal = "original_max_position_embeddings",
                    *const kLog = "rope.scaling.yarn_log_multiplier";
  if (!rope.contains(kOriginal)) rope[kOriginal] = config["max_position_embeddings"];
  // The other factor is not in the file, and this one in all models.
  if (keys.Has(kLog)) rope["mscale"] = rope["mscale_all_dim"] = keys.Number(kLog);
}

}  // namespace

std::vector<Architecture> Ministral3Architectures() {
  return {{.name = "Ministral3ForCausalLM",
           .model_type = "ministral3",
           .read = ReadMinistral3,
           .gguf = "mistral3",
           .add_gguf = AddMinistral3,
           .gguf_names = With(UsualNames(), PairedHeadNames())}};
}

}  // namespace rondo::convert
