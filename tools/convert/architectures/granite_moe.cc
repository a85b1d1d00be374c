// GraniteMoE, and with a shared expert GraniteMoEShared: Granite with experts, stacked in one
// tensor.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

Family GraniteMoeFamily(const Config& config) {
  Family f(ReadSizes(config));
  f.epsilon = config.Positive("rms_norm_eps", 1e-6);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", false);
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  f.tied = config.Flag("tie_word_embeddings", false);
  f.layer_scale.assign(f.sizes.n_layers,
                       static_cast<float>(config.Positive("attention_multiplier", 1)));
  f.embedding_scale = static_cast<float>(config.Positive("embedding_multiplier", 1));
  f.residual_scale = static_cast<float>(config.Positive("residual_multiplier", 1));
  f.logit_scale = static_cast<float>(1 / config.Positive("logits_scaling", 1));
  f.experts = ReadExperts(config, f, {});
  f.experts->router = "block_sparse_moe.router.layer";
  f.experts->expert = "block_sparse_moe.experts.";
  f.experts->normalize = true;
  f.experts->stacks = {{.gate_up = "block_sparse_moe.input_linear.weight",
                        .down = "block_sparse_moe.output_linear.weight"}};
  return f;
}

DecoderSpec ReadGraniteMoe(const Config& config) { return BuildDecoder(GraniteMoeFamily(config)); }

DecoderSpec ReadGraniteMoeShared(const Config& config) {
  Family f = GraniteMoeFamily(config);
  const auto size =
      static_cast<uint32_t>(config.Integer("shared_intermediate_size", 0, kMaxIntermediate, 0));
  if (size > 0) {
    f.experts->shared = Family::Experts::Shared{.gate = "shared_mlp.input_linear",
                                                .up = "",
                                                .down = "shared_mlp.output_linear",
                                                .intermediate = size};
  }
  return BuildDecoder(f);
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
