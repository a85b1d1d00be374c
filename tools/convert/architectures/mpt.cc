// MPT: ALiBi in place of RoPE, LayerNorm without bias, an MLP four times as wide as the model.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/alibi.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadMpt(const Config& config) {
  Family f(ReadSizes(config, {.hidden = "d_model",
                              .n_layers = "n_layers",
                              .n_heads = "n_heads",
                              .context = "max_seq_len",
                              .intermediate = nullptr,
                              .four_times = true,
                              .without_kv_heads = "MPT"}));
  const Config attention = config.Object("attn_config").value_or(Config::Of("attn_config.", {}));
  if (!attention.Flag("alibi", true)) {
    attention.Refuse("alibi", "is false: MPT with other positions is not known");
  }
  if (attention.Flag("qk_ln", false)) attention.Refuse("qk_ln", "is true, which is not known");
  if (attention.Flag("prefix_lm", false)) {
    attention.Refuse("prefix_lm", "is true: only causal attention is known");
  }
  if (attention.Text("attn_type", "multihead_attention") != "multihead_attention") {
    attention.Refuse("attn_type", "is not multihead_attention, the only one known");
  }
  if (config.Integer("expansion_ratio", 1, kMaxIntermediate, 4) != 4) {
    config.Refuse("expansion_ratio", "is not 4, the only one known");
  }
  if (!config.Flag("no_bias", true)) config.Refuse("no_bias", "is false, which is not known");
  if (config.Has("logit_scale")) config.Refuse("logit_scale", "is set, which is not known");
  if (attention.Has("clip_qkv")) {
    f.attention.qkv_clip = static_cast<float>(attention.Positive("clip_qkv"));
  }
  if (attention.Has("softmax_scale")) {
    f.attention.score_scale = static_cast<float>(attention.Positive("softmax_scale"));
  }
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = config.Positive("layer_norm_epsilon", 1e-5);
  f.prefix = "transformer.";
  f.layer_prefix = "blocks.";
  f.embedding = "wte";
  f.final_norm = "norm_f";
  f.attention.pre_norm = "norm_1";
  f.mlp.pre_norm = "norm_2";
  f.attention.FuseQkv("attn.Wqkv");
  f.attention.names.output = "attn.out_proj";
  f.mlp.Ungate("ffn.up_proj", "ffn.down_proj");
  f.mlp.activation = format::Activation::kGelu;
  f.attention.alibi_slopes = AlibiSlopes(f.sizes.n_heads);
  if (f.sizes.n_heads & (f.sizes.n_heads - 1)) {
    config.Refuse("n_heads", "is not a power of two, the only ones known with ALiBi");
  }
  if (attention.Has("alibi_bias_max") && attention.Positive("alibi_bias_max") != 8) {
    attention.Refuse("alibi_bias_max", "is not 8, the only one known");
  }
  f.tied = config.Flag("tie_word_embeddings", true);
  return BuildDecoder(f);
}

void AddMpt(const GgufKeys& keys, nlohmann::json& config) {
  nlohmann::json attention = {{"alibi", true},
                              {"alibi_bias_max", keys.Number("attention.max_alibi_bias")}};
  if (keys.Has("attention.clamp_kqv")) attention["clip_qkv"] = keys.Number("attention.clamp_kqv");
  config = {{"architectures", config["architectures"]},
            {"model_type", config["model_type"]},
            {"vocab_size", config["vocab_size"]},
            {"tie_word_embeddings", config["tie_word_embeddings"]},
            {"attn_config", std::move(attention)},
            {"layer_norm_epsilon", keys.Number("attention.layer_norm_epsilon")},
            {"d_model", config["hidden_size"]},
            {"n_heads", config["num_attention_heads"]},
            {"n_layers", config["num_hidden_layers"]},
            {"num_key_value_heads", config["num_key_value_heads"]},
            {"max_seq_len", config["max_position_embeddings"]}};
}

}  // namespace

std::vector<Architecture> MptArchitectures() {
  const NameRules names = {
      {"token_embd", "transformer.wte"},
      {"output_norm", "transformer.norm_f"},
      {"output", "lm_head"},
      {"blk.{}.attn_norm", "transformer.blocks.{}.norm_1"},
      {"blk.{}.attn_qkv", "transformer.blocks.{}.attn.Wqkv"},
      {"blk.{}.attn_output", "transformer.blocks.{}.attn.out_proj"},
      {"blk.{}.ffn_norm", "transformer.blocks.{}.norm_2"},
      {"blk.{}.ffn_up", "transformer.blocks.{}.ffn.up_proj"},
      {"blk.{}.ffn_down", "transformer.blocks.{}.ffn.down_proj"},
  };
  return {{.name = "MptForCausalLM",
           .model_type = "mpt",
           .read = ReadMpt,
           .gguf = "mpt",
           .add_gguf = AddMpt,
           .gguf_names = names}};
}

}  // namespace rondo::convert
