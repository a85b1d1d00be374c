#include "tools/convert/architectures/family.h"

#include <cmath>
#include <map>
#include <memory>

#include "runtime/model/limits.h"

namespace rondo::convert {
namespace {

using format::AttentionT, format::ExpertsT, format::LinearT, format::MlpT, format::NormT,
    format::ShortConvT, format::SublayerT;

class Builder {
 public:
  explicit Builder(const Family& family) : f_(family), s_(family.sizes) {}

  DecoderSpec Build() {
    spec_.vocab_size = s_.vocab;
    spec_.hidden_size = s_.hidden;
    spec_.context_length = s_.context;
    spec_.prefix = f_.prefix;
    spec_.ropes = f_.ropes;
    spec_.embedding_scale = f_.embedding_scale;
    spec_.logit_soft_cap = f_.logit_soft_cap;
    spec_.embedding = Vocabulary("embedding", f_.prefix + f_.embedding);
    if (!f_.positions.empty()) {
      spec_.positions =
          static_cast<int32_t>(spec_.Add({"positions",
                                          TensorRole::kTable,
                                          {{f_.prefix + f_.positions + ".weight", s_.context}},
                                          s_.hidden}));
    }
    for (uint32_t i = 0; i < s_.n_layers; ++i) AddLayer(i);
    // The logits' factor goes into the norm before them, so that a tied embedding stays as it is.
    spec_.final_norm = *Norm("final_norm", f_.prefix + f_.final_norm, f_.logit_scale);
    AddHead();
    return std::move(spec_);
  }

 private:
  uint32_t Vocabulary(const char* name, const std::string& source) {
    return spec_.Add({name, TensorRole::kEmbedding, {{source + ".weight", s_.vocab}}, s_.hidden});
  }

  void AddHead() {
    if (f_.tied) {
      spec_.head.weight = spec_.embedding;
      spec_.ignored.insert(f_.head + ".weight");  // some exports hold the embedding twice
    } else {
      spec_.head.weight = Vocabulary("head", f_.head);
    }
    if (f_.head_bias) {
      TensorRecipe bias{"head.bias", TensorRole::kVector, {{f_.head + ".bias", s_.vocab}}, 1};
      bias.scale = f_.logit_scale;
      spec_.head.bias = static_cast<int32_t>(spec_.Add(std::move(bias)));
    }
  }

  // Parts by the names of their tensors, without ".weight".
  std::unique_ptr<LinearT> Linear(const std::string& name,
                                  const std::vector<TensorRecipe::Part>& parts, uint64_t cols,
                                  bool has_bias, float scale = 1) {
    TensorRecipe weights{name, TensorRole::kMatrix, {}, cols};
    TensorRecipe biases{name + ".bias", TensorRole::kVector, {}, 1};
    weights.transposed = f_.transposed;
    weights.scale = biases.scale = scale;
    for (const TensorRecipe::Part& part : parts) {
      weights.parts.push_back(part);
      biases.parts.push_back(part);
      weights.parts.back().source += ".weight";
      biases.parts.back().source += ".bias";
      if (!part.shape.empty()) biases.parts.back().shape = {part.shape.front()};
    }
    auto linear = std::make_unique<LinearT>();
    linear->weight = spec_.Add(std::move(weights));
    if (has_bias) linear->bias = static_cast<int32_t>(spec_.Add(std::move(biases)));
    return linear;
  }

  // Of the residual stream; null where the family has none. One whose tensors serve in two places
  // is written once.
  std::unique_ptr<NormT> Norm(const std::string& name, const std::string& source, float scale = 1) {
    const auto found = norms_.find(source);
    if (found != norms_.end()) return std::make_unique<NormT>(found->second);
    auto norm = NormOf(name, {{source + ".weight", s_.hidden}}, {{source + ".bias", s_.hidden}},
                       f_.norm_bias, scale);
    norms_.emplace(source, *norm);
    return norm;
  }

  std::unique_ptr<NormT> NormOf(const std::string& name, std::vector<TensorRecipe::Part> weights,
                                std::vector<TensorRecipe::Part> biases, bool has_bias,
                                float scale) {
    TensorRecipe weight{name, TensorRole::kVector, std::move(weights), 1};
    weight.scale = scale;
    weight.offset = f_.norm_offset * scale;
    auto norm = std::make_unique<NormT>();
    norm->kind = f_.norm;
    norm->epsilon = f_.epsilon;
    norm->weight = spec_.Add(std::move(weight));
    if (has_bias) {
      TensorRecipe bias{name + ".bias", TensorRole::kVector, std::move(biases), 1};
      bias.scale = scale;
      norm->bias = static_cast<int32_t>(spec_.Add(std::move(bias)));
    }
    return norm;
  }

  // Of q or k: the runtime has a weight for every channel of every head.
  std::unique_ptr<NormT> HeadNorm(const std::string& name, const std::string& source,
                                  uint32_t n_heads) {
    if (f_.head_norm == Family::HeadNorm::kNone) return nullptr;
    std::vector<TensorRecipe::Part> weights, biases;
    const bool whole = f_.head_norm == Family::HeadNorm::kWhole;
    for (uint32_t head = 0; head < (whole ? 1 : n_heads); ++head) {
      std::string tensor = source;
      if (f_.head_norm == Family::HeadNorm::kPerHead) tensor += ".norms." + std::to_string(head);
      const uint64_t size = uint64_t{whole ? n_heads : 1} * s_.head_dim;
      weights.push_back({tensor + ".weight", size});
      biases.push_back({tensor + ".bias", size});
    }
    auto norm = NormOf(name, weights, biases, f_.head_norm_bias, 1);
    norm->group = whole ? 0 : s_.head_dim;
    return norm;
  }

  std::unique_ptr<LinearT> Qkv(const std::string& name, const std::string& source) {
    const uint64_t q_rows = uint64_t{s_.n_heads} * s_.head_dim;
    const uint64_t kv_rows = uint64_t{s_.n_kv_heads} * s_.head_dim;
    const uint64_t rows = q_rows + 2 * kv_rows;
    std::vector<TensorRecipe::Part> parts;
    switch (f_.qkv) {
      case Family::Qkv::kApart:
        parts = {{source + f_.q, q_rows}, {source + f_.k, kv_rows}, {source + f_.v, kv_rows}};
        break;
      case Family::Qkv::kStacked:
        parts = {{source + f_.q, rows}};
        break;
      case Family::Qkv::kByHead:  // head by head: its q, its k, its v
        for (uint64_t part = 0; part < 3; ++part) {
          for (uint64_t head = 0; head < s_.n_heads; ++head) {
            parts.push_back(
                {source + f_.q, s_.head_dim, (3 * head + part) * s_.head_dim, {rows, s_.hidden}});
          }
        }
        break;
    }
    return Linear(name, parts, s_.hidden, f_.qkv_bias);
  }

  AttentionT Attention(uint32_t index, const std::string& name, const std::string& source) {
    AttentionT attention;
    attention.n_heads = s_.n_heads;
    attention.n_kv_heads = s_.n_kv_heads;
    attention.head_dim = attention.v_head_dim = s_.head_dim;
    attention.rope = !f_.layer_rope.empty() ? f_.layer_rope[index] : f_.ropes.empty() ? -1 : 0;
    attention.window = f_.layer_window.empty() ? 0 : f_.layer_window[index];
    attention.score_scale =
        f_.layer_scale.empty()
            ? static_cast<float>(1.0 / std::sqrt(static_cast<double>(s_.head_dim)))
            : f_.layer_scale[index];
    attention.soft_cap = f_.soft_cap;
    attention.qkv_clip = f_.qkv_clip;
    attention.qkv = Qkv(name + "attention.qkv", source);
    attention.q_norm = HeadNorm(name + "attention.q_norm", source + f_.q_norm, s_.n_heads);
    attention.k_norm = HeadNorm(name + "attention.k_norm", source + f_.k_norm, s_.n_kv_heads);
    attention.output =
        Linear(name + "attention.output", {{source + f_.output, s_.hidden}},
               uint64_t{s_.n_heads} * s_.head_dim, f_.output_bias, f_.residual_scale);
    return attention;
  }

  ShortConvT ShortConv(const std::string& name, const std::string& source) {
    const Family::Conv& conv = *f_.conv;
    ShortConvT spec;
    spec.taps = conv.taps;
    spec.input = Linear(name + "conv.input", {{source + conv.input, 3 * uint64_t{s_.hidden}}},
                        s_.hidden, conv.bias);
    TensorRecipe kernel{
        name + "conv.kernel",
        TensorRole::kTable,
        {{source + conv.kernel + ".weight", conv.taps, 0, {s_.hidden, 1, conv.taps}}},
        s_.hidden};
    kernel.transposed = true;
    spec.kernel = spec_.Add(std::move(kernel));
    if (conv.bias) {
      spec.bias = static_cast<int32_t>(spec_.Add({name + "conv.bias",
                                                  TensorRole::kVector,
                                                  {{source + conv.kernel + ".bias", s_.hidden}},
                                                  1}));
    }
    spec.output =
        Linear(name + "conv.output", {{source + conv.output, s_.hidden}}, s_.hidden, conv.bias);
    return spec;
  }

  MlpT Mlp(const std::string& name, const std::string& source) {
    const uint64_t size = s_.intermediate;
    std::vector<TensorRecipe::Part> parts;
    if (!f_.gated) {
      parts = {{source + f_.up, size}};
    } else if (f_.fused_gate) {
      parts = {{source + f_.gate, 2 * size}};
    } else {
      parts = {{source + f_.gate, size}, {source + f_.up, size}};
    }
    MlpT mlp;
    mlp.intermediate_size = s_.intermediate;
    mlp.activation = f_.activation;
    mlp.plain = !f_.gated;
    mlp.gate_up = Linear(name + "mlp.gate_up", parts, s_.hidden, f_.mlp_bias);
    mlp.down = Linear(name + "mlp.down", {{source + f_.down, s_.hidden}}, size, f_.mlp_bias,
                      f_.residual_scale);
    return mlp;
  }

  ExpertsT Experts(const std::string& name, const std::string& source) {
    const Family::Experts& e = *f_.experts;
    ExpertsT experts;
    experts.n_used = e.n_used;
    experts.normalize = e.normalize;
    experts.intermediate_size = e.intermediate;
    experts.activation = f_.activation;
    // In float32: which experts are chosen hangs on small differences, and it is small.
    experts.router = std::make_unique<LinearT>();
    experts.router->weight = spec_.Add({name + "mlp.router",
                                        TensorRole::kTable,
                                        {{source + e.router + ".weight", e.n_experts}},
                                        s_.hidden});
    for (uint32_t i = 0; i < e.n_experts; ++i) {
      const std::string own = name + "mlp.experts." + std::to_string(i);
      const std::string from = source + e.expert + std::to_string(i) + ".";
      auto expert = std::make_unique<format::ExpertT>();
      expert->gate_up =
          Linear(own + ".gate_up", {{from + e.gate, e.intermediate}, {from + e.up, e.intermediate}},
                 s_.hidden, false);
      expert->down = Linear(own + ".down", {{from + e.down, s_.hidden}}, e.intermediate, false,
                            f_.residual_scale);
      experts.experts.push_back(std::move(expert));
    }
    return experts;
  }

  void AddLayer(uint32_t index) {
    const std::string name = "layers." + std::to_string(index) + ".";
    const std::string source = f_.prefix + f_.layers + std::to_string(index) + ".";
    const auto norm = [&](const char* ours, const std::string& theirs) {
      return theirs.empty() ? nullptr : Norm(name + ours, source + theirs);
    };
    auto mixer = std::make_unique<SublayerT>(), mlp = std::make_unique<SublayerT>();
    mixer->norm = norm("attention.norm", f_.attention_norm);
    if (f_.conv && f_.conv->layers[index]) {
      mixer->op.Set(ShortConv(name, source));
    } else {
      mixer->op.Set(Attention(index, name, source));
    }
    mixer->post_norm = norm("attention.post_norm", f_.attention_post_norm);
    mlp->norm = norm("mlp.norm", f_.mlp_norm);
    if (f_.experts && (!f_.has_experts || f_.has_experts(index))) {
      mlp->op.Set(Experts(name, source));
    } else {
      mlp->op.Set(Mlp(name, source));
    }
    mlp->post_norm = norm("mlp.post_norm", f_.mlp_post_norm);
    mlp->reads_previous_input = f_.parallel;
    for (const std::string& ignored : f_.ignored) spec_.ignored.insert(source + ignored);
    format::LayerT& layer = spec_.layers.emplace_back();
    layer.sublayers.push_back(std::move(mixer));
    layer.sublayers.push_back(std::move(mlp));
  }

  const Family& f_;
  const Sizes& s_;
  DecoderSpec spec_;
  std::map<std::string, NormT> norms_;  // by source
};

}  // namespace

Sizes ReadSizes(const Config& config, const SizeKeys& keys) {
  const auto integer = [&](const char* key, uint64_t high) {
    return static_cast<uint32_t>(config.Integer(key, 1, high));
  };
  if (config.Has("quantization_config")) {
    config.Refuse("quantization_config", "is set: convert from the checkpoint that it was made of");
  }
  Sizes s;
  s.vocab = integer("vocab_size", kMaxVocab);
  s.hidden = integer(keys.hidden, kMaxHidden);
  s.intermediate = keys.intermediate == nullptr ? 0 : integer(keys.intermediate, kMaxIntermediate);
  s.n_layers = integer(keys.n_layers, kMaxLayers);
  s.n_heads = integer(keys.n_heads, kMaxHeads);
  const char* const kKvHeads = "num_key_value_heads";
  const uint32_t kv_heads = keys.default_kv_heads == 0 ? s.n_heads : keys.default_kv_heads;
  s.n_kv_heads = static_cast<uint32_t>(
      config.Integer(kKvHeads, 1, s.n_heads, config.Mentions(kKvHeads) ? s.n_heads : kv_heads));
  if (s.n_kv_heads > s.n_heads || s.n_heads % s.n_kv_heads != 0) {
    config.Refuse(kKvHeads, std::string("does not divide ") + keys.n_heads);
  }
  const char* const kHeadDim = "head_dim";
  uint32_t head_dim = config.Mentions(kHeadDim) ? 0 : keys.default_head_dim;
  if (head_dim == 0) {
    if (!config.Has(kHeadDim) && s.hidden % s.n_heads != 0) {
      config.Refuse(keys.hidden, std::string("is not a multiple of ") + keys.n_heads);
    }
    head_dim = s.hidden / s.n_heads;
  }
  s.head_dim = static_cast<uint32_t>(config.Integer(kHeadDim, 1, kMaxHeadDim, head_dim));
  if (s.head_dim % kHeadDimMultiple != 0 || s.head_dim > kMaxHeadDim || s.head_dim == 0) {
    config.Refuse(kHeadDim, "(or the hidden size by the number of heads) is " +
                                std::to_string(s.head_dim) + ", expected a multiple of " +
                                std::to_string(kHeadDimMultiple) + " up to " +
                                std::to_string(kMaxHeadDim));
  }
  s.context =
      static_cast<uint32_t>(config.Integer(keys.context, 1, kMaxContext, keys.default_context));
  return s;
}

format::Activation ReadActivation(const Config& config, const char* key, const char* if_absent) {
  using format::Activation;
  static const std::map<std::string, Activation> kKnown = {
      {"silu", Activation::kSilu},
      {"swish", Activation::kSilu},
      {"gelu", Activation::kGelu},
      {"gelu_python", Activation::kGelu},
      {"gelu_new", Activation::kGeluTanh},
      {"gelu_fast", Activation::kGeluTanh},
      {"gelu_pytorch_tanh", Activation::kGeluTanh},
      {"gelu_accurate", Activation::kGeluTanh},
      {"quick_gelu", Activation::kGeluQuick},
      {"relu", Activation::kRelu},
      {"relu2", Activation::kReluSquared},
  };
  const std::string name = config.Text(key, if_absent);
  const auto found = kKnown.find(name);
  if (found != kKnown.end()) return found->second;
  std::string known;
  for (const auto& [text, value] : kKnown) known += (known.empty() ? "" : ", ") + text;
  config.Refuse(key, "is " + name + "; known: " + known);
}

uint64_t ReadWindow(const Config& config, uint64_t if_absent) {
  const char* const kKey = "sliding_window";
  if (!config.Mentions(kKey)) return if_absent;
  return config.Integer(kKey, 1, kMaxContext, 0);
}

std::vector<uint32_t> ReadWindows(const Config& config, const Sizes& sizes, uint64_t window,
                                  const std::function<bool(uint32_t layer)>& slides) {
  const char* const kKey = "layer_types";
  const std::vector<std::string> types = config.Texts(kKey);
  if (!types.empty() && types.size() != sizes.n_layers) {
    config.Refuse(kKey, "has " + std::to_string(types.size()) + " entries for " +
                            std::to_string(sizes.n_layers) + " layers");
  }
  std::vector<uint32_t> windows;
  for (uint32_t i = 0; i < sizes.n_layers; ++i) {
    bool sliding = slides(i);
    if (!types.empty()) {
      sliding = types[i] == "sliding_attention";
      if (!sliding && types[i] != "full_attention") {
        config.Refuse(kKey, "holds " + types[i] +
                                "; known for this model: full_attention, sliding_attention");
      }
      if (sliding && window == 0) config.Refuse("sliding_window", "is missing");
    }
    windows.push_back(sliding ? static_cast<uint32_t>(window) : 0);
  }
  return windows;
}

DecoderSpec BuildDecoder(const Family& family) { return Builder(family).Build(); }

}  // namespace rondo::convert
