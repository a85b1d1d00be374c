// Qwen's ViT: pictures of about their own shape, whose patches come in squares that become one row;
// RoPE by row and column, two equal frames a patch. Qwen2.5-VL's sees windows in most layers.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/vision/qwen_parts.h"
#include "tools/convert/architectures/vision/tower_parts.h"

namespace rondo::convert {

namespace {

// Of the older two.
constexpr const char *kMergerNorm = "merger.ln_q", *kMergerFirst = "merger.mlp.0",
                     *kMergerLast = "merger.mlp.2";
constexpr double kNormEpsilon = 1e-6;

// A half of a head's pairs turns by the row, the other by the column.
RopeSpec ReadRope(uint32_t head_dim) {
  RopeSpec rope;
  const uint32_t each = head_dim / 4;
  for (const uint8_t axis : {uint8_t{1}, uint8_t{2}}) {
    for (uint32_t i = 0; i < each; ++i) {
      rope.frequencies.push_back(std::pow(10000.0, -static_cast<double>(i) / each));
      rope.axes.push_back(axis);
    }
  }
  rope.description = "by row and column, theta 10000";
  return rope;
}

}  // namespace

Family ReadQwenLayers(const Config& vision, const char* hidden_key, const std::string& final_norm) {
  Family f(ReadSizes(vision.With("vocab_size", 1), {.hidden = hidden_key,
                                                    .n_layers = "depth",
                                                    .n_heads = "num_heads",
                                                    .default_context = 1,
                                                    .without_kv_heads = "this tower"}));
  if (f.sizes.head_dim % 4 != 0) vision.Refuse("num_heads", "leaves heads of no multiple of 4");
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = kNormEpsilon;
  f.norm_bias = f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = true;
  f.ropes = {ReadRope(f.sizes.head_dim)};
  f.prefix = kVisualPrefix;
  f.layer_prefix = "blocks.";
  f.final_norm = final_norm;
  f.attention.FuseQkv("attn.qkv");
  f.attention.names.output = "attn.proj";
  f.attention.pre_norm = "norm1";
  f.mlp.pre_norm = "norm2";
  f.mlp.Ungate("mlp.linear_fc1", "mlp.linear_fc2");
  f.mlp.activation = ReadActivation(vision, "hidden_act", "gelu_pytorch_tanh");
  return f;
}

void AddFramePatches(uint32_t patch, uint32_t frames, bool has_bias, DecoderSpec* spec) {
  AddPatchProduct(kVisualPrefix + "patch_embed.proj", patch, true, has_bias, spec);
  TensorRecipe& recipe = spec->tensors[spec->vision->tower->patch->weight];
  recipe.parts[0].shape = {spec->vision->hidden_size, 3, frames, patch, patch};
  const size_t pixels = size_t{patch} * patch;
  recipe.columns = {3 * frames * pixels, [=](std::span<const float> row, std::span<float> made) {
                      for (size_t i = 0; i < made.size(); ++i) {
                        made[i] = 0;
                        for (size_t frame = 0; frame < frames; ++frame) {
                          made[i] += row[(i / pixels * frames + frame) * pixels + i % pixels];
                        }
                      }
                    }};
}

void ReadQwenProcessor(const VisionSource& source, uint32_t patch, uint32_t merge,
                       const QwenPixels& of_absent, DecoderSpec* spec) {
  const Config& config = source.processor;
  const std::optional<Config> size = config.Object("size");
  format::TowerT& tower = *spec->vision->tower;
  const auto pixels = [&](const char* key, const char* older, uint64_t if_absent) {
    constexpr uint64_t kMost = uint64_t{1} << 30;
    const uint64_t older_value = config.Integer(older, 1, kMost, if_absent);
    return size && size->Has(key) ? size->Integer(key, 1, kMost) : older_value;
  };
  format::ImageProcessorT& p = *tower.processor;
  p.rule = format::SizeRule::kBetween;
  p.filter = ReadFilter(config, 3);
  p.patch = patch;
  p.merge = merge;
  p.channels_first = true;
  p.merged_in_turn = true;
  p.min_pixels = pixels("shortest_edge", "min_pixels", of_absent.least);
  p.max_pixels = pixels("longest_edge", "max_pixels", of_absent.most);
  p.max_aspect = 200;
  ReadNormalization(config, p);
  tower.coordinates = format::RowCoordinates::kGrid;
  spec->Keep({"model.visual.", "visual."});
  AddOtherNames({{kVisualPrefix, "visual."}}, spec);
}

namespace {

// `first`, `last`: the layers of its merger.
void ReadVisionOf(const VisionSource& source, const Family& f, const char* first, const char* last,
                  bool patch_bias, DecoderSpec* spec) {
  const uint32_t patch = source.vision.Count("patch_size", 512, 14);
  const uint32_t merge = source.vision.Count("spatial_merge_size", 16, 2);
  const uint32_t frames = source.vision.Count("temporal_patch_size", 16, 2);
  format::TowerT& tower = AddTower(f, spec);
  AddFramePatches(patch, frames, patch_bias, spec);
  const uint64_t merged = uint64_t{spec->vision->hidden_size} * merge * merge;
  AddTowerDense(kVisualPrefix + first, merged, merged, true, format::DenseActivation::kGelu, spec);
  AddTowerDense(kVisualPrefix + last, spec->hidden_size, merged, true,
                format::DenseActivation::kIdentity, spec);
  ReadQwenProcessor(source, patch, merge, {56 * 56, 28 * 28 * 1280}, spec);
  tower.text->placeholder = source.vocabulary.token("<|image_pad|>");
  spec->vision->context_length = static_cast<uint32_t>(tower.processor->max_pixels / patch / patch);
}

// Further mergers, whose norm is of what is merged.
void AddDeepstack(const VisionSource& source, DecoderSpec* spec) {
  const uint64_t merge = source.vision.Count("spatial_merge_size", 16, 2);
  const uint64_t merged = spec->vision->hidden_size * merge * merge;
  size_t i = 0;
  for (const uint64_t layer : source.vision.Integers("deepstack_visual_indexes", 1024)) {
    const std::string name = kVisualPrefix + "deepstack_merger_list." + std::to_string(i++) + ".";
    auto& merger = spec->vision->tower->mergers.emplace_back();
    merger = std::make_unique<format::TowerMergerT>();
    merger->layer = static_cast<uint32_t>(layer);
    AddMergedNorm(name + "norm", merged, format::NormKind::kLayerNorm, kNormEpsilon, true, 0, spec);
    AddTowerDense(name + "linear_fc1", merged, merged, true, format::DenseActivation::kGelu, spec);
    AddTowerDense(name + "linear_fc2", spec->hidden_size, merged, true,
                  format::DenseActivation::kIdentity, spec);
  }
}

}  // namespace

void ReadQwen3Vision(const VisionSource& source, DecoderSpec* spec) {
  ReadVisionOf(source, ReadQwenLayers(source.vision, "hidden_size", "merger.norm"),
               "merger.linear_fc1", "merger.linear_fc2", true, spec);
  const uint32_t positions = source.vision.Count("num_position_embeddings", 1u << 20, 2304);
  AddPositionTable(kVisualPrefix + "pos_embed", format::PatchPositions::kBilinear,
                   static_cast<uint32_t>(std::lround(std::sqrt(positions))), spec);
  AddDeepstack(source, spec);
}

void ReadQwen2Vision(const VisionSource& source, DecoderSpec* spec) {
  Config vision = source.vision;
  if (!vision.Has("intermediate_size")) {
    const uint64_t hidden = vision.Integer("embed_dim", 1, 1u << 16, 1280);
    vision = vision.With(
        "intermediate_size",
        static_cast<uint64_t>(static_cast<double>(hidden) * vision.Positive("mlp_ratio", 4)));
  }
  vision = vision.With("hidden_act", vision.Text("hidden_act", "quick_gelu"));
  Family f = ReadQwenLayers(vision, "embed_dim", kMergerNorm);
  f.mlp.Ungate("mlp.fc1", "mlp.fc2");
  ReadVisionOf(source, f, kMergerFirst, kMergerLast, false, spec);
}

void ReadQwen25Vision(const VisionSource& source, DecoderSpec* spec) {
  const Config vision = source.vision.With("hidden_act", source.vision.Text("hidden_act", "silu"));
  Family f = ReadQwenLayers(vision, "hidden_size", kMergerNorm);
  f.norm = format::NormKind::kRmsNorm;
  f.norm_bias = false;
  f.mlp.plain = false;
  f.mlp.names = {};
  f.AddLayers();
  std::vector<uint64_t> whole = {7, 15, 23, 31};
  if (vision.Has("fullatt_block_indexes")) {
    whole = vision.Integers("fullatt_block_indexes", kMaxLayers);
  }
  for (uint32_t i = 0; i < f.layers.size(); ++i) {
    f.layers[i].attention().in_window = std::ranges::find(whole, i) == whole.end();
  }
  ReadVisionOf(source, f, kMergerFirst, kMergerLast, false, spec);
  const format::ImageProcessorT& p = *spec->vision->tower->processor;
  const uint32_t pixels = vision.Count("window_size", 1u << 14, 112);
  spec->vision->tower->window = pixels / p.merge / p.patch * p.merge;
  if (pixels < p.merge * p.patch) {
    vision.Refuse("window_size", "is smaller than the " + std::to_string(p.merge * p.patch) +
                                     " pixels that become one row");
  }
}

}  // namespace rondo::convert
