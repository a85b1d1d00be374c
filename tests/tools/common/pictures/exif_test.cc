// Exif's orientations, as a camera writes them and as nobody should.
#include "tools/common/pictures/exif.h"

#include <gtest/gtest.h>

#include "tests/tools/common/pictures/decoded.h"
#include "tests/tools/common/pictures/encoders.h"

namespace rondo {
namespace {

using tools::Picture;

Picture Oriented(const std::string& exif) {
  Picture picture{.width = 3, .height = 2, .rgb = {}};
  for (uint8_t pixel = 0; pixel < 6; ++pixel) {
    for (uint8_t c = 0; c < 3; ++c) picture.rgb.push_back(static_cast<uint8_t>(10 * pixel + c));
  }
  tools::OrientByExif(tools::BytesOf(exif), &picture);
  return picture;
}

bool IsAsItLies(const Picture& picture) { return picture.rotation == 0 && !picture.mirror; }

// Where each pixel of
//   0 1 2
//   3 4 5
// stands when the picture is upright, row by row.
constexpr const char* kUpright[] = {"012345", "012345", "210543", "543210", "345012",
                                    "031425", "304152", "524130", "251403", "012345"};

TEST(Exif, EachOrientationStandsUpright) {
  for (const bool little_endian : {false, true}) {
    for (uint32_t orientation = 0; orientation < std::size(kUpright); ++orientation) {
      const std::string exif = ExifBlock(orientation, little_endian);
      for (const std::string& block : {exif, std::string("Exif\0\0", 6) + exif}) {
        const std::vector<uint8_t> upright = UprightPixels(Oriented(block));
        std::string pixels;
        for (size_t i = 0; i < upright.size(); i += 3) {
          pixels += static_cast<char>('0' + upright[i] / 10);
          EXPECT_EQ(upright[i + 2], upright[i] + 2);
        }
        EXPECT_EQ(pixels, kUpright[orientation]) << orientation;
      }
    }
  }
}

TEST(Exif, NumbersOfOtherSizesCount) {
  std::string exif = ExifBlock(8, true);
  const size_t type = exif.find("\x12\x01\x03") + 2;
  for (const char size : {1, 4}) {
    exif[type] = size;
    EXPECT_EQ(Oriented(exif).rotation, 270u) << int{size};
  }
  exif[type] = 2;  // a text
  EXPECT_TRUE(IsAsItLies(Oriented(exif)));
  exif[type] = 3;
  exif[type + 2] = 2;  // two of them
  EXPECT_TRUE(IsAsItLies(Oriented(exif)));
}

TEST(Exif, WhatIsDamagedSaysNothing) {
  const std::string whole = ExifBlock(8, false);
  const size_t needed = whole.find("maker") - 4 - 3;  // up to the orientation's own bytes
  for (size_t size = 0; size < needed; ++size) {
    EXPECT_TRUE(IsAsItLies(Oriented(whole.substr(0, size)))) << size;
  }
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      EXPECT_EQ(Oriented(damaged).rotation % 90, 0u);
    }
  }
  std::string far = whole;
  far.replace(4, 4, "\xff\xff\xff\xff");  // the entries lie behind all that can be counted
  EXPECT_TRUE(IsAsItLies(Oriented(far)));
  std::string many = whole;
  many.replace(8, 2, "\xff\xff");
  EXPECT_EQ(Oriented(many).rotation, 270u);  // it is there all the same
}

}  // namespace
}  // namespace rondo
