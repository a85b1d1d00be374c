#include "tools/convert/architectures/family.h"

#include <map>
#include <memory>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {
namespace {

using format::SublayerT;

class Builder {
 public:
  explicit Builder(const Family& family) : f_(family), s_(family.sizes), parts_(family, &spec_) {}

  DecoderSpec Build() {
    spec_.vocab_size = s_.vocab;
    spec_.hidden_size = s_.hidden;
    spec_.context_length = s_.context;
    spec_.prefix = f_.prefix;
    spec_.left_out = f_.left_out;
    spec_.other_names = f_.other_names;
    spec_.ropes = f_.ropes;
    spec_.embedding_scale = f_.embedding_scale;
    spec_.logit_soft_cap = f_.logit_soft_cap;
    spec_.embedding = Vocabulary("embedding", f_.prefix + f_.embedding, f_.project_in, true);
    AddPositions();
    if (!f_.embedding_norm.empty()) {
      spec_.embedding_norm = *parts_.Norm("embedding_norm", f_.prefix + f_.embedding_norm);
    }
    if (f_.layer_embeddings) spec_.layer_embeddings = BuildLayerEmbeddings(parts_);
    if (f_.alt_up) spec_.alt_up = BuildAltUp(parts_);
    for (uint32_t i = 0; i < s_.n_layers; ++i) AddLayer(i);
    if (f_.final_norm.empty()) {
      // Nobody reads the stream behind the last layer but the head.
      auto& last = spec_.layers.back().sublayers.back()->residual_norm;
      spec_.final_norm = *last;
      last.reset();
    } else {
      // The logits' factor goes into the norm before them, so that a tied embedding stays as it is.
      spec_.final_norm = *parts_.Norm("final_norm", f_.prefix + f_.final_norm, f_.logit_scale);
    }
    AddHead();
    return std::move(spec_);
  }

 private:
  // A vector for each token, times the matrix of that name where there is one, which has a row for
  // each channel of the stream, or a column.
  uint32_t Vocabulary(const char* name, const std::string& source, const std::string& matrix,
                      bool is_row) {
    TensorRecipe recipe{name, TensorRole::kEmbedding, {{source + ".weight", s_.vocab}}, s_.hidden};
    if (f_.embedding_width > 0) {
      recipe.factor = {f_.prefix + matrix + ".weight", f_.embedding_width, is_row};
    }
    return spec_.Add(std::move(recipe));
  }

  void AddPositions() {
    if (f_.positions.empty() && !f_.computed_positions) return;
    TensorRecipe recipe{"positions", TensorRole::kTable, {{"", s_.context}}, s_.hidden};
    recipe.computed = f_.computed_positions;
    if (!f_.computed_positions) {
      recipe.parts = {{f_.prefix + f_.positions + ".weight",
                       s_.context,
                       f_.first_position,
                       {s_.context + f_.first_position, s_.hidden}}};
    }
    spec_.positions = static_cast<int32_t>(spec_.Add(std::move(recipe)));
  }

  void AddHead() {
    // Some exports hold the embedding twice.
    if (f_.tied) {
      spec_.tied_head = f_.head + ".weight";
      spec_.ignored.insert(spec_.tied_head);
    }
    if (f_.tied && f_.embedding_width == 0) {
      spec_.head.weight = spec_.embedding;
    } else {
      spec_.head.weight =
          Vocabulary("head", f_.tied ? f_.prefix + f_.embedding : f_.head, f_.project_out, false);
    }
    if (f_.head_bias) {
      TensorRecipe bias{"head.bias", TensorRole::kVector, {{f_.head + ".bias", s_.vocab}}, 1};
      bias.scale = f_.logit_scale;
      spec_.head.bias = static_cast<int32_t>(spec_.Add(std::move(bias)));
    }
  }

  void AddLayer(uint32_t index) {
    parts_.BeginLayer(index);
    const auto norm = [&](const char* ours, const std::string& theirs, float scale = 1) {
      return theirs.empty() ? nullptr
                            : parts_.Norm(parts_.name() + ours, parts_.source() + theirs, scale);
    };
    format::LayerT& layer = spec_.layers.emplace_back();
    const bool recurrent = f_.recurrence && f_.recurrence->layers[index];
    const bool has_mixer = !f_.has_mixer || f_.has_mixer(index);
    if (has_mixer && recurrent) {
      auto recurrence = std::make_unique<SublayerT>();
      recurrence->norm = norm("attention.norm", f_.attention_norm);
      if (f_.recurrence->delta) {
        recurrence->op.Set(BuildGatedDeltaNet(parts_));
      } else {
        recurrence->op.Set(BuildMamba2(parts_));
      }
      recurrence->post_norm =
          norm("attention.post_norm", f_.attention_post_norm, f_.post_norm_scale);
      layer.sublayers.push_back(std::move(recurrence));
    }
    if (f_.laurel) {
      auto laurel = std::make_unique<SublayerT>();
      laurel->norm = norm("attention.norm", f_.attention_norm);
      laurel->op.Set(BuildLaurel(parts_));
      layer.sublayers.push_back(std::move(laurel));
    }
    if (has_mixer && (!recurrent || f_.recurrence->beside_attention)) {
      auto mixer = std::make_unique<SublayerT>();
      if (index > 0 || f_.first_norm) mixer->norm = norm("attention.norm", f_.attention_norm);
      if (f_.conv && f_.conv->layers[index]) {
        mixer->op.Set(BuildShortConv(parts_));
      } else if (f_.latent) {
        mixer->op.Set(BuildLatentAttention(parts_));
      } else {
        mixer->op.Set(BuildAttention(parts_));
      }
      mixer->post_norm = norm("attention.post_norm", f_.attention_post_norm, f_.post_norm_scale);
      mixer->residual_norm = norm("attention.residual_norm", f_.attention_residual_norm);
      mixer->reads_previous_input = recurrent || f_.laurel;
      if (f_.laurel) mixer->residual_factor = f_.laurel->residual_factor;
      layer.sublayers.push_back(std::move(mixer));
    }
    for (const std::string& ignored : f_.ignored) spec_.ignored.insert(parts_.source() + ignored);
    if (f_.has_mlp && !f_.has_mlp(index)) return;
    auto mlp = std::make_unique<SublayerT>();
    mlp->norm = norm("mlp.norm", f_.mlp_norm);
    if (f_.experts && (!f_.has_experts || f_.has_experts(index))) {
      mlp->op.Set(BuildExperts(parts_));
    } else {
      mlp->op.Set(BuildMlp(parts_));
    }
    mlp->post_norm = norm("mlp.post_norm", f_.mlp_post_norm, f_.post_norm_scale);
    mlp->residual_norm = norm("mlp.residual_norm", f_.mlp_residual_norm);
    mlp->reads_previous_input = f_.parallel;
    layer.sublayers.push_back(std::move(mlp));
    if (f_.layer_embeddings) {
      auto own = std::make_unique<SublayerT>();
      own->op.Set(BuildLayerEmbedding(parts_));
      own->post_norm = norm("layer_embedding.post_norm", f_.layer_embeddings->post_norm);
      layer.sublayers.push_back(std::move(own));
    }
    if (f_.alt_up) {
      layer.alt_up = std::make_unique<format::LayerAltUpT>(BuildLayerAltUp(parts_));
    }
    if (!f_.layer_factor.empty()) {
      layer.scale = static_cast<int32_t>(spec_.Add({parts_.name() + "scale",
                                                    TensorRole::kVector,
                                                    {{parts_.source() + f_.layer_factor, 1}},
                                                    1}));
    }
  }

  const Family& f_;
  const Sizes& s_;
  DecoderSpec spec_;
  SublayerBuilder parts_;
};

}  // namespace

void RefuseQuantized(const Config& config) {
  // What is in MXFP4 is told by its tensors.
  const std::optional<Config> quantization = config.Object("quantization_config");
  if (quantization && quantization->Text("quant_method", "") != "mxfp4") {
    config.Refuse("quantization_config", "is set: convert from the checkpoint that it was made of");
  }
}

Sizes ReadSizes(const Config& config, const SizeKeys& keys) {
  const auto integer = [&](const char* key, uint64_t high) {
    return static_cast<uint32_t>(config.Integer(key, 1, high));
  };
  RefuseQuantized(config);
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
