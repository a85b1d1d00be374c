// OPT and BioGPT: learned positions from row 2 on, LayerNorm, biases everywhere. OPT-350m has its
// norms behind attention and MLP, and vectors for tokens that are narrower than the model.
#include <cmath>
#include <utility>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

Family OptFamily(const Config& config, const SizeKeys& keys, const char* prefix) {
  Family f(ReadSizes(config, keys));
  if (f.sizes.n_kv_heads != f.sizes.n_heads) {
    config.Refuse("num_key_value_heads", "is set, which this architecture does not know");
  }
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = 1e-5;
  f.prefix = prefix;
  f.LearnPositions("embed_positions", 2);
  f.norm_bias = f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = true;
  f.attention.pre_norm = "self_attn_layer_norm";
  f.mlp.pre_norm = "final_layer_norm";
  f.attention.names.output = "self_attn.out_proj";
  f.mlp.Ungate("fc1", "fc2");
  f.tied = config.Flag("tie_word_embeddings", true);
  return f;
}

// Between vectors of so many channels for tokens and the stream are matrices, folded into embedding
// and head.
void Project(const Family& f, uint64_t width, DecoderSpec& spec) {
  TensorRecipe& embedding = spec.tensors[spec.embedding];
  embedding.factor = {f.prefix + "project_in.weight", width, true};
  if (f.tied) {
    TensorRecipe head = embedding;
    head.name = "head";
    spec.head.weight = spec.Add(std::move(head));
  }
  spec.tensors[spec.head.weight].factor = {f.prefix + "project_out.weight", width, false};
}

DecoderSpec ReadOpt(const Config& config) {
  Family f = OptFamily(config, {.intermediate = "ffn_dim"}, "model.decoder.");
  f.final_norm = "final_layer_norm";
  if (!config.Flag("do_layer_norm_before", true)) {
    f.attention.residual_norm = std::exchange(f.attention.pre_norm, "");
    f.mlp.residual_norm = std::exchange(f.mlp.pre_norm, "");
    f.final_norm = "";
  } else if (config.Flag("_remove_final_layer_norm", false)) {
    config.Refuse("_remove_final_layer_norm", "is true, which is not known");
  }
  f.mlp.activation = ReadActivation(config, "activation_function", "relu");
  f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = config.Flag("enable_bias", true);
  f.norm_weights = config.Flag("layer_norm_elementwise_affine", true);
  DecoderSpec spec = BuildDecoder(f);
  const uint64_t width = config.Integer("word_embed_proj_dim", 1, kMaxHidden, f.sizes.hidden);
  if (width != f.sizes.hidden) Project(f, width, spec);
  return spec;
}

DecoderSpec ReadBioGpt(const Config& config) {
  Family f = OptFamily(config, {.default_context = 1024}, "biogpt.");
  f.epsilon = 1e-5;  // transformers does not read layer_norm_eps here
  f.final_norm = "layer_norm";
  f.head = "output_projection";
  f.mlp.activation = ReadActivation(config, "hidden_act", "gelu");
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
