// Tiles of SmolVLM's processors and what its tower makes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "runtime/model/model_file.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/support/places.h"
#include "tests/temp_folder.h"
#include "tests/tools/error_of.h"
#include "tools/convert/convert.h"

namespace rondo::convert {
namespace {

class SmolVlmVision : public testing::Test {
 protected:
  // The model of tests/data/seeing, whose patches of 8 pixels merge 2 by 2, with tiles of so many.
  ModelBytes ConvertedWith(uint32_t tile) {
    const std::filesystem::path seeing = std::filesystem::path(kTestData) / "seeing";
    std::filesystem::copy(seeing, folder_ / "model",
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
    std::ofstream(folder_ / "model" / "processor_config.json")
        << R"({"image_processor": {"max_image_size": {"longest_edge": )" << tile
        << R"(}, "size": {"longest_edge": )" << std::min(3 * tile, 32768u) << R"(}, "resample": 1,
            "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}})";
    ConvertOptions options;
    options.directory = folder_ / "model";
    options.output = folder_ / "model.rondo";
    Convert(options, [](uint64_t, uint64_t) {});
    return ModelBytes(options.output);
  }

  TempFolder folder_;
};

// As those of 2.2 B parameters have: 384 pixels are 27 patches of 14, which merge 3 by 3.
TEST_F(SmolVlmVision, TilesMayHavePixelsOfNoPatch) {
  const ModelBytes bytes = ConvertedWith(38);
  const auto model = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->model().vision()->context_length(), 16u);
}

TEST_F(SmolVlmVision, RefusesPatchesThatDoNotMerge) {
  EXPECT_THAT(SentenceOf([&] { ConvertedWith(44); }),
              testing::HasSubstr("has 5 patches a side, expected a multiple of 2"));
  EXPECT_THAT(SentenceOf([&] { ConvertedWith(7); }),
              testing::HasSubstr("has 0 patches a side, expected a multiple of 2"));
}

// What is made for each patch would take gigabytes.
TEST_F(SmolVlmVision, RefusesMorePatchesThanAnyPictureHas) {
  EXPECT_THAT(SentenceOf([&] { ConvertedWith(32768); }),
              testing::HasSubstr("a tile has 4096 patches a side, expected at most 1024"));
}

}  // namespace
}  // namespace rondo::convert
