// SmolVLM and Idefics 3: a picture is enlarged and cut into square tiles, each of which a SigLIP
// sees by itself, and the whole of it as one more; patches become rows by a pixel shuffle and one
// matrix.
#include <algorithm>
#include <string>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/model/limits.h"
#include "tools/convert/architectures/vision/tower_parts.h"

namespace rondo::convert {

namespace {

// Of place i of n, the row of the table for `side` places: how many multiples of 1 / side are at
// most i / n, in float32, as the model counts them.
uint32_t Bucket(uint32_t i, uint32_t n, uint32_t side) {
  const float at = std::min(static_cast<float>(i) / static_cast<float>(n), 1 - 1e-6f);
  const double step = 1.0 / side;
  uint32_t bucket = 0;
  for (uint32_t b = 1; b < side; ++b) {
    if (static_cast<float>(step + (b - 1) * step) <= at) ++bucket;
  }
  return bucket;
}

void ReadText(const VisionSource& source, uint32_t most_tiles, format::PictureTextT& text) {
  const VocabularyOf& v = source.vocabulary;
  const uint32_t fake = v.token("<fake_token_around_image>"), global = v.token("<global-img>");
  text.placeholder = v.token("<image>");
  text.before_tile = {fake};
  for (uint32_t row = 1; row <= most_tiles; ++row) {
    for (uint32_t column = 1; column <= most_tiles; ++column) {
      text.tile_marks.push_back(
          v.token("<row_" + std::to_string(row) + "_col_" + std::to_string(column) + ">"));
    }
  }
  text.tile_mark_columns = most_tiles;
  // Behind each row of tiles stands a line's end, and one more before the whole.
  text.between_tile_rows = v.ids("\n");
  text.before_whole = v.ids("\n\n");
  text.before_only = {fake, global};
  text.before_whole.insert(text.before_whole.end(), text.before_only.begin(),
                           text.before_only.end());
  text.end = {fake};
}

uint32_t Edge(const Config& processor, const char* key, uint64_t if_absent) {
  const std::optional<Config> size = processor.Object(key);
  return size ? size->Count("longest_edge", 1u << 15, if_absent) : static_cast<uint32_t>(if_absent);
}

}  // namespace

void ReadSmolVlmVision(const VisionSource& source, DecoderSpec* spec) {
  const uint32_t patch = source.vision.Count("patch_size", 512, 32);
  const uint32_t table_side = source.vision.Count("image_size", 1u << 14, 224) / patch;
  const uint32_t merge = source.config.Count("scale_factor", 16, 2);
  const uint32_t tile = Edge(source.processor, "max_image_size", 364);
  const uint32_t longest = Edge(source.processor, "size", uint64_t{4} * 364);
  const std::string prefix = "model.vision_model.";
  format::TowerT& tower = AddTower(SiglipFamily(source.vision, prefix), spec);
  const uint32_t side = tile / patch;  // what is left over of the pixels no patch sees
  if (side == 0 || side % merge != 0) {
    source.processor.Refuse("max_image_size", "has " + std::to_string(side) +
                                                  " patches a side, expected a multiple of " +
                                                  std::to_string(merge));
  }
  spec->vision->context_length = side * side;
  AddPatchProduct(prefix + "embeddings.patch_embedding", patch, true, true, spec);
  std::vector<uint32_t> buckets(side);
  for (uint32_t i = 0; i < side; ++i) buckets[i] = Bucket(i, side, table_side);
  AddGridPositions(
      prefix + "embeddings.position_embedding", side, table_side,
      [&](uint32_t place) { return buckets[place]; }, spec);
  AddTowerDense("model.connector.modality_projection.proj", spec->hidden_size,
                uint64_t{spec->vision->hidden_size} * merge * merge, false,
                format::DenseActivation::kIdentity, spec);

  format::ImageProcessorT& p = *tower.processor;
  p.rule = format::SizeRule::kLongestEdgeTiles;
  p.filter = ReadFilter(source.processor, 1);
  p.patch = patch;
  p.merge = merge;
  p.channels_first = true;
  p.tile = tile;
  p.longest_edge = longest;
  p.split = source.processor.Flag("do_image_splitting", true);
  ReadNormalization(source.processor, p);
  ReadText(source, CeilDiv(longest, tile), *tower.text);
  spec->Keep({"model.vision_model.", "model.connector."});
}

}  // namespace rondo::convert
