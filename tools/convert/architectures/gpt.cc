// GPT-2: learned positions, one tensor for q, k and v, matrices kept as [inputs, outputs].
// GPT-NeoX: partial RoPE, q, k and v head by head, attention and MLP side by side.
// StarCoder2 and StableLM: LayerNorm in Llama's or GPT-2's frame.
#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {

DecoderSpec ReadGpt2(const Config& config) {
  Sizes sizes = ReadSizes(config, {.hidden = "n_embd",
                                   .n_layers = "n_layer",
                                   .n_heads = "n_head",
                                   .context = "n_positions",
                                   .intermediate = nullptr,
                                   .default_context = 1024});
  sizes.intermediate = static_cast<uint32_t>(
      config.Integer("n_inner", 1, kMaxIntermediate, 4 * uint64_t{sizes.hidden}));
  if (sizes.n_heads != sizes.n_kv_heads) {
    config.Refuse("num_key_value_heads", "is set, which GPT-2 does not know");
  }
  if (config.Flag("add_cross_attention", false)) {
    config.Refuse("add_cross_attention", "is true: only decoders by themselves are known");
  }
  Family f(sizes);
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = config.Positive("layer_norm_epsilon", 1e-5);
  f.norm_bias = f.qkv_bias = f.output_bias = f.mlp_bias = true;
  f.transposed = true;
  f.prefix = "transformer.";
  f.layers = "h.";
  f.embedding = "wte";
  f.positions = "wpe";
  f.final_norm = "ln_f";
  f.attention_norm = "ln_1";
  f.mlp_norm = "ln_2";
  f.qkv = Family::Qkv::kStacked;
  f.q = "attn.c_attn";
  f.output = "attn.c_proj";
  f.gated = false;
  f.up = "mlp.c_fc";
  f.down = "mlp.c_proj";
  f.activation = ReadActivation(config, "activation_function", "gelu_new");
  f.ignored = {"attn.bias", "attn.masked_bias"};  // old exports: the causal mask
  const double scale = config.Flag("scale_attn_weights", true) ? 1 / std::sqrt(sizes.head_dim) : 1;
  const bool by_layer = config.Flag("scale_attn_by_inverse_layer_idx", false);
  for (uint32_t i = 0; i < sizes.n_layers; ++i) {
    f.layer_scale.push_back(static_cast<float>(by_layer ? scale / (i + 1) : scale));
  }
  f.tied = config.Flag("tie_word_embeddings", true);
  return BuildDecoder(f);
}

DecoderSpec ReadGptNeox(const Config& config) {
  Family f(ReadSizes(config));
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = config.Positive("layer_norm_eps", 1e-5);
  f.norm_bias = f.mlp_bias = true;
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", true);
  f.prefix = "gpt_neox.";
  f.embedding = "embed_in";
  f.final_norm = "final_layer_norm";
  f.head = "embed_out";
  f.qkv = Family::Qkv::kByHead;
  f.q = "attention.query_key_value";
  f.output = "attention.dense";
  f.gated = false;
  f.up = "mlp.dense_h_to_4h";
  f.down = "mlp.dense_4h_to_h";
  f.activation = ReadActivation(config, "hidden_act", "gelu");
  f.parallel = config.Flag("use_parallel_residual", true);
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, 10000, 0.25})};
  f.tied = config.Flag("tie_word_embeddings", false);
  f.ignored = {"attention.bias", "attention.masked_bias", "attention.rotary_emb.inv_freq"};
  return BuildDecoder(f);
}

DecoderSpec ReadStarcoder2(const Config& config) {
  Family f(ReadSizes(config, {.default_kv_heads = 2, .default_context = 4096}));
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = config.Positive("norm_epsilon", 1e-5);
  f.norm_bias = true;
  f.qkv_bias = f.output_bias = f.mlp_bias = config.Flag("use_bias", true);
  f.gated = false;
  f.up = "mlp.c_fc";
  f.down = "mlp.c_proj";
  f.activation = ReadActivation(config, "hidden_act", "gelu_pytorch_tanh");
  f.layer_window =
      ReadWindows(config, f.sizes, ReadWindow(config, 0), [](uint32_t) { return true; });
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  f.tied = config.Flag("tie_word_embeddings", true);
  return BuildDecoder(f);
}

DecoderSpec ReadStableLm(const Config& config) {
  Family f(ReadSizes(config, {.default_kv_heads = 32, .default_context = 4096}));
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = config.Positive("layer_norm_eps", 1e-5);
  f.norm_bias = true;
  f.qkv_bias = config.Flag("use_qkv_bias", false);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  if (config.Flag("qk_layernorm", false)) {
    f.head_norm = Family::HeadNorm::kPerHead;
    f.q_norm = "self_attn.q_layernorm";
    f.k_norm = "self_attn.k_layernorm";
  }
  f.parallel = config.Flag("use_parallel_residual", false);
  if (f.parallel) f.mlp_norm = f.attention_norm;
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, 10000, 0.25})};
  f.tied = config.Flag("tie_word_embeddings", false);
  f.ignored = {"self_attn.rotary_emb.inv_freq"};
  return BuildDecoder(f);
}

}  // namespace rondo::convert
