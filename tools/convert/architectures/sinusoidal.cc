// XGLM and CTRL: positions are sines and cosines, which no tensor holds.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

// What of a position p is one channel of a row: its sine or cosine of p * frequency, in float32 as
// when the model was trained. Sines come first.
auto Sines(std::vector<float> frequencies) {
  return [frequencies = std::move(frequencies)](uint64_t position, std::span<float> row) {
    const size_t half = frequencies.size();
    for (size_t i = 0; i < half; ++i) {
      const float angle = static_cast<float>(position) * frequencies[i];
      row[i] = std::sin(angle);
      row[half + i] = std::cos(angle);
    }
  };
}

// A table of positions that no tensor holds.
void ComputePositions(decltype(TensorRecipe::computed) rows, Family& f) {
  f.positions = {"positions", TensorRole::kTable, {{"", f.sizes.context}}, f.sizes.hidden};
  f.positions->computed = std::move(rows);
}

Family SinusoidalFamily(const Config& config, const SizeKeys& keys) {
  Family f(ReadSizes(config, keys));
  if (f.sizes.n_kv_heads != f.sizes.n_heads) {
    config.Refuse("num_key_value_heads", "is set, which this architecture does not know");
  }
  f.norm = format::NormKind::kLayerNorm;
  f.norm_bias = f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = true;
  f.mlp.plain = true;
  f.embedding_scale = std::sqrt(static_cast<float>(f.sizes.hidden));
  f.tied = config.Flag("tie_word_embeddings", true);
  return f;
}

// Row 2 is that of position 0, and the one of the padding token's number is zero.
void AddXglmPositions(const Config& config, Family& f) {
  const uint32_t hidden = f.sizes.hidden, half = hidden / 2;
  const float step = static_cast<float>(-std::log(10000.0) / (half - 1));
  std::vector<float> frequencies;
  for (uint32_t i = 0; i < half; ++i) {
    frequencies.push_back(std::exp(static_cast<float>(i) * step));
  }
  const char* const kPad = "pad_token_id";
  const bool has_pad = config.Has(kPad) || !config.Mentions(kPad);
  const uint64_t pad = has_pad ? config.Integer(kPad, 0, f.sizes.vocab - 1, 1) : 0;
  ComputePositions(
      [hidden, pad, sines = Sines(frequencies)](uint64_t first, std::span<float> rows) {
        for (uint64_t row = first + 2; !rows.empty(); ++row, rows = rows.subspan(hidden)) {
          sines(row, rows.first(hidden));
          if (row == pad) std::fill_n(rows.begin(), hidden, 0.0f);
        }
      },
      f);
}

DecoderSpec ReadXglm(const Config& config) {
  Family f = SinusoidalFamily(config, {.hidden = "d_model",
                                       .n_layers = "num_layers",
                                       .n_heads = "attention_heads",
                                       .intermediate = "ffn_dim"});
  if (config.Flag("add_cross_attention", false)) {
    config.Refuse("add_cross_attention", "is true: only decoders by themselves are known");
  }
  if (!config.Flag("scale_embedding", true)) f.embedding_scale = 1;
  AddXglmPositions(config, f);
  f.epsilon = 1e-5;
  f.final_norm = "layer_norm";
  f.attention.pre_norm = "self_attn_layer_norm";
  f.mlp.pre_norm = "final_layer_norm";
  f.attention.names.output = "self_attn.out_proj";
  f.mlp.names.up = "fc1";
  f.mlp.names.down = "fc2";
  f.mlp.activation = ReadActivation(config, "activation_function", "gelu");
  return BuildDecoder(f);
}

DecoderSpec ReadCtrl(const Config& config) {
  Family f = SinusoidalFamily(config, {.hidden = "n_embd",
                                       .n_layers = "n_layer",
                                       .n_heads = "n_head",
                                       .context = "n_positions",
                                       .intermediate = "dff",
                                       .default_context = 256});
  const uint32_t hidden = f.sizes.hidden;
  std::vector<float> frequencies;
  for (uint32_t i = 0; i < hidden / 2; ++i) {
    frequencies.push_back(
        1 / std::pow(10000.0f, static_cast<float>(2 * i) / static_cast<float>(hidden)));
  }
  ComputePositions(
      [hidden, sines = Sines(frequencies)](uint64_t row, std::span<float> rows) {
        for (; !rows.empty(); rows = rows.subspan(hidden)) sines(row++, rows.first(hidden));
      },
      f);
  f.epsilon = 1e-6;
  f.head_bias = true;
  f.prefix = "transformer.";
  f.layer_prefix = "h.";
  f.embedding = "w";
  f.final_norm = "layernorm";
  f.attention.pre_norm = "layernorm1";
  f.mlp.pre_norm = "layernorm2";
  f.attention.names.q = "multi_head_attention.Wq";
  f.attention.names.k = "multi_head_attention.Wk";
  f.attention.names.v = "multi_head_attention.Wv";
  f.attention.names.output = "multi_head_attention.dense";
  f.mlp.names.up = "ffn.0";
  f.mlp.names.down = "ffn.2";
  f.mlp.activation = format::Activation::kRelu;
  DecoderSpec spec = BuildDecoder(f);
  spec.final_norm.epsilon = config.Positive("layer_norm_epsilon", 1e-6);  // of this one alone
  return spec;
}

}  // namespace

std::vector<Architecture> SinusoidalArchitectures() {
  return {
      {.name = "CTRLLMHeadModel", .model_type = "ctrl", .read = ReadCtrl},
      {.name = "XGLMForCausalLM", .model_type = "xglm", .read = ReadXglm},
  };
}

}  // namespace rondo::convert
