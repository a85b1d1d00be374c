// Gemma 4: pictures that fill a budget of rows, whatever their own size; towers with norms behind
// attention and MLP as before them, and ranges that hold what enters and leaves matrices.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tools/convert/architectures/vision/tower_parts.h"

namespace rondo::convert {

namespace {

// The largest budget that its processor knows.
constexpr uint32_t kMostRows = 1120;

// The first half of a head turns by the column, the second by the row.
RopeSpec ReadGemma4Rope(const Config& vision, uint32_t head_dim) {
  const std::optional<Config> parameters = vision.Object("rope_parameters");
  const double theta = parameters ? parameters->Positive("rope_theta", 100) : 100;
  RopeSpec rope;
  const uint32_t each = head_dim / 4;
  for (const uint8_t axis : {uint8_t{2}, uint8_t{1}}) {
    for (uint32_t i = 0; i < each; ++i) {
      rope.frequencies.push_back(std::pow(theta, -static_cast<double>(i) / each));
      rope.axes.push_back(axis);
    }
  }
  rope.description = "by column and row";
  return rope;
}

Family ReadGemma4Layers(const Config& vision, const std::string& prefix) {
  Family f(ReadSizes(vision.With("vocab_size", 1),
                     {.default_context = 1, .without_kv_heads = "this tower"}));
  if (f.sizes.head_dim % 4 != 0) vision.Refuse("head_dim", "is no multiple of 4");
  f.epsilon = vision.Positive("rms_norm_eps", 1e-6);
  f.ropes = {ReadGemma4Rope(vision, f.sizes.head_dim)};
  f.prefix = prefix;
  f.layer_prefix = "encoder.layers.";
  f.final_norm = "";
  f.attention.qkv_bias = f.attention.output_bias = vision.Flag("attention_bias", false);
  f.attention.post_norm = "post_attention_layernorm";
  f.attention.head_norm = HeadNorm::kShared;
  f.attention.normalize_v = true;
  f.attention.rope_pairs = RopePairs::kQuarters;
  f.attention.score_scale = 1;
  f.mlp.pre_norm = "pre_feedforward_layernorm";
  f.mlp.post_norm = "post_feedforward_layernorm";
  f.mlp.activation = ReadActivation(vision, "hidden_activation", "gelu_pytorch_tanh");
  Attention::Names& attention = f.attention.names;
  for (std::string* name : {&attention.q, &attention.k, &attention.v, &attention.output,
                            &f.mlp.names.gate, &f.mlp.names.up, &f.mlp.names.down}) {
    *name += ".linear";
  }
  return f;
}

// The ranges of matrices, of a layer whose names begin with `source`. What is held to no range has
// infinite bounds.
int32_t AddClips(const std::string& name, const std::string& source,
                 std::initializer_list<const char*> matrices, DecoderSpec* spec) {
  TensorRecipe clips{name, TensorRole::kVector, {}, 1};
  clips.bounds = true;
  for (const char* matrix : matrices) {
    for (const char* end : {".input_min", ".input_max", ".output_min", ".output_max"}) {
      clips.parts.push_back({source + matrix + end, 1});
    }
  }
  return static_cast<int32_t>(spec->Add(std::move(clips)));
}

void ClipLayers(const std::string& prefix, DecoderSpec* spec) {
  uint32_t i = 0;
  for (const auto& layer : spec->vision->layers) {
    const std::string number = std::to_string(i++) + ".";
    const std::string name = "vision.layers." + number;
    std::string source = prefix + "encoder.layers.";
    source += number;
    for (const auto& sublayer : layer->sublayers) {
      if (format::AttentionT* const attention = sublayer->op.AsAttention()) {
        attention->clips = AddClips(name + "attention.clips", source + "self_attn.",
                                    {"q_proj", "k_proj", "v_proj", "o_proj"}, spec);
      } else {
        sublayer->op.AsMlp()->clips = AddClips(name + "mlp.clips", source + "mlp.",
                                               {"gate_proj", "up_proj", "down_proj"}, spec);
      }
    }
  }
}

// A table for columns, then one for rows.
void AddGemma4Positions(const Config& vision, const std::string& source, DecoderSpec* spec) {
  const uint32_t side = vision.Count("position_embedding_size", 1u << 16, 10240);
  const uint64_t hidden = spec->vision->hidden_size;
  format::TowerT& tower = *spec->vision->tower;
  tower.positions = format::PatchPositions::kSum;
  tower.side = side;
  tower.position_table =
      static_cast<int32_t>(spec->Add({"vision.positions",
                                      TensorRole::kTable,
                                      {{source, uint64_t{2} * side, 0, {2, side, hidden}}},
                                      hidden}));
}

void AddGemma4Merging(const Config& vision, const std::string& prefix, const std::string& connector,
                      DecoderSpec* spec) {
  const uint64_t hidden = spec->vision->hidden_size;
  format::TowerT& tower = *spec->vision->tower;
  tower.averages = true;
  tower.scale = std::sqrt(static_cast<float>(hidden));
  if (vision.Flag("standardize", false)) {
    tower.standard = static_cast<int32_t>(
        spec->Add({"vision.standard",
                   TensorRole::kTable,
                   {{prefix + "std_bias", 1, 0, {hidden}}, {prefix + "std_scale", 1, 0, {hidden}}},
                   hidden}));
  }
  auto& norm = tower.merged_norm = std::make_unique<format::NormT>();
  norm->kind = format::NormKind::kRmsNorm;
  norm->epsilon = vision.Positive("rms_norm_eps", 1e-6);
  norm->weight = spec->Add({"vision.merged_norm", TensorRole::kVector, {{"", hidden}}, 1});
  AddTowerDense(connector + "embedding_projection", spec->hidden_size, hidden, false,
                format::DenseActivation::kIdentity, spec);
}

// The model makes 2 (x - 1/2) of what the processor leaves.
void ReadGemma4Pixels(const Config& processor, format::ImageProcessorT& p) {
  ReadNormalization(processor, p);
  for (size_t i = 0; i < p.mean.size(); ++i) {
    p.std[i] /= 2;
    p.mean[i] += p.std[i];
  }
}

}  // namespace

void ReadGemma4Vision(const VisionSource& source, DecoderSpec* spec) {
  const Config& vision = source.vision;
  const uint32_t patch = vision.Count("patch_size", 512, 16);
  const uint32_t merge = vision.Count("pooling_kernel_size", 16, 3);
  const uint32_t rows = source.processor.Count("max_soft_tokens", 1u << 14, 280);
  const std::string prefix = "model.vision_tower.", connector = "model.embed_vision.";
  format::TowerT& tower = AddTower(ReadGemma4Layers(vision, prefix), spec);
  if (vision.Flag("use_clipped_linears", false)) ClipLayers(prefix, spec);
  AddPatchProduct(prefix + "patch_embedder.input_proj", patch, false, false, spec);
  AddGemma4Positions(vision, prefix + "patch_embedder.position_embedding_table", spec);
  AddGemma4Merging(vision, prefix, connector, spec);
  spec->vision->context_length = std::max(rows, kMostRows) * merge * merge;

  format::ImageProcessorT& p = *tower.processor;
  p.rule = format::SizeRule::kBudget;
  p.filter = ReadFilter(source.processor, 3);
  p.patch = patch;
  p.merge = merge;
  p.max_pixels = uint64_t{rows} * patch * merge * patch * merge;
  ReadGemma4Pixels(source.processor, p);
  format::PictureTextT& text = *tower.text;
  text.begin = {source.vocabulary.token("<|image>")};
  text.placeholder = source.vocabulary.token("<|image|>");
  text.end = {source.vocabulary.token("<image|>")};
  tower.sees_whole = source.config.Object("text_config")
                         .value_or(source.config)
                         .Text("use_bidirectional_attention", "") == "vision";
  spec->Keep({"model.vision_tower.", "vision_tower.", "model.embed_vision.", "embed_vision."});
  AddOtherNames({{prefix, "vision_tower."}, {connector, "embed_vision."}}, spec);
}

}  // namespace rondo::convert
