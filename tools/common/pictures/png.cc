// PNG by libpng: without alpha, of 16 bits the upper 8, whatever it says of gamma and profiles. So
// does Pillow, but for grey of 16 bits: what is above 255 of 65,535 it makes white.
#include <png.h>

#include <cstring>

#include "tools/common/error.h"
#include "tools/common/pictures/decoders.h"
#include "tools/common/pictures/exif.h"
#include "tools/common/pictures/long_jump.h"

namespace rondo::tools {
namespace {

// What the file's chunk eXIf holds; empty where it has none. libpng would take memory for as much
// as it says that it holds.
std::span<const uint8_t> ExifOfPng(std::span<const uint8_t> bytes) {
  constexpr size_t kSignatureBytes = 8;
  constexpr size_t kAroundBytes = 12;  // bytes, name; behind them a checksum
  auto rest = bytes.subspan(kSignatureBytes);
  while (rest.size() > kAroundBytes) {
    const uint32_t size = png_get_uint_32(rest.data());
    if (size > rest.size() - kAroundBytes) break;
    if (std::memcmp(rest.data() + 4, "eXIf", 4) == 0) return rest.subspan(8, size);
    rest = rest.subspan(kAroundBytes + size);
  }
  return {};
}

class PngReader {
 public:
  explicit PngReader(std::span<const uint8_t> bytes)
      : rest_(bytes),
        png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &Stop, &Ignore)),
        info_(png_ == nullptr ? nullptr : png_create_info_struct(png_)) {}
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  void ReadHeader() {
    if (info_ == nullptr) Fail("libpng has no memory");
    jump_.Run([this] {
      png_set_read_fn(png_, this, &Take);
      png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // ours come behind
      png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
      // What need not be there is passed over, which takes no memory.
      png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
      png_read_info(png_, info_);
    });
  }

  uint32_t width() const { return png_get_image_width(png_, info_); }
  uint32_t height() const { return png_get_image_height(png_, info_); }

  void Read(uint8_t* rgb) {
    const size_t row_bytes = size_t{width()} * 3;
    jump_.Run([&] {
      png_set_expand(png_);
      png_set_strip_16(png_);
      png_set_strip_alpha(png_);
      png_set_gray_to_rgb(png_);
      const int n_passes = png_set_interlace_handling(png_);
      png_read_update_info(png_, info_);
      if (png_get_rowbytes(png_, info_) != row_bytes) png_error(png_, "it does not become RGB");
      for (int pass = 0; pass < n_passes; ++pass) {
        for (size_t y = 0; y < height(); ++y) png_read_row(png_, rgb + y * row_bytes, nullptr);
      }
      png_read_end(png_, nullptr);
    });
  }

 private:
  [[noreturn]] static void Stop(png_structp png, png_const_charp reason) {
    static_cast<PngReader*>(png_get_error_ptr(png))->jump_.Leave(reason);
  }

  // What libpng warns of harms no pixel.
  static void Ignore(png_structp, png_const_charp) {}

  static void Take(png_structp png, png_bytep to, size_t count) {
    auto& rest = static_cast<PngReader*>(png_get_io_ptr(png))->rest_;
    if (count > rest.size()) png_error(png, "the file ends too early");
    std::memcpy(to, rest.data(), count);
    rest = rest.subspan(count);
  }

  std::span<const uint8_t> rest_;
  LongJump jump_;
  png_structp png_;
  png_infop info_;
};

}  // namespace

Picture DecodePng(std::span<const uint8_t> bytes, const PictureLimits& limits) {
  PngReader reader(bytes);
  reader.ReadHeader();
  Picture picture = BlankPicture(reader.width(), reader.height(), limits);
  reader.Read(picture.rgb.data());
  OrientByExif(ExifOfPng(bytes), &picture);
  return picture;
}

}  // namespace rondo::tools
