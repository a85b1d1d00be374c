// Nemotron, Arcee and Jais 2: Llama with an MLP of two matrices, squared ReLU between them;
// LayerNorm in Nemotron (weights kept less 1) and Jais.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

struct Defaults {
  const char* epsilon;  // its key
  bool biases;
  uint32_t context;
  double partial_rope = 1;
};

Family UngatedFamily(const Config& config, const Defaults& defaults) {
  Family f = ReadFamily(config, {.default_context = defaults.context},
                        {.epsilon_key = defaults.epsilon,
                         .epsilon = 1e-5,
                         .activation = "relu2",
                         .turning = defaults.partial_rope,
                         .attention_bias = defaults.biases});
  f.mlp.plain = true;
  f.mlp.bias = config.Flag("mlp_bias", defaults.biases);
  f.ignored = {"self_attn.rotary_emb.inv_freq"};
  return f;
}

DecoderSpec ReadArcee(const Config& config) {
  return BuildDecoder(UngatedFamily(config, {"rms_norm_eps", false, 4096}));
}

DecoderSpec ReadNemotron(const Config& config) {
  Family f = UngatedFamily(config, {"norm_eps", false, 4096, 0.5});
  f.norm = format::NormKind::kLayerNorm;
  f.norm_bias = true;
  f.norm_offset = 1;
  return BuildDecoder(f);
}

DecoderSpec ReadJais2(const Config& config) {
  Family f = UngatedFamily(config, {"layer_norm_eps", true, 8192});
  f.norm = format::NormKind::kLayerNorm;
  f.norm_bias = true;
  return BuildDecoder(f);
}

void AddArcee(const GgufKeys& keys, nlohmann::json& config) {
  AddBiases(keys, config);
  config["hidden_act"] = "relu2";
}

void AddNemotron(const GgufKeys& keys, nlohmann::json& config) {
  AddArcee(keys, config);
  config["norm_eps"] = keys.Number("attention.layer_norm_epsilon");
}

}  // namespace

std::vector<Architecture> NemotronArchitectures() {
  const NameRules nemotron = {
      {"output_norm", "model.norm", Change::kPlusOne},
      {"blk.{}.attn_norm", "model.layers.{}.input_layernorm", Change::kPlusOne},
      {"blk.{}.ffn_norm", "model.layers.{}.post_attention_layernorm", Change::kPlusOne},
  };
  return {
      {.name = "ArceeForCausalLM",
       .model_type = "arcee",
       .read = ReadArcee,
       .gguf = "arcee",
       .add_gguf = AddArcee,
       .gguf_names = With(UsualNames(), PairedHeadNames())},
      {.name = "Jais2ForCausalLM", .model_type = "jais2", .read = ReadJais2},
      {.name = "NemotronForCausalLM",
       .model_type = "nemotron",
       .read = ReadNemotron,
       .gguf = "nemotron",
       .add_gguf = AddNemotron,
       .gguf_names = With(UsualNames(), nemotron)},
  };
}

}  // namespace rondo::convert
