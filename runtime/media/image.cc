#include "runtime/media/image.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/media/pixel_formats.h"

namespace rondo {
namespace {

bool Standing(const Image& image) { return image.rotation % 180 != 0; }

void WriteLittleEndian(uint32_t value, uint8_t* bytes) {
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<uint8_t>(value >> (8 * i));
}

void CopyPixel(const uint8_t* from, uint8_t* to) { std::memcpy(to, from, kChannels); }

Status CheckPlane(const Image& image, size_t plane) {
  const PlaneShape shape = ShapeOf(image.format, plane, image.width, image.height);
  const Image::Plane& given = image.planes[plane];
  if (given.bytes == nullptr) {
    return Status::Error(StatusCode::kInvalidArgument, "plane %zu of the image is missing", plane);
  }
  if (given.stride < shape.row_bytes) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "plane %zu of the image has a stride of %zu bytes, and its rows have %zu",
                         plane, given.stride, shape.row_bytes);
  }
  const CheckedSize end = CheckedSize(given.stride) * (shape.rows - 1) + shape.row_bytes;
  if (!end.valid() || end.value() > SIZE_MAX - reinterpret_cast<uintptr_t>(given.bytes)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "plane %zu of the image is larger than memory: %zu rows of %zu bytes",
                         plane, shape.rows, given.stride);
  }
  return Status();
}

}  // namespace

Status CheckImage(const Image& image) {
  const size_t planes = PlaneCount(image.format);
  if (planes == 0) {
    return Status::Error(StatusCode::kInvalidArgument, "%d is no format of pixels",
                         static_cast<int>(image.format));
  }
  if (image.width - 1 >= kMaxImageSide || image.height - 1 >= kMaxImageSide) {  // 0, too
    return Status::Error(StatusCode::kInvalidArgument,
                         "the image is %u x %u pixels; sides may be 1 to %u", image.width,
                         image.height, kMaxImageSide);
  }
  if (image.rotation >= 360 || image.rotation % 90 != 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "an image can be turned by 0, 90, 180 or 270 degrees, not by %u",
                         image.rotation);
  }
  if (image.range != YuvRange::kVideo && image.range != YuvRange::kFull) {
    return Status::Error(StatusCode::kInvalidArgument, "%d is no range of YUV",
                         static_cast<int>(image.range));
  }
  if (image.matrix != YuvMatrix::kBt601 && image.matrix != YuvMatrix::kBt709) {
    return Status::Error(StatusCode::kInvalidArgument, "%d is no matrix of YUV",
                         static_cast<int>(image.matrix));
  }
  for (size_t plane = 0; plane < planes; ++plane) {
    RONDO_RETURN_IF_ERROR(CheckPlane(image, plane));
  }
  return Status();
}

ImageSize UprightSize(const Image& image) {
  return Standing(image) ? ImageSize{image.height, image.width}
                         : ImageSize{image.width, image.height};
}

void ImageRows::Read(size_t count, uint8_t* rgb) {
  const size_t row_bytes = size_t{UprightSize(image_).width} * kChannels;
  if (Standing(image_)) return ReadStanding(count, rgb);
  for (size_t i = 0; i < count; ++i) ReadLying(rgb + i * row_bytes);
}

// A row of the upright image is one of the planes', perhaps from right to left.
void ImageRows::ReadLying(uint8_t* rgb) {
  const bool upside_down = image_.rotation == 180;
  const size_t y = upside_down ? image_.height - 1 - next_ : next_;
  ++next_;
  ReadPixels(image_, 0, y, image_.width, rgb);
  if (upside_down == image_.mirror) return;
  for (size_t left = 0, right = image_.width - 1; left < right; ++left, --right) {
    std::swap_ranges(rgb + left * kChannels, rgb + (left + 1) * kChannels, rgb + right * kChannels);
  }
}

// A row of the upright image is a column of the planes. Several are read side by side, so that a
// line of the cache serves all of them.
void ImageRows::ReadStanding(size_t count, uint8_t* rgb) {
  constexpr size_t kColumns = 16;
  const bool clockwise = image_.rotation == 90;
  const size_t row_bytes = size_t{image_.height} * kChannels;
  uint8_t pixels[kColumns * kChannels];
  for (size_t done = 0; done < count;) {
    const size_t columns = std::min(kColumns, count - done);
    const size_t x = clockwise ? next_ : image_.width - next_ - columns;
    for (size_t y = 0; y < image_.height; ++y) {
      ReadPixels(image_, x, y, columns, pixels);
      const size_t at = clockwise == image_.mirror ? y : image_.height - 1 - y;
      for (size_t i = 0; i < columns; ++i) {
        const size_t row = done + (clockwise ? i : columns - 1 - i);
        CopyPixel(pixels + i * kChannels, rgb + row * row_bytes + at * kChannels);
      }
    }
    next_ += static_cast<uint32_t>(columns);
    done += columns;
  }
}

Digest DigestOfImage(const Image& image, std::span<uint8_t> row) {
  const ImageSize size = UprightSize(image);
  uint8_t sides[8];
  WriteLittleEndian(size.width, sides);
  WriteLittleEndian(size.height, sides + 4);
  Digester digester;
  digester.Add(sides);
  ImageRows rows(image);
  for (uint32_t y = 0; y < size.height; ++y) {
    rows.Read(1, row.data());
    digester.Add(row.first(size_t{size.width} * kChannels));
  }
  return digester.Finish();
}

}  // namespace rondo
