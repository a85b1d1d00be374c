// gpt-oss: sinks of attention, windows in every other layer, and experts with biases and limits, in
// MXFP4 or in floats by columns.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadGptOss(const Config& config) {
  Family f(ReadSizes(config,
                     {.default_kv_heads = 8, .default_head_dim = 64, .default_context = 131072}));
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  f.activation = format::Activation::kGeluQuick;  // SwiGLU with an alpha of 1.702
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", true);
  f.sinks = "self_attn.sinks";
  f.layer_window =
      ReadWindows(config, f.sizes, ReadWindow(config, 128), [](uint32_t i) { return i % 2 == 0; });
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, 150000})};
  f.tied = config.Flag("tie_word_embeddings", false);
  f.experts = ReadExperts(config, f, {.default_experts = 128, .default_used = 4});
  f.experts->router = "mlp.router";
  f.experts->router_bias = true;
  f.experts->normalize = true;
  f.experts->limit = static_cast<float>(config.Positive("swiglu_limit", 7));
  f.experts->up_offset = 1;
  Family::Experts::Stack floats = {.gate_up = "mlp.experts.gate_up_proj",
                                   .down = "mlp.experts.down_proj",
                                   .gate_up_bias = "mlp.experts.gate_up_proj_bias",
                                   .down_bias = "mlp.experts.down_proj_bias",
                                   .transposed = true,
                                   .interleaved = true};
  Family::Experts::Stack blocks = floats;
  blocks.gate_up += "_blocks";
  blocks.down += "_blocks";
  blocks.transposed = false;
  f.experts->stacks = {floats, blocks};
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> GptOssArchitectures() {
  return {{.name = "GptOssForCausalLM", .model_type = "gpt_oss", .read = ReadGptOss}};
}

}  // namespace rondo::convert
