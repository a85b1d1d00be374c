// What hosts have becomes the same rows of RGB, however it lies in memory.
#include "runtime/media/image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "runtime/media/pixel_formats.h"

namespace rondo {
namespace {

// An image with planes of its own, whose strides are larger than its rows.
struct OwnImage {
  Image image;
  std::vector<uint8_t> planes[Image::kMaxPlanes];

  OwnImage(PixelFormat format, uint32_t width, uint32_t height) {
    image.format = format;
    image.width = width;
    image.height = height;
    uint32_t state = 1;
    for (size_t i = 0; i < PlaneCount(format); ++i) {
      const PlaneShape shape = ShapeOf(format, i, width, height);
      image.planes[i].stride = shape.row_bytes + 5 + i;
      planes[i].resize(image.planes[i].stride * (shape.rows - 1) + shape.row_bytes);
      for (uint8_t& byte : planes[i]) {
        byte = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
      }
      image.planes[i].bytes = planes[i].data();
    }
  }
  OwnImage(const OwnImage&) = delete;
  uint8_t at(size_t plane, size_t x, size_t y) const {
    return planes[plane][y * image.planes[plane].stride + x];
  }
};

std::vector<uint8_t> Rows(const Image& image, size_t at_once = 1) {
  const ImageSize size = UprightSize(image);
  std::vector<uint8_t> rgb(size_t{size.width} * size.height * kChannels);
  ImageRows rows(image);
  for (size_t y = 0; y < size.height; y += at_once) {
    rows.Read(std::min(at_once, size.height - y), rgb.data() + y * size.width * kChannels);
  }
  return rgb;
}

std::string Refusal(const Image& image) {
  const Status status = CheckImage(image);
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kInvalidArgument);
  return status.message();
}

TEST(Image, PackedPixelsBecomeRgb) {
  const OwnImage rgb(PixelFormat::kRgb8, 5, 3);
  const OwnImage rgba(PixelFormat::kRgba8, 5, 3);
  const OwnImage bgra(PixelFormat::kBgra8, 5, 3);
  const OwnImage gray(PixelFormat::kGray8, 5, 3);
  const auto of_rgb = Rows(rgb.image);
  const auto of_rgba = Rows(rgba.image);
  const auto of_bgra = Rows(bgra.image);
  const auto of_gray = Rows(gray.image);
  for (size_t y = 0; y < 3; ++y) {
    for (size_t x = 0; x < 5; ++x) {
      for (size_t c = 0; c < kChannels; ++c) {
        const size_t i = (y * 5 + x) * kChannels + c;
        EXPECT_EQ(of_rgb[i], rgb.at(0, x * 3 + c, y));
        EXPECT_EQ(of_rgba[i], rgba.at(0, x * 4 + c, y));
        EXPECT_EQ(of_bgra[i], bgra.at(0, x * 4 + 2 - c, y));
        EXPECT_EQ(of_gray[i], gray.at(0, x, y));
      }
    }
  }
}

// As the standards have it, in floating point.
void ExpectRgbOf(double y, double u, double v, YuvRange range, YuvMatrix matrix,
                 const uint8_t* rgb) {
  const bool full = range == YuvRange::kFull;
  const double red = matrix == YuvMatrix::kBt601 ? 0.299 : 0.2126;
  const double blue = matrix == YuvMatrix::kBt601 ? 0.114 : 0.0722;
  const double luma = full ? y : (y - 16) * 255 / 219;
  const double pb = (u - 128) * (full ? 1 : 255.0 / 224);
  const double pr = (v - 128) * (full ? 1 : 255.0 / 224);
  const double r = luma + 2 * (1 - red) * pr;
  const double b = luma + 2 * (1 - blue) * pb;
  const double g = (luma - red * r - blue * b) / (1 - red - blue);
  const auto near = [](double exact, uint8_t pixel) {  // halves may go either way
    return std::abs(std::clamp(exact, 0.0, 255.0) - pixel) <= 0.51;
  };
  ASSERT_TRUE(near(r, rgb[0]) && near(g, rgb[1]) && near(b, rgb[2]))
      << y << " " << u << " " << v << ": " << r << " " << g << " " << b << ", but " << int{rgb[0]}
      << " " << int{rgb[1]} << " " << int{rgb[2]};
}

TEST(Image, YuvIsWhatTheStandardsSay) {
  for (const YuvRange range : {YuvRange::kVideo, YuvRange::kFull}) {
    for (const YuvMatrix matrix : {YuvMatrix::kBt601, YuvMatrix::kBt709}) {
      for (int u = 0; u < 256; u += 3) {
        for (int v = 0; v < 256; v += 3) {
          std::vector<uint8_t> luma(256);
          for (size_t y = 0; y < 256; ++y) luma[y] = static_cast<uint8_t>(y);
          const std::vector<uint8_t> us(128, static_cast<uint8_t>(u));
          const std::vector<uint8_t> vs(128, static_cast<uint8_t>(v));
          Image image = {.format = PixelFormat::kI420, .width = 256, .height = 1};
          image.planes[0] = {luma.data(), 256};
          image.planes[1] = {us.data(), 128};
          image.planes[2] = {vs.data(), 128};
          image.range = range;
          image.matrix = matrix;
          const auto rgb = Rows(image);
          for (size_t y = 0; y < 256; ++y) {
            ExpectRgbOf(static_cast<double>(y), u, v, range, matrix, &rgb[y * kChannels]);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Image, PairsOfPixelsShareTheirColour) {
  for (const PixelFormat format : {PixelFormat::kNv12, PixelFormat::kNv21, PixelFormat::kI420}) {
    const OwnImage own(format, 7, 5);  // the last pair of a row is one pixel
    ASSERT_EQ(Refusal(own.image), "");
    const auto rgb = Rows(own.image);
    for (size_t y = 0; y < 5; ++y) {
      for (size_t x = 0; x < 7; ++x) {
        const size_t px = x / 2;
        const size_t py = y / 2;
        uint8_t u = 0;
        uint8_t v = 0;
        if (format == PixelFormat::kI420) {
          u = own.at(1, px, py);
          v = own.at(2, px, py);
        } else {
          u = own.at(1, px * 2 + (format == PixelFormat::kNv21 ? 1 : 0), py);
          v = own.at(1, px * 2 + (format == PixelFormat::kNv12 ? 1 : 0), py);
        }
        ExpectRgbOf(own.at(0, x, y), u, v, YuvRange::kVideo, YuvMatrix::kBt601,
                    &rgb[(y * 7 + x) * kChannels]);
      }
    }
  }
}

TEST(Image, IsTurnedAndMirrored) {
  for (const PixelFormat format : {PixelFormat::kRgb8, PixelFormat::kNv12}) {
    for (const auto& [width, height] : {std::pair{37U, 5U}, {6U, 41U}, {1U, 1U}}) {
      OwnImage own(format, width, height);
      const auto lying = Rows(own.image);
      for (const uint32_t rotation : {0U, 90U, 180U, 270U}) {
        for (const bool mirror : {false, true}) {
          own.image.rotation = rotation;
          own.image.mirror = mirror;
          const ImageSize size = UprightSize(own.image);
          std::vector<uint8_t> expected(lying.size());
          for (size_t y = 0; y < height; ++y) {
            for (size_t x = 0; x < width; ++x) {
              size_t to_x = rotation == 0     ? x
                            : rotation == 90  ? height - 1 - y
                            : rotation == 180 ? width - 1 - x
                                              : y;
              const size_t to_y = rotation == 0     ? y
                                  : rotation == 90  ? x
                                  : rotation == 180 ? height - 1 - y
                                                    : width - 1 - x;
              if (mirror) to_x = size.width - 1 - to_x;
              std::copy_n(&lying[(y * width + x) * kChannels], kChannels,
                          &expected[(to_y * size.width + to_x) * kChannels]);
            }
          }
          EXPECT_EQ(Rows(own.image), expected) << rotation << mirror;
          EXPECT_EQ(Rows(own.image, 19), expected) << rotation << mirror;
        }
      }
    }
  }
}

TEST(Image, WhatIsWrongIsSaidWithNumbers) {
  const OwnImage own(PixelFormat::kI420, 7, 5);
  EXPECT_EQ(Refusal(own.image), "");
  Image image = own.image;
  image.width = 0;
  EXPECT_EQ(Refusal(image), "the image is 0 x 5 pixels; sides may be 1 to 65535");
  image.width = 7;
  image.height = 1u << 31;
  EXPECT_EQ(Refusal(image), "the image is 7 x 2147483648 pixels; sides may be 1 to 65535");
  image = own.image;
  image.planes[1].stride = 3;
  EXPECT_EQ(Refusal(image), "plane 1 of the image has a stride of 3 bytes, and its rows have 4");
  image = own.image;
  image.planes[2].bytes = nullptr;
  EXPECT_EQ(Refusal(image), "plane 2 of the image is missing");
  image = own.image;
  image.planes[0].stride = SIZE_MAX / 2;
  EXPECT_EQ(Refusal(image), "plane 0 of the image is larger than memory: 5 rows of " +
                                std::to_string(SIZE_MAX / 2) + " bytes");
  image = own.image;
  image.rotation = 45;
  EXPECT_EQ(Refusal(image), "an image can be turned by 0, 90, 180 or 270 degrees, not by 45");
  image.rotation = 360;
  EXPECT_NE(Refusal(image), "");
  image = own.image;
  image.format = static_cast<PixelFormat>(7);
  EXPECT_EQ(Refusal(image), "7 is no format of pixels");
  image = own.image;
  image.range = static_cast<YuvRange>(-1);
  EXPECT_EQ(Refusal(image), "-1 is no range of YUV");
  image = own.image;
  image.matrix = static_cast<YuvMatrix>(2);
  EXPECT_EQ(Refusal(image), "2 is no matrix of YUV");
}

TEST(Image, EqualPicturesHaveEqualDigests) {
  const OwnImage own(PixelFormat::kNv12, 18, 10);
  std::vector<uint8_t> row(size_t{18} * kChannels);
  const Digest digest = DigestOfImage(own.image, row);
  std::vector<uint8_t> rgb = Rows(own.image);
  Image same = {.format = PixelFormat::kRgb8, .width = 18, .height = 10};
  same.planes[0] = {rgb.data(), size_t{18} * kChannels};
  EXPECT_EQ(DigestOfImage(same, row), digest);
  Image other = same;  // the same bytes in other rows
  other.width = 9;
  other.height = 20;
  other.planes[0].stride = size_t{9} * kChannels;
  EXPECT_NE(DigestOfImage(other, row), digest);
  Image turned = same;
  turned.mirror = true;
  EXPECT_NE(DigestOfImage(turned, row), digest);
  rgb.back() ^= 1;
  EXPECT_NE(DigestOfImage(same, row), digest);
}

}  // namespace
}  // namespace rondo
