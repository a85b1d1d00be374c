// Patches of pictures by formula, against plain loops over resized pictures.
#include "runtime/media/patches.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "runtime/media/canvas.h"
#include "tests/runtime/media/families.h"
#include "tests/runtime/media/pictures.h"

namespace rondo {
namespace {

TestPicture ResizedPicture(const TestPicture& picture, ImageSize to, Resampling resampling) {
  return {to.width, to.height, Resized(picture, to, resampling)};
}

// The tiles and the whole of a picture, each on its own.
std::vector<TestPicture> PartsOf(const ImageProcessor& p, const ImageLayout& layout,
                                 TestPicture picture) {
  std::vector<TestPicture> parts;
  if (layout.first.width != 0) picture = ResizedPicture(picture, layout.first, p.resampling);
  if (layout.tiles() != 0) {
    const TestPicture tiled = ResizedPicture(picture, layout.tiled, p.resampling);
    for (size_t row = 0; row < layout.tile_rows; ++row) {
      for (size_t column = 0; column < layout.tile_columns; ++column) {
        TestPicture tile{p.tile, p.tile, {}};
        for (size_t y = 0; y < p.tile; ++y) {
          const size_t at = ((row * p.tile + y) * tiled.width + column * p.tile) * kChannels;
          tile.rgb.insert(tile.rgb.end(), &tiled.rgb[at], &tiled.rgb[at] + p.tile * kChannels);
        }
        parts.push_back(tile);
      }
    }
    if (layout.whole_of_tiled) picture = tiled;
  }
  if (layout.whole.width != 0) {
    parts.push_back(ResizedPicture(picture, layout.whole, p.resampling));
  }
  return parts;
}

// A patch as rows of numbers 0 to 1.
std::vector<double> PatchOf(const ImageProcessor& p, const TestPicture& part, size_t column,
                            size_t row) {
  std::vector<double> values;
  const auto level = [&](size_t x, size_t y, size_t c) {
    const size_t at = ((row * p.patch + y) * part.width + column * p.patch + x) * kChannels + c;
    return (part.rgb[at] / 255.0 - p.mean[c]) / p.std[c];
  };
  if (p.order == PatchOrder::kPixels) {
    for (size_t y = 0; y < p.patch; ++y) {
      for (size_t x = 0; x < p.patch; ++x) {
        for (size_t c = 0; c < kChannels; ++c) values.push_back(level(x, y, c));
      }
    }
  } else {
    for (size_t c = 0; c < kChannels; ++c) {
      for (size_t y = 0; y < p.patch; ++y) {
        for (size_t x = 0; x < p.patch; ++x) values.push_back(level(x, y, c));
      }
    }
  }
  return values;
}

// Patches left to right, or those that are merged together one behind another.
std::vector<double> ExpectedPatches(const ImageProcessor& p, const ImageLayout& layout,
                                    const TestPicture& picture) {
  std::vector<double> values;
  for (const TestPicture& part : PartsOf(p, layout, picture)) {
    const size_t side = p.merged_in_turn ? p.merge : 1;
    for (size_t row = 0; row + side <= part.height / p.patch; row += side) {
      for (size_t column = 0; column + side <= part.width / p.patch; column += side) {
        for (size_t i = 0; i < side * side; ++i) {
          const auto patch = PatchOf(p, part, column + i % side, row + i / side);
          values.insert(values.end(), patch.begin(), patch.end());
        }
      }
    }
  }
  return values;
}

std::vector<ImageProcessor> Families() {
  ImageProcessor one_tile = Idefics3Images(96, 32, 8, 2);
  one_tile.split = false;
  ImageProcessor tiles_alone = InternVlImages(28, 4);
  tiles_alone.thumbnail = false;
  return {Gemma4Images(6),
          QwenImages(8, 1024, 8960),
          Idefics3Images(96, 32, 8, 2),
          Idefics3Images(90, 30, 7, 2),  // the last two pixels of a side are of no patch
          one_tile,
          Lfm2Images(4, 32, 4, 16, 6),
          Lfm2Images(8, 128, 4, 64, 6),
          SquareImages(Filter::kBilinear, 56, 14, 4),
          InternVlImages(28, 6),
          tiles_alone,
          PixtralImages(64, 8, 2)};
}

TEST(Patches, AreCutFromResizedPictures) {
  for (const ImageProcessor& p : Families()) {
    ASSERT_TRUE(CheckImageProcessor(p).ok()) << CheckImageProcessor(p).message();
    for (const ImageSize size : {ImageSize{61, 43}, {30, 90}, {7, 5}}) {
      const TestPicture picture = FormulaPicture(size.width, size.height, 0);
      const Result<ImageLayout> layout = LayOutImage(p, size);
      ASSERT_TRUE(layout.ok()) << layout.status().message();
      const std::vector<float> rows = PatchesOf(p, *layout, picture.image());
      const std::vector<double> expected = ExpectedPatches(p, *layout, picture);
      ASSERT_EQ(rows.size(), expected.size());
      for (size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(rows[i], static_cast<float>(expected[i])) << i;
      }
    }
  }
}

TEST(Patches, MayBeCutInAnyPieces) {
  for (const ImageProcessor& p : Families()) {
    const TestPicture picture = FormulaPicture(61, 43, 0);
    const Image image = picture.image();
    const Result<ImageLayout> layout = LayOutImage(p, {61, 43});
    ASSERT_TRUE(layout.ok());
    const std::vector<float> rows = PatchesOf(p, *layout, image);
    // No byte beside the memory that was asked for is touched.
    constexpr uint8_t kMark = 0xa5;
    constexpr size_t kMarks = 64;
    const size_t canvas_bytes = CanvasBytes(*layout);
    const size_t scratch_bytes = CanvasScratchBytes(p, *layout, {61, 43});
    std::vector<uint8_t> canvas(canvas_bytes + kMarks, kMark);
    std::vector<uint64_t> scratch((scratch_bytes + kMarks) / sizeof(uint64_t) + 1);
    auto* const memory = reinterpret_cast<uint8_t*>(scratch.data());
    std::memset(memory + scratch_bytes, kMark, kMarks);
    MakeCanvas(p, *layout, image, canvas.data(), memory);
    const std::vector<uint8_t> marks(kMarks, kMark);
    EXPECT_EQ(std::memcmp(canvas.data() + canvas_bytes, marks.data(), kMarks), 0);
    EXPECT_EQ(std::memcmp(memory + scratch_bytes, marks.data(), kMarks), 0);
    const PatchCutter cutter(p, *layout);
    std::vector<float> pieces(rows.size());
    for (uint64_t row = 0; row < layout->patches();) {
      const size_t count = std::min<uint64_t>(row % 7 + 1, layout->patches() - row);
      cutter.Cut(canvas.data(), row, count, &pieces[row * cutter.width()]);
      row += count;
    }
    EXPECT_EQ(pieces, rows);
  }
}

TEST(Patches, OfAFrameAreThoseOfItsUprightPicture) {
  const TestPicture planes = FormulaPicture(40, 31, 2);  // bytes for NV12
  Image frame;
  frame.format = PixelFormat::kNv12;
  frame.width = 80;
  frame.height = 30;
  frame.planes[0] = {planes.rgb.data(), 80};
  frame.planes[1] = {planes.rgb.data() + size_t{80} * 30, 80};
  frame.rotation = 90;
  frame.mirror = true;
  ASSERT_TRUE(CheckImage(frame).ok());
  TestPicture upright{30, 80, std::vector<uint8_t>(size_t{30} * 80 * kChannels)};
  ImageRows(frame).Read(80, upright.rgb.data());
  for (const ImageProcessor& p : Families()) {
    const Result<ImageLayout> layout = LayOutImage(p, UprightSize(frame));
    ASSERT_TRUE(layout.ok());
    EXPECT_EQ(PatchesOf(p, *layout, frame), PatchesOf(p, *layout, upright.image()));
  }
}

}  // namespace
}  // namespace rondo
