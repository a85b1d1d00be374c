#include "tests/tools/common/pictures/encoders.h"

#include <cstdio>  // jpeglib.h wants it before

#include <jpeglib.h>
#include <png.h>
#include <webp/encode.h>

#include <algorithm>
#include <cstdlib>

#include "tests/runtime/media/pictures.h"

namespace rondo {
namespace {

constexpr uint32_t kWidth = 16, kHeight = 12;

std::vector<uint8_t> SmallPixels() { return FormulaPicture(kWidth, kHeight, 2).rgb; }

std::string SmallPngOf(bool interlaced) {
  const std::vector<uint8_t> rgb = SmallPixels();
  std::vector<std::vector<uint8_t>> rows;
  for (auto row = rgb.begin(); row != rgb.end(); row += 3 * kWidth) {
    rows.emplace_back(row, row + 3 * kWidth);
  }
  PngForm form;
  form.width = kWidth;
  form.height = kHeight;
  form.interlaced = interlaced;
  form.before = {{"eXIf", ExifBlock(6, false)}};
  return EncodePng(form, rows);
}

std::string LittleEndian(uint32_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
  return text;
}

// libjpeg ends the program where something is wrong: these pictures are right.
class JpegWriter {
 public:
  JpegWriter(uint32_t width, uint32_t height, int channels) {
    jpeg_.err = jpeg_std_error(&errors_);
    jpeg_create_compress(&jpeg_);
    jpeg_mem_dest(&jpeg_, &bytes_, &size_);
    jpeg_.image_width = width;
    jpeg_.image_height = height;
    jpeg_.input_components = channels;
    jpeg_.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg_);
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
  ~JpegWriter() {
    jpeg_destroy_compress(&jpeg_);
    std::free(bytes_);
  }

  jpeg_compress_struct* jpeg() { return &jpeg_; }

  std::string Write(const std::vector<uint8_t>& pixels, const std::string& exif) {
    jpeg_start_compress(&jpeg_, TRUE);
    if (!exif.empty()) {
      const std::string data = std::string("Exif\0\0", 6) + exif;
      jpeg_write_marker(&jpeg_, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(data.data()),
                        static_cast<unsigned>(data.size()));
    }
    const size_t row_bytes = pixels.size() / jpeg_.image_height;
    for (size_t y = 0; y < jpeg_.image_height; ++y) {
      auto* row = const_cast<JSAMPROW>(pixels.data() + y * row_bytes);
      jpeg_write_scanlines(&jpeg_, &row, 1);
    }
    jpeg_finish_compress(&jpeg_);
    return {reinterpret_cast<const char*>(bytes_), size_};
  }

 private:
  jpeg_compress_struct jpeg_ = {};
  jpeg_error_mgr errors_ = {};
  unsigned char* bytes_ = nullptr;
  unsigned long size_ = 0;
};

// libpng ends the program where something is wrong, too.
class PngWriter {
 public:
  explicit PngWriter(const PngForm& form) {
    png_set_write_fn(
        png_, &bytes_,
        [](png_structp png, png_bytep data, size_t size) {
          static_cast<std::string*>(png_get_io_ptr(png))
              ->append(reinterpret_cast<const char*>(data), size);
        },
        nullptr);
    png_set_IHDR(png_, info_, form.width, form.height, form.depth, static_cast<int>(form.colours),
                 form.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (!form.palette.empty()) {
      png_set_PLTE(png_, info_, reinterpret_cast<png_const_colorp>(form.palette.data()),
                   static_cast<int>(form.palette.size() / 3));
    }
    png_write_info(png_, info_);
    Write(form.before);
  }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }

  const std::string& bytes() const { return bytes_; }

  void Write(const std::vector<PngChunk>& chunks) {
    for (const PngChunk& chunk : chunks) {
      png_write_chunk(png_, reinterpret_cast<png_const_bytep>(chunk.name.data()),
                      reinterpret_cast<png_const_bytep>(chunk.data.data()), chunk.data.size());
    }
  }
  void WritePixels(std::vector<uint8_t*> rows) { png_write_image(png_, rows.data()); }
  void WriteEnd() { png_write_end(png_, nullptr); }

 private:
  std::string bytes_;
  png_structp png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info_ = png_create_info_struct(png_);
};

}  // namespace

std::string SmallJpeg() {
  return EncodeJpeg(kWidth, kHeight, SmallPixels(), false, ExifBlock(6, true));
}
std::string SmallProgressiveJpeg() {
  return EncodeJpeg(kWidth, kHeight, SmallPixels(), true, ExifBlock(6, true));
}
std::string SmallPng() { return SmallPngOf(false); }
std::string SmallInterlacedPng() { return SmallPngOf(true); }
std::string SmallWebp() {
  return EncodeWebp(kWidth, kHeight, SmallPixels(), 3, ExifBlock(6, true));
}

std::string EncodeJpeg(uint32_t width, uint32_t height, const std::vector<uint8_t>& rgb,
                       bool progressive, const std::string& exif) {
  JpegWriter writer(width, height, 3);
  if (progressive) jpeg_simple_progression(writer.jpeg());
  return writer.Write(rgb, exif);
}

std::string JpegOfScans(int n_scans) {
  JpegWriter writer(8, 8, 1);
  std::vector<jpeg_scan_info> scans;
  scans.push_back({1, {0}, 0, 0, 0, 0});
  for (int k = 1; k < 64; ++k) {  // each coefficient by its upper bits, then bit by bit
    for (int bit = 10; bit >= 0; --bit) {
      scans.push_back({1, {0}, k, k, bit == 10 ? 0 : bit + 1, bit});
    }
  }
  writer.jpeg()->scan_info = scans.data();
  writer.jpeg()->num_scans = n_scans;
  return writer.Write(std::vector<uint8_t>(64, 77), "");
}

std::string EncodePng(const PngForm& form, const std::vector<std::vector<uint8_t>>& rows) {
  PngWriter writer(form);
  std::vector<uint8_t*> pointers;
  for (const std::vector<uint8_t>& row : rows) {
    pointers.push_back(const_cast<uint8_t*>(row.data()));
  }
  writer.WritePixels(pointers);
  writer.Write(form.behind);
  writer.WriteEnd();
  return writer.bytes();
}

std::string PngHeader(const PngForm& form) { return PngWriter(form).bytes(); }

std::string EncodeWebp(uint32_t width, uint32_t height, const std::vector<uint8_t>& pixels,
                       uint32_t channels, const std::string& exif) {
  uint8_t* bytes = nullptr;
  const auto encode = channels == 4 ? WebPEncodeLosslessRGBA : WebPEncodeLosslessRGB;
  const size_t size = encode(pixels.data(), static_cast<int>(width), static_cast<int>(height),
                             static_cast<int>(width * channels), &bytes);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  WebPFree(bytes);
  if (exif.empty()) return file;
  const std::string odd(exif.size() % 2, '\0');
  const std::string body = "WEBPVP8X" + LittleEndian(10, 4) + LittleEndian(8, 4) +
                           LittleEndian(width - 1, 3) + LittleEndian(height - 1, 3) +
                           file.substr(12) + "EXIF" +
                           LittleEndian(static_cast<uint32_t>(exif.size()), 4) + exif + odd;
  return "RIFF" + LittleEndian(static_cast<uint32_t>(body.size()), 4) + body;
}

std::string ExifBlock(uint32_t orientation, bool little_endian) {
  const auto number = [&](uint32_t value, size_t bytes) {
    std::string text = LittleEndian(value, bytes);
    if (!little_endian) std::reverse(text.begin(), text.end());
    return text;
  };
  // The maker's name, in bytes of its own behind the entries, and the orientation.
  return (little_endian ? "II" : "MM") + number(42, 2) + number(8, 4) + number(2, 2) +
         number(0x010f, 2) + number(2, 2) + number(6, 4) + number(38, 4) +  //
         number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + number(0, 2) +
         number(0, 4) + "maker" + std::string(1, '\0');
}

}  // namespace rondo
