// Images of any numbers, in memory that has exactly what they say: what passes the check is read
// and resized within it (address sanitizer), and what does not is refused with a sentence.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "runtime/media/canvas.h"
#include "runtime/media/image.h"
#include "runtime/media/image_processor.h"
#include "runtime/media/patches.h"
#include "runtime/media/pixel_formats.h"
#include "tests/runtime/media/families.h"

namespace rondo {
namespace {

constexpr int kRounds = 4000;

class Dice {
 public:
  explicit Dice(uint32_t seed) : random_(seed) {}
  uint32_t Below(uint32_t n) { return random_() % n; }
  // Mostly small, sometimes any.
  uint32_t Side() {
    switch (Below(12)) {
      case 0:
        return random_();
      case 1:
        return 0;
      default:
        return 1 + Below(70);
    }
  }

 private:
  std::mt19937 random_;
};

ImageProcessor AnyProcessor(Dice& dice) {
  switch (dice.Below(6)) {
    case 0:
      return Gemma4Images(4);
    case 1:
      return QwenImages(8, 1024, 8960);
    case 2:
      return Idefics3Images(96, 32, 8, 2);
    case 3:
      return Lfm2Images(8, 64, 4, 16, 6);
    case 4:
      return InternVlImages(28, 4);
    default:
      return PixtralImages(64, 8, 2);
  }
}

TEST(ImageFuzz, NothingIsReadBeyondThePlanes) {
  int made = 0;
  for (int round = 0; round < kRounds; ++round) {
    Dice dice(static_cast<uint32_t>(round));
    Image image;
    image.format = static_cast<PixelFormat>(static_cast<int32_t>(dice.Below(9)) - 1);
    image.width = dice.Side();
    image.height = dice.Side();
    image.rotation = dice.Below(8) == 0 ? dice.Side() : dice.Below(4) * 90;
    image.mirror = dice.Below(2) == 1;
    image.range = static_cast<YuvRange>(dice.Below(16) == 0 ? 7 : dice.Below(2));
    image.matrix = static_cast<YuvMatrix>(dice.Below(16) == 0 ? -1 : dice.Below(2));
    std::vector<std::unique_ptr<uint8_t[]>> planes;
    const bool sane = image.width < 100 && image.height < 100;
    for (size_t i = 0; i < Image::kMaxPlanes; ++i) {
      if (!sane || i >= PlaneCount(image.format)) continue;
      const PlaneShape shape = ShapeOf(image.format, i, image.width, image.height);
      if (shape.row_bytes == 0 || shape.rows == 0) continue;
      const size_t stride = shape.row_bytes + dice.Below(3) * dice.Below(9) - dice.Below(40) / 39;
      const size_t bytes = stride * (shape.rows - 1) + shape.row_bytes;
      planes.emplace_back(new uint8_t[bytes]());
      image.planes[i] = {dice.Below(30) == 0 ? nullptr : planes.back().get(), stride};
    }
    const Status status = CheckImage(image);
    if (!status.ok()) {
      EXPECT_STRNE(status.message(), "");
      continue;
    }
    const ImageProcessor processor = AnyProcessor(dice);
    const Result<ImageLayout> layout = LayOutImage(processor, UprightSize(image));
    if (!layout.ok()) continue;
    std::vector<uint8_t> canvas(CanvasBytes(*layout));
    const size_t scratch_bytes = CanvasScratchBytes(processor, *layout, UprightSize(image));
    std::vector<uint64_t> scratch(scratch_bytes / 8 + 1);
    MakeCanvas(processor, *layout, image, canvas.data(),
               reinterpret_cast<uint8_t*>(scratch.data()));
    const PatchCutter cutter(processor, *layout);
    std::vector<float> row(cutter.width());
    for (uint64_t i = 0; i < layout->patches(); i += 1 + layout->patches() / 7) {
      cutter.Cut(canvas.data(), i, 1, row.data());
    }
    std::vector<uint8_t> line(UprightSize(image).width * kChannels);
    DigestOfImage(image, line);
    ++made;
  }
  EXPECT_GT(made, kRounds / 4);
}

}  // namespace
}  // namespace rondo
