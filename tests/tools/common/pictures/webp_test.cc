#include <gtest/gtest.h>

#include "tests/runtime/media/pictures.h"
#include "tests/tools/common/pictures/decoded.h"
#include "tests/tools/common/pictures/encoders.h"
#include "tests/tools/error_of.h"

namespace rondo {
namespace {

TEST(Webp, PixelsAreThoseThatWereWritten) {
  const TestPicture picture = FormulaPicture(31, 17, 0);
  EXPECT_EQ(Decoded(EncodeWebp(31, 17, picture.rgb, 3, "")).rgb, picture.rgb);
  std::vector<uint8_t> rgba;
  for (size_t i = 0; i < picture.rgb.size(); i += 3) {
    rgba.insert(rgba.end(), &picture.rgb[i], &picture.rgb[i] + 3);
    rgba.push_back(static_cast<uint8_t>(1 + i % 255));  // what cannot be seen is not written
  }
  EXPECT_EQ(Decoded(EncodeWebp(31, 17, rgba, 4, "")).rgb, picture.rgb);
}

TEST(Webp, OrientationIsExifs) {
  const TestPicture picture = FormulaPicture(5, 4, 0);
  for (const bool little_endian : {false, true}) {
    const tools::Picture decoded =
        Decoded(EncodeWebp(5, 4, picture.rgb, 3, ExifBlock(7, little_endian)));
    EXPECT_EQ(decoded.rotation, 270u);
    EXPECT_TRUE(decoded.mirror);
    EXPECT_EQ(decoded.rgb, picture.rgb);
  }
}

TEST(Webp, AnimationsAreRefused) {
  std::string file = SmallWebp();
  file[20] |= 2;
  EXPECT_EQ(SentenceOf([&] { Decoded(file); }),
            "the picture cannot be decoded: it is an animation, expected one picture");
}

}  // namespace
}  // namespace rondo
