// What size rules make of pictures, ordinary and not, and of numbers that a file should not have.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "runtime/media/canvas.h"
#include "runtime/media/image.h"
#include "tests/runtime/media/families.h"

namespace rondo {
namespace {

ImageLayout LayOut(const ImageProcessor& processor, uint32_t width, uint32_t height) {
  EXPECT_TRUE(CheckImageProcessor(processor).ok()) << CheckImageProcessor(processor).message();
  const Result<ImageLayout> layout = LayOutImage(processor, {width, height});
  EXPECT_TRUE(layout.ok()) << layout.status().message();
  return layout.ok() ? *layout : ImageLayout();
}

void ExpectWhole(const ImageProcessor& processor, ImageSize size, ImageSize whole, uint64_t rows) {
  const ImageLayout layout = LayOut(processor, size.width, size.height);
  EXPECT_EQ(layout.whole, whole) << size.width << "x" << size.height;
  EXPECT_EQ(layout.rows, rows) << size.width << "x" << size.height;
  EXPECT_EQ(layout.tiles(), 0u);
  EXPECT_EQ(layout.patches(),
            uint64_t{whole.width / processor.patch} * (whole.height / processor.patch));
}

// What transformers 5.12 says of the same sizes.
TEST(SizeRules, OnePicture) {
  ExpectWhole(Gemma4Images(280), {1920, 1080}, {1056, 576}, 264);
  ExpectWhole(Gemma4Images(280), {1, 199}, {48, 11328}, 236);
  ExpectWhole(Gemma4Images(70), {2915, 5}, {3360, 48}, 70);
  ExpectWhole(QwenImages(16, 65536, 16777216), {1920, 1080}, {1920, 1088}, 2040);
  ExpectWhole(QwenImages(16, 65536, 16777216), {1, 199}, {32, 3616}, 113);
  ExpectWhole(QwenImages(14, 3136, 1003520), {4032, 3024}, {1148, 840}, 1230);
  ExpectWhole(GlmImages(), {3873, 4873}, {1932, 2436}, 6003);
  ExpectWhole(GlmImages(), {17, 2560}, {28, 4228}, 151);
  ExpectWhole(GlmImages(), {21, 30}, {84, 112}, 12);
  ExpectWhole(PixtralImages(1024, 16, 1), {1920, 1080}, {1024, 576}, 2304);
  ExpectWhole(PixtralImages(1540, 14, 2), {33, 31}, {56, 56}, 4);
  ExpectWhole(SquareImages(Filter::kBilinear, 896, 14, 4), {300, 17}, {896, 896}, 256);
  ExpectWhole(SquareImages(Filter::kBicubic, 224, 14, 1), {300, 17}, {224, 224}, 256);
  ExpectWhole(Lfm2Images(), {383, 385}, {384, 384}, 144);
  ExpectWhole(InternVlImages(448, 12), {383, 385}, {448, 448}, 256);
}

TEST(SizeRules, Tiles) {
  const ImageLayout smol = LayOut(Idefics3Images(2048, 512, 16, 4), 1920, 1080);
  EXPECT_EQ(smol.first, (ImageSize{2048, 1152}));
  EXPECT_EQ(smol.tiled, (ImageSize{2048, 1536}));
  EXPECT_EQ(smol.whole, (ImageSize{512, 512}));
  EXPECT_TRUE(smol.whole_of_tiled);
  EXPECT_EQ(smol.patches(), 13u * 1024);
  EXPECT_EQ(smol.rows, 13u * 64);
  const ImageLayout lfm2 = LayOut(Lfm2Images(), 1920, 1080);
  EXPECT_EQ(lfm2.tiled, (ImageSize{4 * 512, 2 * 512}));
  EXPECT_EQ(lfm2.whole, (ImageSize{672, 384}));
  EXPECT_FALSE(lfm2.whole_of_tiled);
  EXPECT_EQ(lfm2.rows, 2300u);
  const ImageLayout intern = LayOut(InternVlImages(448, 12), 1024, 768);
  EXPECT_EQ(intern.tile_columns, 4u);
  EXPECT_EQ(intern.tile_rows, 3u);
  EXPECT_EQ(intern.rows, 3328u);
  // 14 does not divide 384: what is left over belongs to no patch.
  EXPECT_EQ(LayOut(Idefics3Images(1536, 384, 14, 3), 512, 512).rows, 17u * 81);
}

TEST(SizeRules, TilesCanBeLeftOut) {
  ImageProcessor smol = Idefics3Images(2048, 512, 16, 4);
  smol.split = false;
  EXPECT_EQ(LayOut(smol, 1920, 1080).first, (ImageSize{2048, 1152}));
  ExpectWhole(smol, {1920, 1080}, {512, 512}, 64);
  ImageProcessor lfm2 = Lfm2Images();
  lfm2.split = false;
  ExpectWhole(lfm2, {1920, 1080}, {672, 384}, 252);
  ImageProcessor intern = InternVlImages(448, 12);
  intern.thumbnail = false;
  EXPECT_EQ(LayOut(intern, 1024, 768).rows, 12u * 256);
  intern.split = false;
  ExpectWhole(intern, {1024, 768}, {448, 448}, 256);
}

std::string Refusal(const ImageProcessor& processor, ImageSize size) {
  const Result<ImageLayout> layout = LayOutImage(processor, size);
  if (layout.ok()) return "";
  EXPECT_EQ(layout.status().code(), StatusCode::kInvalidArgument);
  return layout.status().message();
}

TEST(SizeRules, WhatAFamilyDoesNotTakeIsSaid) {
  const ImageProcessor qwen = QwenImages(16, 65536, 16777216);
  EXPECT_EQ(Refusal(qwen, {200, 1}), "");
  EXPECT_EQ(Refusal(qwen, {5, 3168}),
            "the model takes pictures up to 200 times as long as wide, and this one is 5 x 3168");
  EXPECT_EQ(Refusal(GlmImages(), {6802, 34}),
            "the model takes pictures up to 200 times as long as wide, and this one is 6802 x 34");
  EXPECT_EQ(Refusal(PixtralImages(1024, 16, 1), {2000, 1}),
            "a picture of 2000 x 1 pixels would be resized to 1024 x 0; sides may be 1 to 65535");
  EXPECT_EQ(
      Refusal(Gemma4Images(2000), {60000, 1}),
      "a picture of 60000 x 1 pixels would be resized to 96000 x 48; sides may be 1 to 65535");
}

TEST(SizeRules, AnySizeHasALayoutOrARefusal) {
  const std::vector<ImageProcessor> processors = {Gemma4Images(1120),
                                                  QwenImages(16, 65536, 16777216),
                                                  PixtralImages(1540, 14, 2),
                                                  Idefics3Images(2048, 512, 16, 4),
                                                  Lfm2Images(),
                                                  InternVlImages(448, 12),
                                                  Gemma4Images(1),
                                                  SquareImages(Filter::kBicubic, 224, 14, 1),
                                                  Lfm2Images(8, 64, 4, 16, 6),
                                                  Lfm2Images(8, 70, 4, 16, 6),
                                                  Idefics3Images(1536, 384, 14, 3),
                                                  Idefics3Images(1, 1, 1, 1)};
  const uint32_t sides[] = {1, 2, 3, 13, 14, 15, 47, 48, 255, 1023, 4097, 30000, kMaxImageSide};
  for (const ImageProcessor& processor : processors) {
    ASSERT_TRUE(CheckImageProcessor(processor).ok());
    for (const uint32_t width : sides) {
      for (const uint32_t height : sides) {
        const Result<ImageLayout> layout = LayOutImage(processor, {width, height});
        if (!layout.ok()) continue;
        for (const ImageSize size : {layout->first, layout->tiled, layout->whole}) {
          EXPECT_EQ(size.width == 0, size.height == 0);
          EXPECT_LE(size.width, kMaxImageSide);
          EXPECT_LE(size.height, kMaxImageSide);
        }
        EXPECT_GT(layout->patches(), 0u);
        EXPECT_GT(layout->rows, 0u);
        EXPECT_LE(CanvasBytes(*layout), MostCanvasBytes(processor, layout->rows));
      }
    }
  }
}

TEST(ImageProcessor, NumbersOfAFileAreChecked) {
  const auto refusal = [](auto change) {
    ImageProcessor processor = Lfm2Images();
    change(processor);
    const Status status = CheckImageProcessor(processor);
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kCorrupt);
    return std::string(status.message());
  };
  using P = ImageProcessor;
  EXPECT_EQ(refusal([](P&) {}), "");
  EXPECT_EQ(refusal([](P& p) { p.rule = static_cast<SizeRule>(7); }),
            "the image processor's size rule is 7, and may be 0 to 6");
  EXPECT_EQ(refusal([](P& p) { p.patch = 0; }),
            "the image processor's patch is 0, and may be 1 to 1024");
  EXPECT_EQ(refusal([](P& p) { p.merge = 65; }),
            "the image processor's number of merged patches a side is 65, and may be 1 to 64");
  EXPECT_EQ(refusal([](P& p) { p.tile = 31; }),
            "the image processor's tile is 31, and may be 32 to 65535");
  EXPECT_EQ(refusal([](P& p) { p.tile = 48; }),
            "the image processor's tile has 3 patches a side, expected a multiple of the 2 that "
            "become one row");
  EXPECT_NE(refusal([](P& p) { p.max_tiles = 257; }), "");
  EXPECT_NE(refusal([](P& p) { p.min_tiles = 11; }), "");
  EXPECT_NE(refusal([](P& p) { p.max_pixels = 1023; }), "");
  EXPECT_NE(refusal([](P& p) { p.min_pixels = p.max_pixels + 1; }), "");
  EXPECT_NE(refusal([](P& p) { p.split_from = std::numeric_limits<double>::quiet_NaN(); }), "");
  EXPECT_NE(refusal([](P& p) { p.std[1] = 0; }), "");
  EXPECT_NE(refusal([](P& p) { p.mean[2] = std::numeric_limits<double>::infinity(); }), "");
  EXPECT_NE(refusal([](P& p) { p.resampling.filter = static_cast<Filter>(4); }), "");
  EXPECT_NE(refusal([](P& p) {
              p.rule = SizeRule::kLongestEdge;
              p.longest_edge = 0;
            }),
            "");
}

}  // namespace
}  // namespace rondo
