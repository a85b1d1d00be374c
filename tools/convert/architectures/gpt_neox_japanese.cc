// GPT-NeoX Japanese: GPT-NeoX without biases, but for one behind the last layer's attention.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadGptNeoxJapanese(const Config& config) {
  Sizes sizes =
      ReadSizes(config, {.intermediate = nullptr, .without_kv_heads = "this architecture"});
  sizes.intermediate =
      sizes.hidden * static_cast<uint32_t>(config.Integer("intermediate_multiple_size", 1,
                                                          kMaxIntermediate / sizes.hidden, 4));
  Family f(sizes);
  f.norm = format::NormKind::kLayerNorm;
  f.norm_bias = true;
  f.epsilon = config.Positive("layer_norm_eps", 1e-5);
  f.prefix = "gpt_neox_japanese.";
  f.embedding = "embed_in";
  f.final_norm = "final_layer_norm";
  f.head = "embed_out";
  f.attention.FuseQkv("attention.query_key_value", HeadByHead(f.sizes.head_dim));
  f.attention.names.output = "attention.dense";
  f.mlp.Ungate("mlp.dense_h_to_4h", "mlp.dense_4h_to_h");
  f.mlp.activation = ReadActivation(config, "hidden_act", "gelu");
  f.ropes = {ReadRope(config, {sizes.head_dim, sizes.context})};
  f.tied = config.Flag("tie_word_embeddings", true);
  f.ignored = {"attention.bias", "attention.masked_bias", "attention.rotary_emb.inv_freq"};
  DecoderSpec spec = BuildDecoder(f);
  const std::string last = std::to_string(sizes.n_layers - 1);
  spec.layers.back().sublayers[0]->op.AsAttention()->output->bias = static_cast<int32_t>(
      spec.Add({"layers." + last + ".attention.output.bias",
                TensorRole::kVector,
                {{f.prefix + f.layer_prefix + last + ".attention.dense_bias", sizes.hidden}},
                1}));
  return spec;
}

}  // namespace

std::vector<Architecture> GptNeoxJapaneseArchitectures() {
  return {{.name = "GPTNeoXJapaneseForCausalLM",
           .model_type = "gpt_neox_japanese",
           .read = ReadGptNeoxJapanese}};
}

}  // namespace rondo::convert
