// Apertus: norms of q and k, and an MLP of two matrices with xIELU between them, whose numbers each
// layer has learned.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadApertus(const Config& config) {
  if (!config.Has("rope_parameters") && !config.Has("rope_scaling")) {
    config.Refuse("rope_parameters", "is missing");
  }
  Family f(ReadSizes(config, {.default_context = 65536}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  f.attention.pre_norm = "attention_layernorm";
  f.mlp.pre_norm = "feedforward_layernorm";
  f.attention.head_norm = HeadNorm::kShared;
  f.attention.qkv_bias = f.attention.output_bias = config.Flag("attention_bias", false);
  f.mlp.plain = true;
  if (config.Text("hidden_act", "xielu") == "xielu") {
    f.mlp.activation = format::Activation::kXielu;
    f.mlp.names.xielu = "mlp.act_fn.";
  } else {
    f.mlp.activation = ReadActivation(config, "hidden_act", "");
  }
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, 12e6})};
  f.tied = config.Flag("tie_word_embeddings", false);
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> ApertusArchitectures() {
  return {{.name = "ApertusForCausalLM", .model_type = "apertus", .read = ReadApertus}};
}

}  // namespace rondo::convert
