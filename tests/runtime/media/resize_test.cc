// Resizing in small: digests of what Pillow 9.4 makes of pictures by formula, and what else holds.
#include "runtime/media/resize.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/base/digest.h"
#include "runtime/base/format.h"
#include "tests/runtime/media/pictures.h"

namespace rondo {
namespace {

struct PillowResult {
  uint32_t width;
  uint32_t height;
  int kind;
  uint32_t to_width;
  uint32_t to_height;
  Filter filter;
  const char* digest;  // the first 8 bytes of the result's
};

constexpr PillowResult kPillow[] = {
    {1, 1, 0, 7, 5, Filter::kBox, "8d065549fa6f9bb2"},
    {1, 1, 0, 7, 5, Filter::kBilinear, "8d065549fa6f9bb2"},
    {1, 1, 0, 7, 5, Filter::kBicubic, "8d065549fa6f9bb2"},
    {1, 1, 0, 7, 5, Filter::kLanczos, "8d065549fa6f9bb2"},
    {2, 3, 0, 17, 13, Filter::kBox, "9cd9cd60a2ff54f2"},
    {2, 3, 0, 17, 13, Filter::kBilinear, "3cd0c7835b7cfec3"},
    {2, 3, 0, 17, 13, Filter::kBicubic, "8ccac9ed468d1dbe"},
    {2, 3, 0, 17, 13, Filter::kLanczos, "93f482388198d2a9"},
    {9, 1, 0, 23, 2, Filter::kBox, "bef3d2c81204ebb8"},
    {9, 1, 0, 23, 2, Filter::kBilinear, "92c79e5b1d71b185"},
    {9, 1, 0, 23, 2, Filter::kBicubic, "771e9680428bc768"},
    {9, 1, 0, 23, 2, Filter::kLanczos, "690ba926a39546d0"},
    {13, 11, 1, 13, 5, Filter::kBox, "027ee5e0f1a6e8de"},
    {13, 11, 1, 13, 5, Filter::kBilinear, "cd3d165ee6beaa80"},
    {13, 11, 1, 13, 5, Filter::kBicubic, "5698ad696b98ba8d"},
    {13, 11, 1, 13, 5, Filter::kLanczos, "0b7848810128ecf6"},
    {13, 11, 1, 26, 11, Filter::kBox, "58de9b01edd16fe0"},
    {13, 11, 1, 26, 11, Filter::kBilinear, "bec1eef3d62d2c17"},
    {13, 11, 1, 26, 11, Filter::kBicubic, "7c1d8f90b4abe3d3"},
    {13, 11, 1, 26, 11, Filter::kLanczos, "139620cf81d6a517"},
    {40, 30, 2, 20, 15, Filter::kBox, "7c68e9372fce1cb9"},
    {40, 30, 2, 20, 15, Filter::kBilinear, "7acfef2b10f6faaf"},
    {40, 30, 2, 20, 15, Filter::kBicubic, "be07f7fd4bd69fcc"},
    {40, 30, 2, 20, 15, Filter::kLanczos, "b53c02fef1670e33"},
    {64, 48, 1, 65, 47, Filter::kBox, "75f4a93b716d5ade"},
    {64, 48, 1, 65, 47, Filter::kBilinear, "3e338af19250ec15"},
    {64, 48, 1, 65, 47, Filter::kBicubic, "fdac9af4d833437e"},
    {64, 48, 1, 65, 47, Filter::kLanczos, "48b7a851d142d1b3"},
    {123, 77, 0, 16, 50, Filter::kBox, "2dec99dc92b68c8b"},
    {123, 77, 0, 16, 50, Filter::kBilinear, "0d9c7be796cae8ee"},
    {123, 77, 0, 16, 50, Filter::kBicubic, "4860b4903c9d1697"},
    {123, 77, 0, 16, 50, Filter::kLanczos, "2c708e570792140a"},
    {331, 207, 2, 14, 10, Filter::kBox, "c4e238b373a99fce"},
    {331, 207, 2, 14, 10, Filter::kBilinear, "b1d7ca08ff73e517"},
    {331, 207, 2, 14, 10, Filter::kBicubic, "7447efd9b1c288e5"},
    {331, 207, 2, 14, 10, Filter::kLanczos, "e7ce9bd8e8b23f09"},
    {640, 480, 0, 96, 72, Filter::kBox, "d624b6b306f4eab4"},
    {640, 480, 0, 96, 72, Filter::kBilinear, "81d8c1a2fba0892c"},
    {640, 480, 0, 96, 72, Filter::kBicubic, "db7376a5d63d0b8b"},
    {640, 480, 0, 96, 72, Filter::kLanczos, "214d32badf1b44ed"},
    {1920, 1080, 0, 672, 384, Filter::kBicubic, "4ad805ab1b8b9ee7"},
    {1000, 3, 1, 7, 300, Filter::kBox, "1f49652abeb612c9"},
    {1000, 3, 1, 7, 300, Filter::kBilinear, "ebb5793b2ee0fd81"},
    {1000, 3, 1, 7, 300, Filter::kBicubic, "0202627f45fa18e7"},
    {1000, 3, 1, 7, 300, Filter::kLanczos, "87f79e3936f0b748"},
};

std::string ShortDigest(const std::vector<uint8_t>& bytes) {
  std::string text;
  const Digest digest = DigestOf(bytes);
  for (size_t i = 0; i < 8; ++i) {
    char two[3];
    Format(two, sizeof two, "%02x", digest[i]);
    text += two;
  }
  return text;
}

TEST(Resize, MakesPillowsBytes) {
  for (const PillowResult& r : kPillow) {
    const TestPicture picture = FormulaPicture(r.width, r.height, r.kind);
    EXPECT_EQ(ShortDigest(Resized(picture, {r.to_width, r.to_height}, {.filter = r.filter})),
              r.digest)
        << r.width << "x" << r.height << " to " << r.to_width << "x" << r.to_height << " by filter "
        << static_cast<int>(r.filter);
  }
}

TEST(Resize, RowsMayBeReadInAnyPieces) {
  const TestPicture picture = FormulaPicture(61, 43, 0);
  for (const ImageSize to : {ImageSize{61, 43}, {61, 30}, {90, 43}, {20, 100}, {100, 9}}) {
    const auto one_by_one = Resized(picture, to, {.filter = Filter::kLanczos});
    for (const size_t at_once : {2, 7, 100}) {
      EXPECT_EQ(Resized(picture, to, {.filter = Filter::kLanczos}, at_once), one_by_one);
    }
  }
}

// One colour stays that colour, also where weights have few bits.
TEST(Resize, KeepsOneColour) {
  for (const uint8_t level : {0, 1, 127, 255}) {
    TestPicture picture = FormulaPicture(50, 40, 0);
    std::fill(picture.rgb.begin(), picture.rgb.end(), level);
    for (const WeightBits bits : {WeightBits::kPillow, WeightBits::kTorch}) {
      for (const Filter filter :
           {Filter::kBox, Filter::kBilinear, Filter::kBicubic, Filter::kLanczos}) {
        const auto resized = Resized(picture, {33, 71}, {.filter = filter, .bits = bits});
        EXPECT_EQ(resized, std::vector<uint8_t>(resized.size(), level));
      }
    }
  }
}

// The largest sides: sums of thousands of weights, and sizes of memory.
TEST(Resize, SidesGoUpToTheirLimit) {
  TestPicture wide = FormulaPicture(kMaxImageSide, 1, 1);
  const auto one = Resized(wide, {1, 1}, {.filter = Filter::kBox});
  size_t sum = 0;
  for (size_t i = 0; i < wide.rgb.size(); i += kChannels) sum += wide.rgb[i];
  // Weights are rounded to 22 bits, so their sum is not quite 1.
  EXPECT_NEAR(one[0], static_cast<double>(sum) / kMaxImageSide, 1);
  const auto long_again =
      Resized(TestPicture{1, 1, {9, 8, 7}}, {1, kMaxImageSide}, {.filter = Filter::kLanczos});
  EXPECT_EQ(long_again.back(), 7);
  constexpr ImageSize kLargest = {kMaxImageSide, kMaxImageSide};
  EXPECT_EQ(ResizedRows::Bytes(kLargest, kLargest, {}), 0u);
  EXPECT_GT(ResizedRows::Bytes({1, 1}, kLargest, {}), size_t{kMaxImageSide} * kChannels);
  EXPECT_GT(ResizedRows::Bytes(kLargest, {kMaxImageSide - 1, 1}, {}), size_t{1} << 31);
}

}  // namespace
}  // namespace rondo
