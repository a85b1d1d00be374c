// PNGs of every kind.
#include <gtest/gtest.h>

#include <cctype>

#include "tests/tools/common/pictures/decoded.h"
#include "tests/tools/common/pictures/encoders.h"
#include "tests/tools/error_of.h"

namespace rondo {
namespace {

size_t ChannelsOf(PngColours colours) {
  switch (colours) {
    case PngColours::kRgb:
      return 3;
    case PngColours::kGreyAlpha:
      return 2;
    case PngColours::kRgba:
      return 4;
    default:
      return 1;
  }
}

uint32_t SampleAt(size_t x, size_t y, size_t c, int depth) {
  return static_cast<uint32_t>(x * 40503 + y * 30011 + c * 20011 + 7 * x * y) & ((1u << depth) - 1);
}

// Packed, the first sample in the upper bits.
std::vector<std::vector<uint8_t>> PackedRows(const PngForm& form) {
  const size_t n_samples = form.width * ChannelsOf(form.colours);
  std::vector<std::vector<uint8_t>> rows;
  for (size_t y = 0; y < form.height; ++y) {
    std::vector<uint8_t> row((n_samples * form.depth + 7) / 8);
    for (size_t i = 0; i < n_samples; ++i) {
      const size_t channels = ChannelsOf(form.colours);
      const uint32_t sample = SampleAt(i / channels, y, i % channels, form.depth);
      const size_t bit = i * form.depth;
      if (form.depth == 16) {
        row[bit / 8] = static_cast<uint8_t>(sample >> 8);
        row[bit / 8 + 1] = static_cast<uint8_t>(sample);
      } else {
        row[bit / 8] |= static_cast<uint8_t>(sample << (8 - form.depth - bit % 8));
      }
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<uint8_t> ExpectedRgb(const PngForm& form) {
  const auto as_byte = [&](uint32_t sample) {
    return static_cast<uint8_t>(form.depth == 16 ? sample >> 8
                                                 : sample * 255 / ((1u << form.depth) - 1));
  };
  const bool is_grey = ChannelsOf(form.colours) < 3;
  std::vector<uint8_t> rgb;
  for (size_t y = 0; y < form.height; ++y) {
    for (size_t x = 0; x < form.width; ++x) {
      for (size_t c = 0; c < 3; ++c) {
        const uint32_t sample = SampleAt(x, y, is_grey ? 0 : c, form.depth);
        rgb.push_back(form.colours == PngColours::kPalette
                          ? static_cast<uint8_t>(form.palette[3 * sample + c])
                          : as_byte(sample));
      }
    }
  }
  return rgb;
}

std::string EncodedPng(const PngForm& form) { return EncodePng(form, PackedRows(form)); }

std::vector<PngForm> AllForms() {
  std::vector<PngForm> forms;
  for (const auto& [colours, depths] : {std::pair{PngColours::kGrey, std::vector{1, 2, 4, 8, 16}},
                                        {PngColours::kRgb, {8, 16}},
                                        {PngColours::kPalette, {1, 2, 4, 8}},
                                        {PngColours::kGreyAlpha, {8, 16}},
                                        {PngColours::kRgba, {8, 16}}}) {
    for (const int depth : depths) {
      PngForm form;
      form.colours = colours;
      form.depth = depth;
      for (int i = 0; colours == PngColours::kPalette && i < 3 << depth; ++i) {
        form.palette += static_cast<char>(37 * i + 11);
      }
      forms.push_back(form);
    }
  }
  return forms;
}

TEST(Png, EveryColourTypeAndDepth) {
  const std::vector<PngForm> forms = AllForms();
  EXPECT_EQ(forms.size(), 15u);  // all that there are
  for (PngForm form : forms) {
    for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {19, 11}}) {
      for (const bool interlaced : {false, true}) {
        form.width = static_cast<uint32_t>(width);
        form.height = static_cast<uint32_t>(height);
        form.interlaced = interlaced;
        SCOPED_TRACE(testing::Message()
                     << "colour type " << static_cast<int>(form.colours) << ", depth " << form.depth
                     << ", " << width << " x " << height << (interlaced ? ", interlaced" : ""));
        const tools::Picture picture = Decoded(EncodedPng(form));
        EXPECT_EQ(picture.width, form.width);
        EXPECT_EQ(picture.height, form.height);
        EXPECT_EQ(picture.rotation, 0u);
        EXPECT_EQ(picture.rgb, ExpectedRgb(form));
      }
    }
  }
}

// Neither what is transparent, nor what the colours mean.
TEST(Png, OtherChunksChangeNoPixel) {
  for (PngForm form : AllForms()) {
    form.width = form.height = 9;
    const std::string sample = {'\0', static_cast<char>(SampleAt(1, 1, 0, form.depth))};
    std::string samples;
    for (size_t c = 0; c < ChannelsOf(form.colours); ++c) samples += sample;
    if (form.colours == PngColours::kGrey) form.before = {{"tRNS", samples}};
    if (form.colours == PngColours::kRgb) form.before = {{"tRNS", samples}};
    if (form.colours == PngColours::kPalette) form.before = {{"tRNS", std::string("\0\x80", 2)}};
    form.before.push_back({"biGG", std::string(100000, 'x')});
    form.behind = {{"tEXt", std::string("a\0b", 3)}};
    EXPECT_EQ(Decoded(EncodedPng(form)).rgb, ExpectedRgb(form))
        << static_cast<int>(form.colours) << ' ' << form.depth;
    if (form.colours == PngColours::kPalette) continue;  // these would stand behind it
    form.before = {{"gAMA", std::string("\0\x1\x86\xa0", 4)}, {"sBIT", std::string(4, '\1')}};
    EXPECT_EQ(Decoded(EncodedPng(form)).rgb, ExpectedRgb(form));
  }
}

TEST(Png, OrientationIsExifsWhereverItStands) {
  for (const bool little_endian : {false, true}) {
    PngForm form;
    form.before = {{"eXIf", ExifBlock(5, little_endian)}};
    EXPECT_EQ(Decoded(EncodedPng(form)).rotation, 90u);
    EXPECT_TRUE(Decoded(EncodedPng(form)).mirror);
    std::swap(form.before, form.behind);
    EXPECT_EQ(Decoded(EncodedPng(form)).rotation, 90u);
  }
}

TEST(Png, WrongChecksumsAreSeen) {
  const std::string whole = SmallPng();
  for (const char* chunk : {"IHDR", "eXIf", "IDAT"}) {
    std::string damaged = whole;
    damaged[damaged.find(chunk) + 12] ^= 1;
    EXPECT_NE(SentenceOf([&] { Decoded(damaged); }), "") << chunk;
  }
}

}  // namespace
}  // namespace rondo
