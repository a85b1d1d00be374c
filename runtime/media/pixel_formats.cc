#include "runtime/media/pixel_formats.h"

#include <algorithm>
#include <cstring>

namespace rondo {
namespace {

// RGB of YUV, in 16 bits behind the point.
struct YuvFactors {
  int32_t black;  // the least Y
  int32_t y;
  int32_t red_of_v;
  int32_t green_of_u;
  int32_t green_of_v;
  int32_t blue_of_u;
};

constexpr int kFractionBits = 16;

constexpr int32_t Fixed(double x) {
  return static_cast<int32_t>(x * (1 << kFractionBits) + (x < 0 ? -0.5 : 0.5));
}

// `red` and `blue`: their shares of Y.
constexpr YuvFactors FactorsOf(double red, double blue, YuvRange range) {
  const double green = 1 - red - blue;
  const bool full = range == YuvRange::kFull;
  const double y = full ? 1.0 : 255.0 / 219.0;
  const double c = full ? 1.0 : 255.0 / 224.0;
  return {.black = full ? 0 : 16,
          .y = Fixed(y),
          .red_of_v = Fixed(2 * (1 - red) * c),
          .green_of_u = Fixed(-2 * (1 - blue) * blue / green * c),
          .green_of_v = Fixed(-2 * (1 - red) * red / green * c),
          .blue_of_u = Fixed(2 * (1 - blue) * c)};
}

constexpr YuvFactors kFactors[2][2] = {
    {FactorsOf(0.299, 0.114, YuvRange::kVideo), FactorsOf(0.299, 0.114, YuvRange::kFull)},
    {FactorsOf(0.2126, 0.0722, YuvRange::kVideo), FactorsOf(0.2126, 0.0722, YuvRange::kFull)}};

uint8_t Clipped(int32_t fixed) {
  return static_cast<uint8_t>(std::clamp(fixed >> kFractionBits, 0, 255));
}

// `u` and `v`: of pixel x's pair, `step` bytes from one pair to the next.
void ReadYuv(const YuvFactors& f, const uint8_t* y, const uint8_t* u, const uint8_t* v, size_t step,
             size_t x, size_t count, uint8_t* rgb) {
  for (size_t i = 0; i < count; ++i) {
    const size_t pair = (x + i) / 2 * step;
    const int32_t luma = (y[x + i] - f.black) * f.y + (1 << (kFractionBits - 1));
    const int32_t blue_less = u[pair] - 128;
    const int32_t red_less = v[pair] - 128;
    rgb[i * kChannels] = Clipped(luma + f.red_of_v * red_less);
    rgb[i * kChannels + 1] = Clipped(luma + f.green_of_u * blue_less + f.green_of_v * red_less);
    rgb[i * kChannels + 2] = Clipped(luma + f.blue_of_u * blue_less);
  }
}

// Red, green and blue are these bytes of the `Bytes` of a pixel.
template <size_t kBytes, size_t kRed, size_t kGreen, size_t kBlue>
void ReadPacked(const uint8_t* pixels, size_t count, uint8_t* rgb) {
  for (size_t i = 0; i < count; ++i) {
    rgb[i * kChannels] = pixels[i * kBytes + kRed];
    rgb[i * kChannels + 1] = pixels[i * kBytes + kGreen];
    rgb[i * kChannels + 2] = pixels[i * kBytes + kBlue];
  }
}

}  // namespace

size_t PlaneCount(PixelFormat format) {
  switch (format) {
    case PixelFormat::kRgb8:
    case PixelFormat::kRgba8:
    case PixelFormat::kBgra8:
    case PixelFormat::kGray8:
      return 1;
    case PixelFormat::kNv12:
    case PixelFormat::kNv21:
      return 2;
    case PixelFormat::kI420:
      return 3;
  }
  return 0;
}

PlaneShape ShapeOf(PixelFormat format, size_t plane, uint32_t width, uint32_t height) {
  const size_t w = width;
  const size_t h = height;
  switch (format) {
    case PixelFormat::kRgb8:
      return {w * 3, h};
    case PixelFormat::kRgba8:
    case PixelFormat::kBgra8:
      return {w * 4, h};
    case PixelFormat::kGray8:
      return {w, h};
    case PixelFormat::kNv12:
    case PixelFormat::kNv21:
      return plane == 0 ? PlaneShape{w, h} : PlaneShape{(w + 1) / 2 * 2, (h + 1) / 2};
    case PixelFormat::kI420:
      return plane == 0 ? PlaneShape{w, h} : PlaneShape{(w + 1) / 2, (h + 1) / 2};
  }
  return {0, 0};
}

void ReadPixels(const Image& image, size_t x, size_t y, size_t count, uint8_t* rgb) {
  const auto row = [&](size_t plane, size_t at) {
    return image.planes[plane].bytes + at * image.planes[plane].stride;
  };
  const YuvFactors& factors =
      kFactors[static_cast<size_t>(image.matrix)][static_cast<size_t>(image.range)];
  const uint8_t* first = row(0, y);
  switch (image.format) {
    case PixelFormat::kRgb8:
      std::memcpy(rgb, first + x * kChannels, count * kChannels);
      return;
    case PixelFormat::kRgba8:
      return ReadPacked<4, 0, 1, 2>(first + x * 4, count, rgb);
    case PixelFormat::kBgra8:
      return ReadPacked<4, 2, 1, 0>(first + x * 4, count, rgb);
    case PixelFormat::kGray8:
      return ReadPacked<1, 0, 0, 0>(first + x, count, rgb);
    case PixelFormat::kNv12:
      return ReadYuv(factors, first, row(1, y / 2), row(1, y / 2) + 1, 2, x, count, rgb);
    case PixelFormat::kNv21:
      return ReadYuv(factors, first, row(1, y / 2) + 1, row(1, y / 2), 2, x, count, rgb);
    case PixelFormat::kI420:
      return ReadYuv(factors, first, row(1, y / 2), row(2, y / 2), 1, x, count, rgb);
  }
}

}  // namespace rondo
