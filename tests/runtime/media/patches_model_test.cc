// The patches of the families' reference pictures are those of their own processors: every byte, by
// checksum, and the values made of them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/runtime/media/families.h"
#include "tests/runtime/media/pictures.h"
#include "tests/support/crc32.h"
#include "tests/support/npz.h"
#include "tests/support/reference_data.h"

namespace rondo {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// With the numbers of the small models that the references are of.
std::map<std::string, ImageProcessor> SmallModels() {
  std::map<std::string, ImageProcessor> models = {
      {"gemma4", Gemma4Images(70)},
      {"qwen2_vl", QwenImages(14, 3136, 32928)},
      {"qwen2_5_vl", QwenImages(14, 3136, 32928)},
      {"qwen3_vl", QwenImages(8, 1024, 8960)},
      {"qwen3_5", QwenImages(8, 1024, 8960)},
      {"smolvlm", Idefics3Images(192, 64, 16, 2)},
      {"idefics3", Idefics3Images(168, 56, 14, 2)},
      {"lfm2_vl", Lfm2Images(8, 64, 4, 16, 6)},
      {"gemma3", SquareImages(Filter::kBilinear, 112, 14, 4)},
      {"paligemma", SquareImages(Filter::kBicubic, 56, 14, 1)},
      {"internvl", InternVlImages(56, 6)},
      {"pixtral", PixtralImages(128, 16, 1)},
      {"mistral3", PixtralImages(140, 14, 2)}};
  for (const char* clip : {"qwen2_vl", "qwen2_5_vl"}) SetClip(models[clip]);
  for (const char* halves : {"qwen3_vl", "qwen3_5"}) SetHalves(models[halves]);
  return models;
}

// Rows are kept less the row above.
TestPicture Picture(const Npz& pictures, const std::string& name) {
  const NpyArray array = pictures.At(name);
  TestPicture picture{static_cast<uint32_t>(array.shape[1]), static_cast<uint32_t>(array.shape[0]),
                      array.bytes};
  const size_t row = picture.width * kChannels;
  for (size_t i = row; i < picture.rgb.size(); ++i) {
    picture.rgb[i] = static_cast<uint8_t>(picture.rgb[i] + picture.rgb[i - row]);
  }
  return picture;
}

// The order in which the references have the values of a picture: as rows, or by place.
struct Values {
  std::vector<float> floats;
  std::vector<uint8_t> bytes;

  void Add(float value, double mean, double std) {
    floats.push_back(value);
    bytes.push_back(static_cast<uint8_t>(std::lround((value * std + mean) * 255)));
  }
};

// As the rows are.
void AddRows(const ImageProcessor& p, const std::vector<float>& rows, Values* values) {
  const size_t pixels = size_t{p.patch} * p.patch;
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t at = i % (pixels * kChannels);
    const size_t c = p.order == PatchOrder::kPixels ? at % kChannels : at / pixels;
    values->Add(rows[i], p.mean[c], p.std[c]);
  }
}

// The picture, or each tile of it, put together again: channel by channel, or pixel by pixel.
void AddPictures(const ImageProcessor& p, const ImageLayout& layout, const std::vector<float>& rows,
                 bool by_channel, Values* values) {
  const PatchCutter cutter(p, layout);
  for (uint64_t row = 0; row < layout.patches();) {
    const uint64_t tile = cutter.PlaceOf(row).tile;
    const ImageSize size = tile < layout.tiles() ? ImageSize{p.tile, p.tile} : layout.whole;
    std::vector<float> pixels(size_t{size.width} * size.height * kChannels);
    const auto at = [&](size_t x, size_t y, size_t c) {
      return by_channel ? (c * size.height + y) * size.width + x
                        : (y * size.width + x) * kChannels + c;
    };
    for (; row < layout.patches() && cutter.PlaceOf(row).tile == tile; ++row) {
      const PatchPlace place = cutter.PlaceOf(row);
      const float* value = &rows[row * cutter.width()];
      for (size_t c = 0; c < kChannels; ++c) {
        for (size_t y = 0; y < p.patch; ++y) {
          for (size_t x = 0; x < p.patch; ++x) {
            pixels[at(place.column * p.patch + x, place.row * p.patch + y, c)] = *value++;
          }
        }
      }
    }
    for (size_t i = 0; i < pixels.size(); ++i) {
      const size_t c = by_channel ? i / (pixels.size() / kChannels) : i % kChannels;
      values->Add(pixels[i], p.mean[c], p.std[c]);
    }
  }
}

const fs::path kFolder = fs::path(kSharedData) / "media";

// All pictures of a case.
Values ValuesOf(const ImageProcessor& p, const Npz& pictures, const Json& test) {
  Values values;
  uint64_t rows = 0;
  for (const Json& name : test.at("pictures")) {
    const TestPicture picture = Picture(pictures, name.get<std::string>());
    const Result<ImageLayout> layout = LayOutImage(p, {picture.width, picture.height});
    EXPECT_TRUE(layout.ok()) << layout.status().message();
    const std::vector<float> patches = PatchesOf(p, *layout, picture.image());
    if (test.at("pixel_layout") == "chw") {
      AddPictures(p, *layout, patches, true, &values);
    } else if (p.rule == SizeRule::kLongestEdge) {
      AddPictures(p, *layout, patches, false, &values);
    } else {
      AddRows(p, patches, &values);
    }
    rows += layout->rows;
  }
  if (!test.contains("sounds")) {
    EXPECT_EQ(rows, test.at("media_tokens").get<uint64_t>());
  }
  return values;
}

TEST(PatchesReference, AreTheProcessorsOwn) {
  RONDO_SKIP_WITHOUT(kFolder);
  const Npz pictures(kFolder / "pictures.npz");
  size_t compared = 0;
  double largest = 0;
  for (const auto& [family, processor] : SmallModels()) {
    const fs::path folder = kFolder / family / "a";
    const Npz expected(folder / "expected.npz");
    std::ifstream file(folder / "cases.json");
    const Json cases = Json::parse(file);
    ASSERT_TRUE(CheckImageProcessor(processor).ok());
    for (size_t c = 0; c < kChannels; ++c) {
      ASSERT_EQ(processor.mean[c], cases.at("image_mean").at(c).get<double>()) << family;
      ASSERT_EQ(processor.std[c], cases.at("image_std").at(c).get<double>()) << family;
    }
    for (const Json& test : cases.at("cases")) {
      if (!test.contains("pictures")) continue;
      const auto name = test.at("name").get<std::string>();
      SCOPED_TRACE(testing::Message() << family << ' ' << name);
      const Values values = ValuesOf(processor, pictures, test);
      EXPECT_EQ(Crc32(values.bytes), test.at("pixel_crc32").get<uint32_t>());
      const NpyArray bytes = expected.At(name + ".pixel_u8");
      const auto rows = expected.At(name + ".pixel_rows").As<int32_t>();
      const size_t width = bytes.shape[1];
      for (size_t i = 0; i < bytes.bytes.size(); ++i) {
        const size_t at = static_cast<size_t>(rows[i / width]) * width + i % width;
        ASSERT_LT(at, values.bytes.size());
        ASSERT_EQ(values.bytes[at], bytes.bytes[i]) << i;
      }
      ++compared;
      if (!expected.Has(name + ".pixel_values")) continue;
      const auto floats = expected.At(name + ".pixel_values").As<float>();
      ASSERT_EQ(floats.size(), values.floats.size());
      for (size_t i = 0; i < floats.size(); ++i) {
        largest = std::max<double>(largest, std::abs(floats[i] - values.floats[i]));
      }
    }
  }
  EXPECT_GE(compared, 40u);
  EXPECT_LT(largest, 2e-6);
}

}  // namespace
}  // namespace rondo
