// Files that are pictures and files that are none: whole, or a sentence that says what is wrong.
#include "tools/common/picture_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/temp_folder.h"
#include "tests/tools/common/pictures/decoded.h"
#include "tests/tools/common/pictures/encoders.h"
#include "tests/tools/error_of.h"

namespace rondo {
namespace {

std::vector<std::string> SmallFiles() {
  return {SmallJpeg(), SmallProgressiveJpeg(), SmallPng(), SmallInterlacedPng(), SmallWebp()};
}

class PictureFileTest : public testing::Test {
 protected:
  std::string path() const { return (folder_ / "a.picture").string(); }

  tools::Picture Read(const std::string& bytes, const tools::PictureLimits& limits = {}) {
    std::ofstream(path(), std::ios::binary) << bytes;
    return tools::ReadPicture(path(), limits);
  }
  // Behind the file's name.
  std::string Refusal(const std::string& bytes, const tools::PictureLimits& limits = {}) {
    const std::string sentence = SentenceOf([&] { Read(bytes, limits); });
    const std::string begin = "the picture " + path();
    EXPECT_TRUE(sentence.starts_with(begin)) << sentence;
    return sentence.substr(std::min(begin.size(), sentence.size()));
  }

  TempFolder folder_;
};

TEST_F(PictureFileTest, WhatItIsItsBytesSay) {
  for (const std::string& file : SmallFiles()) {
    const tools::Picture picture = Read(file);
    EXPECT_EQ(picture.width, 16u);
    EXPECT_EQ(picture.height, 12u);
    EXPECT_EQ(picture.rgb.size(), 16u * 12 * 3);
    EXPECT_EQ(picture.rotation, 90u);
    EXPECT_FALSE(picture.mirror);
  }
  EXPECT_EQ(Read(SmallPng()).rgb, Read(SmallWebp()).rgb);
  EXPECT_EQ(Read(SmallPng()).rgb, Read(SmallInterlacedPng()).rgb);
}

// A file that never ends is told by its begin.
TEST_F(PictureFileTest, WhatIsNoneIsNotReadToItsEnd) {
  if (!std::filesystem::exists("/dev/zero")) GTEST_SKIP() << "a system without endless files";
  EXPECT_EQ(SentenceOf([] { tools::ReadPicture("/dev/zero"); }),
            "the picture /dev/zero cannot be decoded: it is neither JPEG, PNG nor WebP");
}

TEST_F(PictureFileTest, WhatIsNoPictureIsRefused) {
  EXPECT_EQ(Refusal(""), " cannot be decoded: it is empty");
  for (const std::string& bytes :
       {std::string("no picture"), std::string("\xff\xd8", 2), std::string("RIFF"),
        std::string("RIFF\x8\0\0\0WAVEfmt ", 16), std::string(100000, '\0')}) {
    EXPECT_EQ(Refusal(bytes), " cannot be decoded: it is neither JPEG, PNG nor WebP");
  }
  const auto reading = [](const std::string& path) {
    return SentenceOf([&] { tools::ReadPicture(path); });
  };
  const std::string none = (folder_ / "none.png").string();
  EXPECT_TRUE(reading(none).starts_with("cannot read the picture " + none + ": "));
  const std::string folder = folder_.path().string();
  EXPECT_TRUE(reading(folder).starts_with("cannot read the picture " + folder + ": "));
}

TEST_F(PictureFileTest, AFileCutAnywhereIsRefused) {
  for (const std::string& whole : SmallFiles()) {
    ASSERT_EQ(SentenceOf([&] { Decoded(whole); }), "");
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_TRUE(SentenceOf([&] {
                    Decoded(whole.substr(0, size));
                  }).starts_with("the picture cannot be decoded: "))
          << size << " of " << whole.size() << " bytes";
    }
  }
  EXPECT_EQ(Refusal(SmallPng().substr(0, 100)), " cannot be decoded: the file ends too early");
}

// A header may say anything: it is believed only where there would be room.
TEST_F(PictureFileTest, LargePicturesAreRefusedByTheirHeaders) {
  const std::string most = " pixels, expected at most 178956970";
  std::string jpeg = SmallJpeg();
  jpeg.replace(jpeg.find("\xff\xc0") + 5, 4, "\xea\x60\xea\x60");
  EXPECT_EQ(Refusal(jpeg), " cannot be decoded: it has 60000 x 60000 = 3600000000" + most);
  PngForm form;
  form.width = form.height = 60000;
  form.colours = PngColours::kRgba;
  form.depth = 16;
  // As much of the pixels as tells that they begin.
  const std::string idat("\0\0\x10\0IDAT", 8);
  EXPECT_EQ(Refusal(PngHeader(form) + idat),
            " cannot be decoded: it has 60000 x 60000 = 3600000000" + most);
  std::string webp = EncodeWebp(16, 12, std::vector<uint8_t>(16 * 12 * 3), 3, "");
  webp.replace(21, 4, "\xff\xff\xff\x0f");
  EXPECT_EQ(Refusal(webp), " cannot be decoded: it has 16384 x 16384 = 268435456" + most);
}

TEST_F(PictureFileTest, LimitsAreKeptToThePixelAndTheByte) {
  for (const std::string& file : SmallFiles()) {
    EXPECT_EQ(Read(file, {.pixels = 192, .file_bytes = file.size()}).width, 16u);
    EXPECT_EQ(Refusal(file, {.pixels = 191}),
              " cannot be decoded: it has 16 x 12 = 192 pixels, expected at most 191");
    EXPECT_EQ(Refusal(file, {.file_bytes = file.size() - 1}),
              " has more than " + std::to_string(file.size() - 1) + " bytes");
  }
}

TEST_F(PictureFileTest, SidesAreThoseOfTheLibrarysImages) {
  PngForm form;
  form.colours = PngColours::kGrey;
  for (form.width = kMaxImageSide; form.width <= kMaxImageSide + 1; ++form.width) {
    const std::string file = EncodePng(form, {std::vector<uint8_t>(form.width, 200)});
    if (form.width == kMaxImageSide) {
      EXPECT_EQ(Read(file).rgb, std::vector<uint8_t>(3 * kMaxImageSide, 200));
    } else {
      EXPECT_EQ(Refusal(file),
                " cannot be decoded: it has 65536 x 1 pixels, expected sides from 1 to 65535");
    }
  }
}

}  // namespace
}  // namespace rondo
