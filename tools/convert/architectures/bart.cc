// BART, MVP, PLBART and mBART, the decoder by itself: learned positions from row 2 on, a norm of
// the embedding, biases everywhere; norms behind attention and MLP, in mBART before them.
#include <cmath>
#include <utility>

#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

Family BartFamily(const Config& config, bool scales) {
  Family f(ReadSizes(config, {.hidden = "d_model",
                              .n_layers = "decoder_layers",
                              .n_heads = "decoder_attention_heads",
                              .intermediate = "decoder_ffn_dim",
                              .default_context = 1024,
                              .without_kv_heads = "BART"}));
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = 1e-5;
  f.norm_bias = f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = true;
  f.prefix = "model.decoder.";
  f.LearnPositions("embed_positions", 2);
  if (config.Flag("scale_embedding", scales)) {
    f.embedding_scale = std::sqrt(static_cast<float>(f.sizes.hidden));
  }
  f.embedding_norm = "layernorm_embedding";
  f.attention.pre_norm = "self_attn_layer_norm";
  f.attention.names.output = "self_attn.out_proj";
  f.mlp.pre_norm = "final_layer_norm";
  f.mlp.Ungate("fc1", "fc2");
  f.mlp.activation = ReadActivation(config, "activation_function", "gelu");
  f.tied = config.Flag("tie_word_embeddings", true);
  // What looks at an encoder, which is not there.
  for (const char* name : {"encoder_attn.q_proj", "encoder_attn.k_proj", "encoder_attn.v_proj",
                           "encoder_attn.out_proj", "encoder_attn_layer_norm"}) {
    for (const char* part : {".weight", ".bias"}) f.ignored.push_back(std::string(name) + part);
  }
  return f;
}

DecoderSpec BuildPostNorm(Family f) {
  f.attention.residual_norm = std::exchange(f.attention.pre_norm, "");
  f.mlp.residual_norm = std::exchange(f.mlp.pre_norm, "");
  f.final_norm = "";
  return BuildDecoder(std::move(f));
}

DecoderSpec ReadBart(const Config& config) { return BuildPostNorm(BartFamily(config, false)); }

DecoderSpec ReadPlBart(const Config& config) { return BuildPostNorm(BartFamily(config, true)); }

DecoderSpec ReadMvp(const Config& config) {
  if (config.Flag("use_prompt", false)) config.Refuse("use_prompt", "is true, which is not known");
  return ReadBart(config);
}

DecoderSpec ReadMBart(const Config& config) {
  Family f = BartFamily(config, false);
  f.final_norm = "layer_norm";
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> BartArchitectures() {
  return {
      {.name = "BartForCausalLM", .model_type = "bart", .read = ReadBart},
      {.name = "MBartForCausalLM", .model_type = "mbart", .read = ReadMBart},
      {.name = "MvpForCausalLM", .model_type = "mvp", .read = ReadMvp},
      {.name = "PLBartForCausalLM", .model_type = "plbart", .read = ReadPlBart},
  };
}

}  // namespace rondo::convert
