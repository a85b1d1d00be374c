// Picture files in memory, made by the formats' own libraries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo {

// A little file of each: 16 x 12, with Exif's orientation 6.
std::string SmallJpeg();
std::string SmallProgressiveJpeg();
std::string SmallPng();
std::string SmallInterlacedPng();
std::string SmallWebp();

// `rgb` has so many bytes as that takes. Empty `exif`: none.
std::string EncodeJpeg(uint32_t width, uint32_t height, const std::vector<uint8_t>& rgb,
                       bool progressive, const std::string& exif);
// Of one grey block, in so many scans: at most 694.
std::string JpegOfScans(int n_scans);

// As PNG has them.
enum class PngColours : int { kGrey = 0, kRgb = 2, kPalette = 3, kGreyAlpha = 4, kRgba = 6 };

struct PngChunk {
  std::string name, data;
};

struct PngForm {
  uint32_t width = 1;
  uint32_t height = 1;
  PngColours colours = PngColours::kRgb;
  int depth = 8;
  bool interlaced = false;
  std::string palette;                   // three bytes each
  std::vector<PngChunk> before, behind;  // the pixels
};

// `rows`: packed, as PNG has them.
std::string EncodePng(const PngForm& form, const std::vector<std::vector<uint8_t>>& rows);
// What it begins with, up to its pixels.
std::string PngHeader(const PngForm& form);

// Lossless; `exif` as above. `channels`: 3, or 4 with alpha.
std::string EncodeWebp(uint32_t width, uint32_t height, const std::vector<uint8_t>& pixels,
                       uint32_t channels, const std::string& exif);

// A block of Exif without what a JPEG puts before it.
std::string ExifBlock(uint32_t orientation, bool little_endian);

}  // namespace rondo
