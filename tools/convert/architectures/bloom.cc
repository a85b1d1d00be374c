// BLOOM: ALiBi in place of RoPE, and a norm of the embedding.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/alibi.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadBloom(const Config& config) {
  // The published configs mix two sets of names.
  const auto either = [&](const char* key, const char* other) {
    return config.Has(key) ? key : other;
  };
  Family f(ReadSizes(config, {.hidden = either("n_embed", "hidden_size"),
                              .n_layers = either("n_layer", "num_hidden_layers"),
                              .n_heads = either("n_head", "num_attention_heads"),
                              .context = "seq_length",
                              .intermediate = nullptr,
                              .four_times = true,
                              .without_kv_heads = "BLOOM"}));
  if (config.Flag("apply_residual_connection_post_layernorm", false)) {
    config.Refuse("apply_residual_connection_post_layernorm", "is true, which is not known");
  }
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = config.Positive("layer_norm_epsilon", 1e-5);
  f.norm_bias = f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = true;
  f.prefix = "transformer.";
  f.layer_prefix = "h.";
  f.embedding = "word_embeddings";
  f.embedding_norm = "word_embeddings_layernorm";
  f.final_norm = "ln_f";
  f.attention.FuseQkv("self_attention.query_key_value", HeadByHead(f.sizes.head_dim));
  f.attention.names.output = "self_attention.dense";
  f.attention.alibi_slopes = AlibiSlopes(f.sizes.n_heads);
  f.mlp.Ungate("mlp.dense_h_to_4h", "mlp.dense_4h_to_h");
  f.mlp.activation = format::Activation::kGeluTanh;
  f.tied = config.Flag("tie_word_embeddings", true);
  return BuildDecoder(f);
}

void AddBloom(const GgufKeys& keys, nlohmann::json& config) {
  const char* const kSize = "feed_forward_length";
  if (keys.Count(kSize, kMaxIntermediate) != 4 * config["hidden_size"].get<uint64_t>()) {
    keys.Refuse(kSize, "is not four times embedding_length");
  }
  config.erase("rope_parameters");
  config["seq_length"] = config["max_position_embeddings"];
  config["layer_norm_epsilon"] = keys.Number("attention.layer_norm_epsilon");
}

}  // namespace

std::vector<Architecture> BloomArchitectures() {
  const NameRules names = {
      {"token_embd", "transformer.word_embeddings"},
      {"token_embd_norm", "transformer.word_embeddings_layernorm"},
      {"output_norm", "transformer.ln_f"},
      {"output", "lm_head"},
      {"blk.{}.attn_norm", "transformer.h.{}.input_layernorm"},
      {"blk.{}.attn_qkv", "transformer.h.{}.self_attention.query_key_value", Change::kGroupedQkv},
      {"blk.{}.attn_output", "transformer.h.{}.self_attention.dense"},
      {"blk.{}.ffn_norm", "transformer.h.{}.post_attention_layernorm"},
      {"blk.{}.ffn_up", "transformer.h.{}.mlp.dense_h_to_4h"},
      {"blk.{}.ffn_down", "transformer.h.{}.mlp.dense_4h_to_h"},
  };
  return {{.name = "BloomForCausalLM",
           .model_type = "bloom",
           .read = ReadBloom,
           .gguf = "bloom",
           .add_gguf = AddBloom,
           .gguf_names = names}};
}

}  // namespace rondo::convert
