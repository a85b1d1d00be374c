// ERNIE 4.5 (dense) and Helium: Llama with a RoPE of neighbouring channels.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

Family NeighbourFamily(const Config& config, const SizeKeys& keys, double theta) {
  Family f(ReadSizes(config, keys));
  f.mlp.activation = ReadActivation(config, "hidden_act", "silu");
  f.attention.rope_pairs = RopePairs::kNeighbours;
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, theta})};
  return f;
}

DecoderSpec ReadErnie45(const Config& config) {
  Family f = NeighbourFamily(
      config, {.default_kv_heads = 2, .default_head_dim = 128, .default_context = 131072}, 500000);
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = config.Flag("use_bias", false);
  f.tied = config.Flag("tie_word_embeddings", true);
  return BuildDecoder(f);
}

DecoderSpec ReadHelium(const Config& config) {
  Family f = NeighbourFamily(
      config, {.default_kv_heads = 20, .default_head_dim = 128, .default_context = 4096}, 100000);
  f.epsilon = config.Positive("rms_norm_eps", 1e-8);
  f.attention.qkv_bias = config.Flag("attention_bias", false);
  f.mlp.bias = config.Flag("mlp_bias", false);
  f.tied = config.Flag("tie_word_embeddings", false);
  return BuildDecoder(f);
}

void AddErnie(const GgufKeys& keys, nlohmann::json& config) {
  config["use_bias"] = keys.HasInSomeLayer("attn_q.bias");
}

}  // namespace

std::vector<Architecture> ErnieArchitectures() {
  return {
      {.name = "Ernie4_5ForCausalLM",
       .model_type = "ernie4_5",
       .read = ReadErnie45,
       .gguf = "ernie4_5",
       .add_gguf = AddErnie,
       .gguf_rope_theta = 500000},
      {.name = "HeliumForCausalLM", .model_type = "helium", .read = ReadHelium},
  };
}

}  // namespace rondo::convert
