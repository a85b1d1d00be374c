// Image: a picture or camera frame as a host has it, read as rows of RGB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/digest.h"
#include "runtime/base/status.h"
#include "runtime/media/row_source.h"

namespace rondo {

inline constexpr uint32_t kMaxImageSide = 65535;

enum class PixelFormat : int32_t {
  kRgb8,
  kRgba8,  // alpha is dropped, not blended, as image processors do
  kBgra8,
  kGray8,
  kNv12,  // Y; U and V in turn, for 2x2 pixels each
  kNv21,  // Y; V and U in turn
  kI420,  // Y; U; V
};
enum class YuvRange : int32_t { kVideo, kFull };  // Y from 16 to 235, or from 0 to 255
enum class YuvMatrix : int32_t { kBt601, kBt709 };

struct Image {
  static constexpr size_t kMaxPlanes = 3;

  struct Plane {
    const uint8_t* bytes = nullptr;
    size_t stride = 0;  // bytes from a row to the next
  };

  PixelFormat format = PixelFormat::kRgb8;
  uint32_t width = 0;  // of the planes, before the image is turned
  uint32_t height = 0;
  Plane planes[kMaxPlanes] = {};
  uint32_t rotation = 0;  // degrees by which it is turned clockwise to be upright
  bool mirror = false;    // then left and right change places
  YuvRange range = YuvRange::kVideo;
  YuvMatrix matrix = YuvMatrix::kBt601;
};

// What is wrong with it, with the numbers. Error: kInvalidArgument.
Status CheckImage(const Image& image);

// Turned and mirrored.
ImageSize UprightSize(const Image& image);

// The rows of the upright image, top to bottom. `image` has passed CheckImage and outlives this.
class ImageRows final : public RowSource {
 public:
  explicit ImageRows(const Image& image) : image_(image) {}
  void Read(size_t count, uint8_t* rgb) override;

 private:
  void ReadLying(uint8_t* rgb);
  void ReadStanding(size_t count, uint8_t* rgb);

  const Image& image_;
  uint32_t next_ = 0;
};

// Equal for equal upright pictures, whatever their format was. `row`: room for one, of upright
// width.
Digest DigestOfImage(const Image& image, std::span<uint8_t> row);

}  // namespace rondo
