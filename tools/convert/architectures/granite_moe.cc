// GraniteMoE, and with a shared expert GraniteMoEShared: Granite with experts, stacked in one
// tensor.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

// `shared`: channels of an expert that all rows share; 0: there is none.
DecoderSpec ReadWithExperts(const Config& config, uint32_t shared) {
  Family f = ReadFamily(config, {}, {.attention_bias = false});
  ReadMultipliers(config, f);
  Experts experts = ReadExperts(config, f, {});
  NameAsGranite(experts);
  experts.normalize = true;
  experts.shared_size = shared;
  experts.shared_names = {.gate = "shared_mlp.input_linear", .down = "shared_mlp.output_linear"};
  f.PlaceExperts(experts);
  return BuildDecoder(f);
}

DecoderSpec ReadGraniteMoe(const Config& config) { return ReadWithExperts(config, 0); }

DecoderSpec ReadGraniteMoeShared(const Config& config) {
  return ReadWithExperts(config, static_cast<uint32_t>(config.Integer("shared_intermediate_size", 0,
                                                                      kMaxIntermediate, 0)));
}

bool SharesExpert(const GgufKeys& keys) {
  return keys.Count("expert_shared_feed_forward_length", kMaxIntermediate, 0) > 0;
}

void AddGraniteMoe(const GgufKeys& keys, nlohmann::json& config) {
  AddBiases(keys, config);
  AddMultipliers(keys, config);
  AddExperts(keys, "num_local_experts", config);
}

void AddGraniteMoeShared(const GgufKeys& keys, nlohmann::json& config) {
  AddGraniteMoe(keys, config);
  config["shared_intermediate_size"] =
      keys.Count("expert_shared_feed_forward_length", kMaxIntermediate);
}

}  // namespace

std::vector<Architecture> GraniteMoeArchitectures() {
  const NameRules names = With(With(UsualNames(), PairedHeadNames()), GraniteExpertNames());
  return {
      {.name = "GraniteMoeSharedForCausalLM",
       .model_type = "granitemoeshared",
       .read = ReadGraniteMoeShared,
       .gguf = "granitemoe",
       .is_in_gguf = SharesExpert,
       .add_gguf = AddGraniteMoeShared,
       .gguf_names = names},
      {.name = "GraniteMoeForCausalLM",
       .model_type = "granitemoe",
       .read = ReadGraniteMoe,
       .gguf = "granitemoe",
       .add_gguf = AddGraniteMoe,
       .gguf_names = names},
  };
}

}  // namespace rondo::convert
