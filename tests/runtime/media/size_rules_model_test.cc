// Sizes, tiles and tokens of hundreds of pictures are those of the families' own processors.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/runtime/media/families.h"
#include "tests/support/reference_data.h"

namespace rondo {
namespace {

using Json = nlohmann::json;

// A row of a table, from the third column on, as `layout` says it.
using Columns = std::function<Json(const ImageLayout& layout)>;

struct Family {
  ImageProcessor processor;
  Columns columns;
};

Json WholeAndRows(const ImageLayout& layout) {
  return {layout.whole.width, layout.whole.height, layout.rows};
}

// Each row of patches has a mark behind it.
Columns WithBreaks(uint32_t factor) {
  return [factor](const ImageLayout& layout) -> Json {
    return {layout.whole.width, layout.whole.height, layout.rows,
            layout.rows + layout.whole.height / factor};
  };
}

// A tile has two tags, a row of tiles a newline, the whole picture three pieces of text.
Columns FirstAndTiles(uint32_t tokens) {
  return [tokens](const ImageLayout& layout) -> Json {
    const uint64_t pieces = layout.tiles() * (tokens + 2) + layout.tile_rows + tokens + 3;
    EXPECT_EQ(layout.rows, (layout.tiles() + 1) * tokens);
    return {layout.first.width,  layout.first.height, layout.tile_rows,
            layout.tile_columns, layout.tiles() + 1,  pieces};
  };
}

Json WholeAndGrid(const ImageLayout& layout) {
  const bool split = layout.tiles() > 0;
  return {layout.whole.width, layout.whole.height, split ? layout.tile_rows : 1,
          split ? layout.tile_columns : 1, layout.rows};
}

Json GridAndTiles(const ImageLayout& layout) {
  const bool split = layout.tiles() > 0;
  return {split ? layout.tile_rows : 1, split ? layout.tile_columns : 1, layout.tiles() + 1,
          layout.rows};
}

std::map<std::string, Family> Families() {
  return {{"smolvlm", {Idefics3Images(2048, 512, 16, 4), FirstAndTiles(64)}},
          {"smolvlm_2b", {Idefics3Images(1536, 384, 14, 3), FirstAndTiles(81)}},
          {"idefics3", {Idefics3Images(1456, 364, 14, 2), FirstAndTiles(169)}},
          {"gemma4_70", {Gemma4Images(70), WholeAndRows}},
          {"gemma4_280", {Gemma4Images(280), WholeAndRows}},
          {"gemma4_1120", {Gemma4Images(1120), WholeAndRows}},
          {"qwen3_vl", {QwenImages(16, 65536, 16777216), WholeAndRows}},
          {"qwen2_5_vl", {QwenImages(14, 3136, 12845056), WholeAndRows}},
          {"qwen2_5_vl_class_default", {QwenImages(14, 3136, 1003520), WholeAndRows}},
          {"lfm2_vl", {Lfm2Images(), WholeAndGrid}},
          {"internvl_12", {InternVlImages(448, 12), GridAndTiles}},
          {"internvl_6", {InternVlImages(448, 6), GridAndTiles}},
          {"pixtral", {PixtralImages(1024, 16, 1), WithBreaks(16)}},
          {"mistral3", {PixtralImages(1540, 14, 2), WithBreaks(28)}}};
}

TEST(SizeRulesReference, AreTheProcessorsOwn) {
  const std::filesystem::path path = std::filesystem::path(kSharedData) / "media/tokens.json";
  RONDO_SKIP_WITHOUT(path);
  std::ifstream file(path);
  const Json tables = Json::parse(file);
  for (const auto& [name, family] : Families()) {
    ASSERT_TRUE(CheckImageProcessor(family.processor).ok()) << name;
    size_t count = 0;
    for (const Json& row : tables.at(name).at("rows")) {
      const ImageSize size = {row.at(0).get<uint32_t>(), row.at(1).get<uint32_t>()};
      Json expected = row;
      expected.erase(0);
      expected.erase(0);
      const Result<ImageLayout> layout = LayOutImage(family.processor, size);
      ++count;
      if (expected.at(0).is_string()) {
        EXPECT_FALSE(layout.ok()) << name << ": " << row;
      } else {
        ASSERT_TRUE(layout.ok()) << name << ": " << row << ": " << layout.status().message();
        EXPECT_EQ(family.columns(*layout), expected) << name << ": " << row;
      }
    }
    EXPECT_GE(count, 200u) << name;
  }
}

}  // namespace
}  // namespace rondo
