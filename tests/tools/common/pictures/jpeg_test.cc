// JPEGs become what Pillow makes of them, and damaged ones nothing.
#include <gtest/gtest.h>

#include "tests/support/crc32.h"
#include "tests/tools/common/pictures/decoded.h"
#include "tests/tools/common/pictures/encoders.h"
#include "tests/tools/common/pictures/pillow_jpegs.h"
#include "tests/tools/error_of.h"

namespace rondo {
namespace {

std::string FromHex(const std::string& digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

// The checksums are of Pillow's own convert("RGB").
TEST(Jpeg, PixelsArePillows) {
  std::string ycck = FromHex(kInks);
  ycck[ycck.find("Adobe") + 11] = 2;
  for (const auto& [name, file, crc] :
       {std::tuple{"halved colours", FromHex(kHalvedColours), 0x4894f49fu},
        {"progressive", FromHex(kProgressive), 0x37272945u},
        {"grey", FromHex(kGrey), 0x169d1ef7u},
        {"inks", FromHex(kInks), 0x51bc09c7u},
        {"YCCK", ycck, 0x16bf2f0bu}}) {
    const tools::Picture picture = Decoded(file);
    EXPECT_EQ(picture.width, 13u);
    EXPECT_EQ(picture.height, 9u);
    EXPECT_EQ(Crc32(picture.rgb), crc) << name;
  }
}

TEST(Jpeg, OrientationIsExifs) {
  const tools::Picture picture = Decoded(SmallJpeg());
  EXPECT_EQ(picture.rotation, 90u);
  EXPECT_FALSE(picture.mirror);
  EXPECT_EQ(Decoded(FromHex(kGrey)).rotation, 0u);
}

TEST(Jpeg, ManyScansAreReadTooManyAreNot) {
  EXPECT_EQ(Decoded(JpegOfScans(500)).rgb, std::vector<uint8_t>(192, 77));
  EXPECT_NE(SentenceOf([] { Decoded(JpegOfScans(501)); }).find("too many scans"),
            std::string::npos);
}

TEST(Jpeg, BytesBetweenMarkersDoNoHarm) {
  const std::string whole = SmallJpeg();
  std::string padded = whole;
  padded.insert(padded.size() - 2, 50, '\0');
  EXPECT_EQ(Decoded(padded).rgb, Decoded(whole).rgb);
  EXPECT_EQ(Decoded(whole + "what a phone adds").rgb, Decoded(whole).rgb);
}

TEST(Jpeg, PixelsThatAreLostAreMissed) {
  std::string damaged = SmallJpeg();
  damaged.erase(damaged.size() - 12, 10);  // the end stays
  EXPECT_NE(SentenceOf([&] { Decoded(damaged); }).find("premature end of data segment"),
            std::string::npos);
}

}  // namespace
}  // namespace rondo
