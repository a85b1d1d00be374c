// JPEG by libjpeg-turbo, to the bits that Pillow makes by it: its default transform and upsampling.
#include <cstddef>
#include <cstdio>  // jpeglib.h wants it before

#include <jerror.h>
#include <jpeglib.h>

#include <string_view>

#include "tools/common/pictures/decoders.h"
#include "tools/common/pictures/exif.h"
#include "tools/common/pictures/long_jump.h"

namespace rondo::tools {
namespace {

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr unsigned kLongestMarker = 0xffff;
// Every scan of a progressive picture walks over all of it, and may be a few bytes of the file.
constexpr int kMostScans = 500;

// Of what libjpeg warns of and goes on: all but what cameras and programs write, too, and what
// costs no pixel.
bool MeansDamage(int warning) {
  switch (warning) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL:
      return false;
    default:
      return true;
  }
}

class JpegReader {
 public:
  JpegReader() {
    jpeg_.err = jpeg_std_error(&errors_);
    jpeg_.client_data = this;
    errors_.error_exit = [](j_common_ptr jpeg) { Of(jpeg)->Leave(); };
    errors_.emit_message = [](j_common_ptr jpeg, int level) {
      if (level < 0 && MeansDamage(jpeg->err->msg_code)) Of(jpeg)->Leave();
    };
    progress_.progress_monitor = [](j_common_ptr jpeg) {
      if (Of(jpeg)->jpeg_.input_scan_number > kMostScans) Of(jpeg)->jump_.Leave("too many scans");
    };
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }

  void ReadHeader(std::span<const uint8_t> bytes) {
    jump_.Run([this, bytes] {
      jpeg_create_decompress(&jpeg_);
      jpeg_.progress = &progress_;
      jpeg_save_markers(&jpeg_, kExifMarker, kLongestMarker);
      jpeg_mem_src(&jpeg_, bytes.data(), static_cast<unsigned long>(bytes.size()));
      jpeg_read_header(&jpeg_, TRUE);
    });
  }

  uint32_t width() const { return jpeg_.image_width; }
  uint32_t height() const { return jpeg_.image_height; }

  // Before all is read: libjpeg forgets it then.
  std::span<const uint8_t> exif() const {
    for (const jpeg_marker_struct* marker = jpeg_.marker_list; marker; marker = marker->next) {
      const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (marker->marker == kExifMarker && data.starts_with("Exif")) {
        return {marker->data, marker->data_length};
      }
    }
    return {};
  }

  void Read(uint8_t* rgb) {
    const size_t row_bytes = size_t{width()} * 3;
    // Inks are not turned into light by libjpeg.
    std::vector<uint8_t> inks(jpeg_.num_components == 4 ? size_t{width()} * 4 : 0);
    jpeg_.out_color_space = inks.empty() ? JCS_RGB : JCS_CMYK;
    jump_.Run([&] {
      jpeg_start_decompress(&jpeg_);
      for (uint8_t* row = rgb; jpeg_.output_scanline < jpeg_.output_height; row += row_bytes) {
        JSAMPROW to = inks.empty() ? row : inks.data();
        jpeg_read_scanlines(&jpeg_, &to, 1);
        if (!inks.empty()) MixInks(inks.data(), row);
      }
      jpeg_finish_decompress(&jpeg_);
    });
  }

 private:
  static JpegReader* Of(j_common_ptr jpeg) { return static_cast<JpegReader*>(jpeg->client_data); }

  [[noreturn]] void Leave() {
    char text[JMSG_LENGTH_MAX];
    errors_.format_message(reinterpret_cast<j_common_ptr>(&jpeg_), text);
    jump_.Leave(text);
  }

  // Inks are written as what they leave of the paper, as Adobe does and everybody after it. Rounded
  // as by Pillow.
  void MixInks(const uint8_t* inks, uint8_t* rgb) const {
    for (size_t x = 0; x < width(); ++x) {
      const uint32_t black = inks[4 * x + 3];
      for (size_t c = 0; c < 3; ++c) {
        const uint32_t product = (255u - inks[4 * x + c]) * black + 128;
        const uint32_t taken = ((product >> 8) + product) >> 8;  // divided by 255
        rgb[3 * x + c] = static_cast<uint8_t>(black - taken);
      }
    }
  }

  jpeg_decompress_struct jpeg_ = {};
  jpeg_error_mgr errors_ = {};
  jpeg_progress_mgr progress_ = {};
  LongJump jump_;
};

}  // namespace

Picture DecodeJpeg(std::span<const uint8_t> bytes, const PictureLimits& limits) {
  JpegReader reader;
  reader.ReadHeader(bytes);
  Picture picture = BlankPicture(reader.width(), reader.height(), limits);
  OrientByExif(reader.exif(), &picture);
  reader.Read(picture.rgb.data());
  return picture;
}

}  // namespace rondo::tools
