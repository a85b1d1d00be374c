// gpt-oss: sinks of attention, windows in every other layer, and experts with biases and limits, in
// MXFP4 or in floats by columns.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

Config WithScaling(const Config& config) {
  if (config.Has("rope_parameters") || config.Has("rope_scaling")) return config;
  return config.With("rope_scaling", {{"rope_type", "yarn"},
                                      {"factor", 32},
                                      {"truncate", false},
                                      {"original_max_position_embeddings", 4096}});
}

DecoderSpec ReadGptOss(const Config& config) {
  Family f(ReadSizes(config,
                     {.default_kv_heads = 8, .default_head_dim = 64, .default_context = 131072}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  f.mlp.activation = format::Activation::kGeluQuick;  // SwiGLU with an alpha of 1.702
  f.attention.qkv_bias = f.attention.output_bias = config.Flag("attention_bias", true);
  f.attention.names.sinks = "self_attn.sinks";
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 128), [](uint32_t i) { return i % 2 == 0; });
  f.ropes = {ReadRope(WithScaling(config), {f.sizes.head_dim, f.sizes.context, 150000})};
  f.tied = config.Flag("tie_word_embeddings", false);
  Experts experts = ReadExperts(config, f, {.default_experts = 128, .default_used = 4});
  experts.names.router = "mlp.router";
  experts.router_bias = true;
  experts.normalize = true;
  experts.limit = static_cast<float>(config.Positive("swiglu_limit", 7));
  experts.up_offset = 1;
  Experts::Stack floats = {.gate_up = "mlp.experts.gate_up_proj",
                           .down = "mlp.experts.down_proj",
                           .gate_up_bias = "mlp.experts.gate_up_proj_bias",
                           .down_bias = "mlp.experts.down_proj_bias",
                           .transposed = true,
                           .interleaved = true};
  Experts::Stack blocks = floats;
  blocks.gate_up += "_blocks";
  blocks.down += "_blocks";
  blocks.transposed = false;
  experts.stacks = {floats, blocks};
  f.AddLayers(windows);
  f.PlaceExperts(experts);
  return BuildDecoder(f);
}

void AddGptOss(const GgufKeys& keys, nlohmann::json& config) {
  AddWindow(keys, config);
  AddSlidingLayers(keys, 2, config);
  AddExperts(keys, "num_local_experts", config);
  config["intermediate_size"] = keys.Count("expert_feed_forward_length", kMaxIntermediate);
  config["attention_bias"] = true;
  // Of all published models; few files say so.
  nlohmann::json& rope = config["rope_parameters"];
  if (!rope.contains("truncate")) rope["truncate"] = false;
}

}  // namespace

std::vector<Architecture> GptOssArchitectures() {
  const NameRules names = {
      {"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm"},
      {"blk.{}.attn_sinks.weight", "model.layers.{}.self_attn.sinks"},
      {"blk.{}.ffn_gate_inp", "model.layers.{}.mlp.router"},
  };
  return {{.name = "GptOssForCausalLM",
           .model_type = "gpt_oss",
           .read = ReadGptOss,
           .gguf = "gpt-oss",
           .add_gguf = AddGptOss,
           .gguf_names = With(With(UsualNames(), StackedExpertNames()), names)}};
}

}  // namespace rondo::convert
