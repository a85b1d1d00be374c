// OPT and BioGPT: learned positions from row 2 on, LayerNorm, biases everywhere. OPT-350m has its
// norms behind attention and MLP, and vectors for tokens that are narrower than the model.
#include <cmath>
#include <utility>

#include "runtime/model/limits.h"
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
  f.prefix = "model.decoder.";
  f.final_norm = "final_layer_norm";
  if (!config.Flag("do_layer_norm_before", true)) {
    f.attention_residual_norm = std::exchange(f.attention_norm, "");
    f.mlp_residual_norm = std::exchange(f.mlp_norm, "");
    f.final_norm = "";
  } else if (config.Flag("_remove_final_layer_norm", false)) {
    config.Refuse("_remove_final_layer_norm", "is true, which is not known");
  }
  const uint64_t width = config.Integer("word_embed_proj_dim", 1, kMaxHidden, f.sizes.hidden);
  if (width != f.sizes.hidden) {
    f.embedding_width = static_cast<uint32_t>(width);
    f.project_in = "project_in";
    f.project_out = "project_out";
  }
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
