#include "tools/convert/architectures/family.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "tools/convert/architectures/pad_heads.h"
#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {
namespace {

class Builder {
 public:
  Builder(const Family& family, DecoderSpec* spec)
      : f_(family), s_(family.sizes), spec_(*spec), parts_(family, spec) {}

  void BuildTower(format::ModelT* vision) {
    for (const RopeSpec& rope : f_.ropes) {
      vision->ropes.push_back(std::make_unique<format::RopeT>(rope));
    }
    const auto norm = [&](const char* name, const std::string& source) {
      return source.empty() ? nullptr : parts_.Norm(name, f_.prefix + source);
    };
    vision->embedding_norm = norm("vision.embedding_norm", f_.embedding_norm);
    for (uint32_t i = 0; i < f_.layers.size(); ++i) {
      const std::string number = std::to_string(i) + ".";
      parts_.BeginLayer("vision.layers." + number, f_.prefix + f_.layer_prefix + number);
      vision->layers.push_back(std::make_unique<format::LayerT>(MakeLayer(f_.layers[i])));
    }
    vision->final_norm = norm("vision.final_norm", f_.final_norm);
  }

  void Build() {
    spec_.vocab_size = s_.vocab;
    spec_.hidden_size = s_.hidden;
    spec_.context_length = s_.context;
    spec_.prefix = f_.prefix;
    spec_.left_out = f_.left_out;
    spec_.other_names = f_.other_names;
    spec_.ropes = f_.ropes;
    spec_.embedding_scale = f_.embedding_scale;
    spec_.logit_soft_cap = f_.logit_soft_cap;
    spec_.embedding = Vocabulary("embedding", f_.prefix + f_.embedding);
    if (f_.positions) spec_.positions = static_cast<int32_t>(spec_.Add(*f_.positions));
    if (f_.embedding_offset) {
      spec_.embedding_offset = static_cast<int32_t>(spec_.Add(*f_.embedding_offset));
    }
    if (!f_.embedding_norm.empty()) {
      spec_.embedding_norm = *parts_.Norm("embedding_norm", f_.prefix + f_.embedding_norm);
    }
    for (const auto& build : f_.before_layers) build(parts_);
    for (uint32_t i = 0; i < f_.layers.size(); ++i) {
      parts_.BeginLayer(i);
      spec_.layers.push_back(MakeLayer(f_.layers[i]));
    }
    if (f_.draft_head) AddDraftHead(*f_.draft_head);
    if (f_.assistant) AddAssistant(*f_.assistant);
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
  }

 private:
  uint32_t Vocabulary(const char* name, const std::string& source) {
    return spec_.Add({name, TensorRole::kEmbedding, {{source + ".weight", s_.vocab}}, s_.hidden});
  }

  void AddHead() {
    // Some exports hold the embedding twice.
    if (f_.tied) {
      spec_.tied_head = f_.head + ".weight";
      spec_.ignored.insert(spec_.tied_head);
    }
    spec_.head.weight = f_.tied ? spec_.embedding : Vocabulary("head", f_.head);
    if (f_.head_bias) {
      TensorRecipe bias{"head.bias", TensorRole::kVector, {{f_.head + ".bias", s_.vocab}}, 1};
      bias.scale = f_.logit_scale;
      spec_.head.bias = static_cast<int32_t>(spec_.Add(std::move(bias)));
    }
  }

  // Tokens that a head or an assistant proposes: those with the lowest ids are the most frequent
  // ones of a vocabulary that was made by merging, and the rest of a large one would cost more than
  // it gains. Of Qwen3's 151,936, the first 32,768 are 92 to 95 % of stories, prose and code, and
  // the first 16,384 are 87 to 90 %, which loses more drafts than the shorter product gains.
  static constexpr uint32_t kDraftTokens = 32768;

  void AddDraftHead(const DraftHead& from) {
    format::DraftHeadT& head = spec_.draft_head.emplace();
    const DraftHeadNames& names = from.names;
    head.embedding_norm = parts_.Norm("draft_head.embedding_norm", names.embedding_norm);
    head.hidden_norm = parts_.Norm("draft_head.hidden_norm", names.hidden_norm);
    head.input =
        parts_.Linear("draft_head.input", {{names.input, s_.hidden}}, 2 * s_.hidden, false);
    parts_.BeginLayer("draft_head.layer.", names.layer);
    head.layer = std::make_unique<format::LayerT>(MakeLayer(from.layer.value_or(f_.layers.back())));
    head.norm = parts_.Norm("draft_head.norm", names.norm);
    head.chains_normed = from.chains_normed;
    head.n_tokens = std::min(s_.vocab, kDraftTokens);
  }

  void AddAssistant(const Assistant& from) {
    format::AssistantT& assistant = spec_.assistant.emplace();
    const uint64_t other = from.other_hidden;
    assistant.other_hidden_size = from.other_hidden;
    assistant.input = parts_.Linear("assistant.input", {{from.input, s_.hidden}}, 2 * other, false);
    assistant.output = parts_.Linear("assistant.output", {{from.output, other}}, s_.hidden, false);
    assistant.n_tokens = std::min(s_.vocab, kDraftTokens);
  }

  format::LayerT MakeLayer(const Layer& from) {
    format::LayerT layer;
    for (const Sublayer& one : from.sublayers) {
      layer.sublayers.push_back(
          std::visit([this](const auto& sublayer) { return Framed(sublayer); }, one));
    }
    for (const std::string& ignored : f_.ignored) spec_.ignored.insert(parts_.source() + ignored);
    if (from.at_end) from.at_end(parts_, layer);
    return layer;
  }

  template <typename T>
  std::unique_ptr<format::SublayerT> Framed(const T& sublayer) {
    const auto norm = [&](const char* ours, const std::string& theirs, float scale = 1) {
      return theirs.empty() ? nullptr
                            : parts_.Norm(parts_.name() + T::kName + "." + ours,
                                          parts_.source() + theirs, scale);
    };
    const Frame& frame = sublayer;
    auto framed = std::make_unique<format::SublayerT>();
    framed->norm = norm("norm", frame.pre_norm);
    framed->op.Set(convert::Build(sublayer, parts_));
    framed->post_norm = norm("post_norm", frame.post_norm, frame.factor);
    framed->residual_norm = norm("residual_norm", frame.residual_norm);
    framed->reads_previous_input = frame.reads_previous_input;
    framed->residual_factor = frame.residual_factor;
    return framed;
  }

  const Family& f_;
  const Sizes& s_;
  DecoderSpec& spec_;
  SublayerBuilder parts_;
};

}  // namespace

Family::Family(const Sizes& all) : sizes(all) {
  attention.n_heads = sizes.n_heads;
  attention.n_kv_heads = sizes.n_kv_heads;
  attention.head_dim = attention.v_head_dim = sizes.head_dim;
  attention.score_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(sizes.head_dim)));
  mlp.intermediate_size = sizes.intermediate;
}

void Family::PostNorm(const std::string& of_attention, const std::string& of_mlp) {
  attention.pre_norm = mlp.pre_norm = "";
  attention.post_norm = of_attention;
  mlp.post_norm = of_mlp;
}

void Family::AddLayers() {
  attention.rope = ropes.empty() ? -1 : 0;
  layers.assign(sizes.n_layers, {.sublayers = {attention, mlp}});
}

void Family::AddLayers(const std::vector<uint32_t>& windows) {
  AddLayers();
  for (uint32_t i = 0; i < sizes.n_layers; ++i) layers[i].attention().window = windows[i];
}

void Family::AddLayers(const std::vector<uint32_t>& windows, const RopeByWindow& rope) {
  AddLayers(windows);
  for (uint32_t i = 0; i < sizes.n_layers; ++i) {
    layers[i].attention().rope = windows[i] == 0 ? rope.full : rope.sliding;
  }
}

void Family::PlaceExperts(const Experts& experts,
                          const std::function<bool(uint32_t layer)>& where) {
  if (layers.empty()) AddLayers();
  for (uint32_t i = 0; i < sizes.n_layers; ++i) {
    if (where && !where(i)) continue;
    Sublayer& last = layers[i].sublayers.back();
    last = experts.InPlaceOf(std::get<Mlp>(last));
  }
}

void Family::LearnPositions(const std::string& tensor, uint32_t first) {
  positions = {"positions", TensorRole::kTable, {}, sizes.hidden};
  positions->parts = {
      {prefix + tensor + ".weight", sizes.context, first, {sizes.context + first, sizes.hidden}}};
}

Family ReadFamily(const Config& config, const SizeKeys& sizes, const FamilyKeys& keys) {
  if (!config.Flag("is_causal", true)) {
    config.Refuse("is_causal", "is false: only causal attention is known of this architecture");
  }
  Family f(ReadSizes(config, sizes));
  f.norm = keys.norm;
  f.epsilon = config.Positive(keys.epsilon_key, keys.epsilon);
  f.mlp.activation = ReadActivation(config, keys.activation_key, keys.activation);
  if (keys.turning > 0) {
    f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, keys.theta, keys.turning})};
  }
  if (keys.attention_bias) {
    f.attention.qkv_bias = f.attention.output_bias =
        config.Flag("attention_bias", *keys.attention_bias);
  }
  f.tied = config.Flag("tie_word_embeddings", keys.tied);
  return f;
}

void ReadMultipliers(const Config& config, Family& f) {
  const auto multiplier = [&](const char* key) {
    return static_cast<float>(config.Positive(key, 1));
  };
  f.attention.score_scale = multiplier("attention_multiplier");
  f.embedding_scale = multiplier("embedding_multiplier");
  f.attention.factor = f.mlp.factor = multiplier("residual_multiplier");
  f.logit_scale = static_cast<float>(1 / config.Positive("logits_scaling", 1));
}

DecoderSpec BuildDecoder(Family family) {
  if (family.layers.empty()) family.AddLayers();
  DecoderSpec spec;
  Builder(family, &spec).Build();
  PadHeads(spec);
  return spec;
}

void BuildTower(Family family, DecoderSpec* spec, format::ModelT* vision) {
  if (family.layers.empty()) family.AddLayers();
  Builder(family, spec).BuildTower(vision);
  PadHeads(*vision, *spec);
}

}  // namespace rondo::convert
