// Altered picture files: whatever a byte says, the answer is an Error or a whole picture.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/crc32.h"
#include "tests/tools/common/pictures/encoders.h"
#include "tools/common/bytes.h"
#include "tools/common/error.h"
#include "tools/common/picture_file.h"

namespace rondo {
namespace {

// True where it is one; anything thrown but an Error fails the test.
bool IsPicture(const std::string& bytes) {
  try {
    const tools::Picture picture =
        tools::DecodePicture("a picture", tools::BytesOf(bytes), {.pixels = 1 << 16});
    EXPECT_EQ(picture.rgb.size(), size_t{picture.width} * picture.height * 3);
    EXPECT_EQ(picture.rotation % 90, 0u);
    return true;
  } catch (const tools::Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("a picture cannot be decoded: "));
    return false;
  }
}

std::string Altered(std::string bytes, std::mt19937& random) {
  for (int i = static_cast<int>(random() % 8); i >= 0; --i) {
    const size_t at = random() % bytes.size();
    if (random() % 8 == 0) {
      bytes.erase(at, random() % 16);
    } else if (random() % 8 == 0) {
      bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 16));
    } else {
      bytes[at] = static_cast<char>(random());
    }
  }
  return bytes;
}

// As if whoever altered the PNG had written it so: else all ends at the first checksum.
void RightChecksums(std::string* png) {
  for (size_t at = 8; at + 12 <= png->size();) {
    size_t size = 0;
    for (size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<uint8_t>((*png)[at + i]);
    if (size > png->size() - at - 12) return;
    const uint32_t crc = Crc32(tools::BytesOf(png->substr(at + 4, 4 + size)));
    for (size_t i = 0; i < 4; ++i) {
      (*png)[at + 8 + size + i] = static_cast<char>(crc >> (24 - 8 * i));
    }
    at += 12 + size;
  }
}

// How many of 4,000 alterings of it are a picture still.
int PicturesOf(const std::string& whole, bool with_checksums) {
  EXPECT_TRUE(IsPicture(whole));
  std::mt19937 random(1);
  int pictures = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = Altered(whole, random);
    if (with_checksums) RightChecksums(&bytes);
    pictures += IsPicture(bytes) ? 1 : 0;
  }
  return pictures;
}

// Some go through: else just the headers were read.
TEST(PictureFileFuzz, JpegsMayBeAltered) {
  EXPECT_GT(PicturesOf(SmallJpeg(), false), 100);
  EXPECT_GT(PicturesOf(SmallProgressiveJpeg(), false), 100);
}

TEST(PictureFileFuzz, PngsMayBeAltered) {
  EXPECT_GT(PicturesOf(SmallPng(), true), 100);
  EXPECT_GT(PicturesOf(SmallInterlacedPng(), true), 100);
  PngForm form;
  form.width = 8;
  form.colours = PngColours::kPalette;
  form.depth = 1;
  form.palette = "abcdef";
  form.before = {{"tRNS", "\x20"}, {"eXIf", ExifBlock(6, true)}};
  EXPECT_GT(PicturesOf(EncodePng(form, {{0x5a}}), true), 100);
}

TEST(PictureFileFuzz, WebpsMayBeAltered) { EXPECT_GT(PicturesOf(SmallWebp(), false), 100); }

TEST(PictureFileFuzz, AnyByteMayBeWrong) {
  for (const std::string& whole :
       {SmallJpeg(), SmallProgressiveJpeg(), SmallPng(), SmallInterlacedPng(), SmallWebp()}) {
    for (size_t at = 0; at < whole.size(); ++at) {
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(value);
        IsPicture(damaged);
      }
    }
  }
}

}  // namespace
}  // namespace rondo
