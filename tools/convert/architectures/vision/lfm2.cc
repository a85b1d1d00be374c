// LFM2-VL: SigLIP 2 on pictures of about their own shape, or on tiles and a thumbnail; its
// positions are resized to the grid of patches.
#include <cmath>
#include <string>

#include "tools/convert/architectures/vision/tower_parts.h"

namespace rondo::convert {

namespace {

void ReadProcessor(const Config& config, uint32_t patch, uint32_t merge,
                   format::ImageProcessorT& p) {
  const uint64_t pixels = uint64_t{patch} * patch * merge * merge;
  p.rule = format::SizeRule::kBetweenOrGrid;
  p.filter = ReadFilter(config, 2);
  p.torch_weights = true;
  p.patch = patch;
  p.merge = merge;
  p.tile = config.Count("tile_size", 1u << 14, 512);
  p.split = config.Flag("do_image_splitting", true);
  p.thumbnail = config.Flag("use_thumbnail", true);
  p.min_tiles = config.Count("min_tiles", 256, 2);
  p.max_tiles = config.Count("max_tiles", 256, 10);
  p.min_pixels = config.Count("min_image_tokens", 1u << 14, 64) * pixels;
  p.max_pixels = config.Count("max_image_tokens", 1u << 14, 256) * pixels;
  p.split_from = config.Positive("max_pixels_tolerance", 2.0);
  ReadNormalization(config, p);
}

void ReadText(const VocabularyOf& v, uint32_t most_tiles, format::PictureTextT& text) {
  text.placeholder = v.token("<image>");
  text.begin = {v.token("<|image_start|>")};
  text.end = {v.token("<|image_end|>")};
  text.before_whole = {v.token("<|img_thumbnail|>")};
  for (uint32_t row = 1; row <= most_tiles; ++row) {
    for (uint32_t column = 1; column <= most_tiles; ++column) {
      // No grid has more tiles: such marks are never looked at.
      const bool used = row * column <= most_tiles;
      const std::string mark =
          "<|img_row_" + std::to_string(row) + "_col_" + std::to_string(column) + "|>";
      text.tile_marks.push_back(used ? v.token(mark) : text.placeholder);
    }
  }
  text.tile_mark_columns = most_tiles;
}

}  // namespace

void ReadLfm2Vision(const VisionSource& source, DecoderSpec* spec) {
  const uint32_t patch = source.vision.Count("patch_size", 512, 16);
  const uint32_t patches = source.vision.Count("num_patches", 1u << 20, 256);
  const auto side = static_cast<uint32_t>(std::lround(std::sqrt(patches)));
  const uint32_t merge = source.config.Count("downsample_factor", 16, 2);
  const std::string prefix = "model.vision_tower.", connector = "model.multi_modal_projector.";
  format::TowerT& tower = AddTower(SiglipFamily(source.vision, prefix), spec);
  AddPatchProduct(prefix + "embeddings.patch_embedding", patch, false, true, spec);
  AddPositionTable(prefix + "embeddings.position_embedding", format::PatchPositions::kSmooth, side,
                   spec);
  const uint64_t merged = uint64_t{spec->vision->hidden_size} * merge * merge;
  const uint64_t middle = source.config.Count("projector_hidden_size", 1u << 16, 2560);
  const bool bias = source.config.Flag("projector_bias", true);
  if (source.config.Flag("projector_use_layernorm", true)) {
    AddMergedNorm(connector + "layer_norm", merged, format::NormKind::kLayerNorm, 1e-5, true, 0,
                  spec);
  }
  AddTowerDense(connector + "linear_1", middle, merged, bias,
                ReadDenseActivation(source.config, "projector_hidden_act", "gelu"), spec);
  AddTowerDense(connector + "linear_2", spec->hidden_size, middle, bias,
                format::DenseActivation::kIdentity, spec);
  ReadProcessor(source.processor, patch, merge, *tower.processor);
  ReadText(source.vocabulary, tower.processor->max_tiles, *tower.text);
  const uint32_t tile = tower.processor->tile / patch;
  spec->vision->context_length =
      std::max(tile * tile, static_cast<uint32_t>(tower.processor->max_pixels / patch / patch) *
                                4);  // a whole picture may be somewhat above max_pixels
  spec->Keep({"model.vision_tower.", "model.multi_modal_projector."});
  AddOtherNames({{prefix, "model.vision_tower.vision_model."}}, spec);
  // A pooling head is built unless the config says otherwise, and never used.
  spec->left_out.push_back(prefix + "head.");
  spec->left_out.emplace_back("model.vision_tower.vision_model.head.");
}

}  // namespace rondo::convert
