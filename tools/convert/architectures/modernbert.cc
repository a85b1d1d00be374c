// ModernBERT, the encoder and the decoder: LayerNorm, windows with a RoPE of their own, a norm of
// the embedding; and before the decoder's head one more matrix.
#include <cmath>
#include <utility>
#include <vector>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

constexpr uint32_t kSliding = 1;  // the index of its rope

// The first with what lies in `rope_parameters` under the layers' type, or in a key of its own.
RopeSpec RopeOf(const Config& config, const Sizes& sizes, const char* layers, const char* old_key,
                double theta) {
  const RopeRequest request = {sizes.head_dim, sizes.context, theta};
  if (const std::optional<Config> all = config.Object("rope_parameters")) {
    if (const std::optional<Config> its = all->Object(layers)) {
      return ReadRope(config, *its, request);
    }
  }
  if (config.Has("rope_scaling")) config.Refuse("rope_scaling", "is set, which is not known");
  return PlainRope(config, config.Positive(old_key, theta), request);
}

// What is before the head is norm(activation(dense(final_norm(x)))): what an MLP adds to the
// stream, whose second matrix changes nothing, but without the stream. So the last layer multiplies
// the stream by 2^-40. That drowns it in what the MLP makes; and no norm sees it, as its epsilon is
// multiplied by the square.
void AddDense(const Config& config, const Family& f, DecoderSpec& spec) {
  constexpr int kDrowned = -40;
  const uint32_t hidden = f.sizes.hidden;
  TensorRecipe factor{"final_dense.stream", TensorRole::kVector, {{"", 1}}, 1};
  factor.scale = std::ldexp(1.0f, kDrowned);
  spec.layers.back().scale = static_cast<int32_t>(spec.Add(std::move(factor)));

  format::MlpT mlp;
  mlp.intermediate_size = hidden;
  mlp.activation = ReadActivation(config, "classifier_activation", "gelu");
  mlp.plain = true;
  mlp.gate_up = std::make_unique<format::LinearT>();
  mlp.gate_up->weight =
      spec.Add({"final_dense", TensorRole::kMatrix, {{"lm_head.dense.weight", hidden}}, hidden});
  if (config.Flag("classifier_bias", false)) {
    mlp.gate_up->bias = static_cast<int32_t>(
        spec.Add({"final_dense.bias", TensorRole::kVector, {{"lm_head.dense.bias", hidden}}, 1}));
  }
  TensorRecipe identity{"final_dense.down", TensorRole::kTable, {{"", hidden}}, hidden};
  identity.computed = [hidden](uint64_t row, std::span<float> rows) {
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = i % hidden == row + i / hidden ? 1.0f : 0.0f;
  };
  mlp.down = std::make_unique<format::LinearT>();
  mlp.down->weight = spec.Add(std::move(identity));

  auto dense = std::make_unique<format::SublayerT>();
  dense->norm = std::make_unique<format::NormT>(spec.final_norm);
  dense->norm->epsilon = std::ldexp(f.epsilon, 2 * kDrowned);
  dense->op.Set(std::move(mlp));
  spec.layers.emplace_back().sublayers.push_back(std::move(dense));

  spec.final_norm.weight =
      spec.Add({"final_dense.norm", TensorRole::kVector, {{"lm_head.norm.weight", hidden}}, 1});
  if (f.norm_bias) {
    spec.final_norm.bias = static_cast<int32_t>(spec.Add(
        {"final_dense.norm.bias", TensorRole::kVector, {{"lm_head.norm.bias", hidden}}, 1}));
  }
}

// What both have. `half`: of local_attention.
struct Parts {
  Family family;
  uint64_t half;
};
Parts ReadParts(const Config& config) {
  Family f = ReadFamily(config, {.default_context = 8192, .without_kv_heads = "this architecture"},
                        {.norm = format::NormKind::kLayerNorm,
                         .epsilon_key = "norm_eps",
                         .epsilon = 1e-5,
                         .activation_key = "hidden_activation",
                         .activation = "gelu",
                         .turning = 0,
                         .attention_bias = false,
                         .tied = true});
  f.norm_bias = config.Flag("norm_bias", false);
  f.embedding = "embeddings.tok_embeddings";
  f.embedding_norm = "embeddings.norm";
  f.final_norm = "final_norm";
  f.attention.pre_norm = "attn_norm";
  f.mlp.pre_norm = "mlp_norm";
  f.attention.names.output = "attn.Wo";
  f.mlp.FuseGate("mlp.Wi");
  f.mlp.names.down = "mlp.Wo";
  f.mlp.bias = config.Flag("mlp_bias", false);
  f.ropes = {RopeOf(config, f.sizes, "full_attention", "global_rope_theta", 160000),
             RopeOf(config, f.sizes, "sliding_attention", "local_rope_theta", 10000)};
  return {std::move(f), config.Integer("local_attention", 2, kMaxContext, 128) / 2};
}

void AddLayers(const Config& config, uint64_t window, Family& f) {
  const uint64_t every = config.Integer("global_attn_every_n_layers", 1, kMaxLayers, 3);
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, window, [every](uint32_t i) { return i % every != 0; });
  f.AddLayers(windows, {.full = 0, .sliding = kSliding});
  f.layers[0].attention().pre_norm = "";
}

DecoderSpec ReadModernBertDecoder(const Config& config) {
  auto [f, half] = ReadParts(config);
  f.head = "decoder";
  f.head_bias = config.Flag("decoder_bias", true);
  f.attention.names.q = "attn.q_proj";
  f.attention.names.k = "attn.k_proj";
  f.attention.names.v = "attn.v_proj";
  AddLayers(config, ReadWindow(config, half), f);
  DecoderSpec spec = BuildDecoder(f);
  AddDense(config, f, spec);
  return spec;
}

// A position sees those at most half of local_attention away.
DecoderSpec ReadModernBert(const Config& config) {
  auto [f, half] = ReadParts(config);
  f.tied = true;  // there is no head
  f.attention.FuseQkv("attn.Wqkv");
  f.attention.bidirectional = true;
  f.left_out = {"head.", "decoder."};
  AddLayers(config, half + 1, f);
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> ModernBertArchitectures() {
  return {
      {.name = "ModernBertDecoderForCausalLM",
       .model_type = "modernbert-decoder",
       .read = ReadModernBertDecoder},
      {.name = "ModernBertModel",
       .model_type = "modernbert",
       .read = ReadModernBert,
       .is_encoder = true},
  };
}

}  // namespace rondo::convert
