// OPT and BioGPT: learned positions from row 2 on, LayerNorm, biases everywhere.
#include <cmath>

#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

Family OptFamily(const Config& config, const SizeKeys& keys) {
  Family f(ReadSizes(config, keys));
  if (f.sizes.n_kv_heads != f.sizes.n_heads) {
    config.Refuse("num_key_value_heads", "is set, which this architecture does not know");
  }
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = 1e-5;
  f.norm_bias = f.qkv_bias = f.output_bias = f.mlp_bias = true;
  f.positions = "embed_positions";
  f.first_position = 2;
  f.attention_norm = "self_attn_layer_norm";
  f.mlp_norm = "final_layer_norm";
  f.output = "self_attn.out_proj";
  f.gated = false;
  f.up = "fc1";
  f.down = "fc2";
  f.tied = config.Flag("tie_word_embeddings", true);
  return f;
}

DecoderSpec ReadOpt(const Config& config) {
  Family f = OptFamily(config, {.intermediate = "ffn_dim"});
  if (!config.Flag("do_layer_norm_before", true)) {
    config.Refuse("do_layer_norm_before", "is false, which is not known");
  }
  if (config.Integer("word_embed_proj_dim", 1, UINT32_MAX, f.sizes.hidden) != f.sizes.hidden) {
    config.Refuse("word_embed_proj_dim", "is not hidden_size, which is not known");
  }
  if (config.Flag("_remove_final_layer_norm", false)) {
    config.Refuse("_remove_final_layer_norm", "is true, which is not known");
  }
  f.prefix = "model.decoder.";
  f.final_norm = "final_layer_norm";
  f.activation = ReadActivation(config, "activation_function", "relu");
  f.qkv_bias = f.output_bias = f.mlp_bias = config.Flag("enable_bias", true);
  f.norm_weights = config.Flag("layer_norm_elementwise_affine", true);
  return BuildDecoder(f);
}

DecoderSpec ReadBioGpt(const Config& config) {
  Family f = OptFamily(config, {.default_context = 1024});
  f.epsilon = config.Positive("layer_norm_eps", 1e-12);
  f.prefix = "biogpt.";
  f.final_norm = "layer_norm";
  f.head = "output_projection";
  f.activation = ReadActivation(config, "hidden_act", "gelu");
  if (config.Flag("scale_embedding", true)) {
    f.embedding_scale = std::sqrt(static_cast<float>(f.sizes.hidden));
  }
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> OptArchitectures() {
  return {
      {.name = "OPTForCausalLM", .model_type = "opt", .read = ReadOpt},
      {.name = "BioGptForCausalLM", .model_type = "biogpt", .read = ReadBioGpt},
  };
}

}  // namespace rondo::convert
