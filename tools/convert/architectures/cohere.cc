// Cohere (Command R) and Cohere 2 (Command R7B, A): LayerNorm without bias, attention and MLP side
// by side after one norm, RoPE of neighbouring channels; in 2 windows in three layers of four,
// which alone turn.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

Family CohereFamily(const Config& config, double theta) {
  Family f(ReadSizes(config, {.default_context = 8192}));
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = config.Positive("layer_norm_eps", 1e-5);
  f.activation = ReadActivation(config, "hidden_act", "silu");
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", false);
  f.mlp_norm = f.attention_norm;
  f.parallel = true;
  f.rope_pairs = Family::RopePairs::kNeighbours;
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, theta})};
  f.logit_scale = static_cast<float>(config.Positive("logit_scale", 0.0625));
  f.tied = config.Flag("tie_word_embeddings", true);
  return f;
}

DecoderSpec ReadCohere(const Config& config) {
  Family f = CohereFamily(config, 500000);
  if (config.Flag("use_qk_norm", false)) f.head_norm = Family::HeadNorm::kStacked;
  return BuildDecoder(f);
}

DecoderSpec ReadCohere2(const Config& config) {
  Family f = CohereFamily(config, 10000);
  const uint64_t pattern = config.Integer("sliding_window_pattern", 1, kMaxLayers, 4);
  f.layer_window = ReadWindows(config, f.sizes, ReadWindow(config, 4096),
                               [pattern](uint32_t i) { return (i + 1) % pattern != 0; });
  for (const uint32_t window : f.layer_window) f.layer_rope.push_back(window != 0 ? 0 : -1);
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> CohereArchitectures() {
  return {
      {.name = "CohereForCausalLM", .model_type = "cohere", .read = ReadCohere},
      {.name = "Cohere2ForCausalLM", .model_type = "cohere2", .read = ReadCohere2},
  };
}

}  // namespace rondo::convert
