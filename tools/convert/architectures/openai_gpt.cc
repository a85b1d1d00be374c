// GPT, the first: GPT-2 with its norms in the residual stream, behind attention and MLP.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadOpenAiGpt(const Config& config) {
  Family f(ReadSizes(config, {.hidden = "n_embd",
                              .n_layers = "n_layer",
                              .n_heads = "n_head",
                              .context = "n_positions",
                              .intermediate = nullptr,
                              .four_times = true,
                              .default_context = 512,
                              .without_kv_heads = "GPT"}));
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = config.Positive("layer_norm_epsilon", 1e-5);
  f.norm_bias = f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = f.transposed = true;
  f.prefix = "transformer.";
  f.layer_prefix = "h.";
  f.embedding = "tokens_embed";
  f.LearnPositions("positions_embed");
  f.attention.pre_norm = f.mlp.pre_norm = f.final_norm = "";
  f.attention.residual_norm = "ln_1";
  f.mlp.residual_norm = "ln_2";
  f.attention.FuseQkv("attn.c_attn");
  f.attention.names.output = "attn.c_proj";
  f.mlp.Ungate("mlp.c_fc", "mlp.c_proj");
  // Its "gelu" is what was called gelu_new later.
  f.mlp.activation = config.Text("afn", "gelu") == "gelu" ? format::Activation::kGeluTanh
                                                          : ReadActivation(config, "afn", "");
  f.tied = config.Flag("tie_word_embeddings", true);
  f.ignored = {"attn.bias"};  // old exports: the causal mask
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> OpenAiGptArchitectures() {
  return {{.name = "OpenAIGPTLMHeadModel", .model_type = "openai-gpt", .read = ReadOpenAiGpt}};
}

}  // namespace rondo::convert
