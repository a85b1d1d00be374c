#include "tools/common/pictures/exif.h"

#include <iterator>
#include <string_view>

namespace rondo::tools {
namespace {

using std::string_view_literals::operator""sv;

constexpr uint64_t kOrientation = 0x0112;
constexpr uint64_t kEntryBytes = 12;  // tag, type, count, value

// Numbers of a TIFF file, which an Exif block is, in its order of bytes.
class TiffNumbers {
 public:
  TiffNumbers(std::string_view bytes, bool little_endian)
      : bytes_(bytes), little_endian_(little_endian) {}

  // Behind the end are zeros.
  uint64_t At(uint64_t offset, uint64_t size) const {
    uint64_t number = 0;
    for (uint64_t i = 0; i < size; ++i) {
      const uint64_t at = offset + (little_endian_ ? size - 1 - i : i);
      number = number << 8 | (at < bytes_.size() ? static_cast<uint8_t>(bytes_[at]) : 0u);
    }
    return number;
  }

 private:
  std::string_view bytes_;
  bool little_endian_;
};

// 1 to 8: in which corner the first row and the first column lie. 0 where it is not told.
uint64_t Orientation(std::string_view tiff) {
  const bool little_endian = tiff.starts_with("II*\0"sv);
  if (!little_endian && !tiff.starts_with("MM\0*"sv)) return 0;
  const TiffNumbers numbers(tiff, little_endian);
  const uint64_t directory = numbers.At(4, 4);
  const uint64_t n_entries = numbers.At(directory, 2);
  for (uint64_t i = 0; i < n_entries; ++i) {
    const uint64_t entry = directory + 2 + i * kEntryBytes;
    if (numbers.At(entry, 2) != kOrientation) continue;
    if (numbers.At(entry + 4, 4) != 1) return 0;
    switch (numbers.At(entry + 2, 2)) {
      case 1:  // a byte
        return numbers.At(entry + 8, 1);
      case 3:  // two, as it should be
        return numbers.At(entry + 8, 2);
      case 4:  // four
        return numbers.At(entry + 8, 4);
      default:
        return 0;
    }
  }
  return 0;
}

}  // namespace

void OrientByExif(std::span<const uint8_t> exif, Picture* picture) {
  constexpr std::string_view kPrefix = "Exif\0\0"sv;  // a JPEG has it, others may
  std::string_view tiff(reinterpret_cast<const char*>(exif.data()), exif.size());
  if (tiff.starts_with(kPrefix)) tiff.remove_prefix(kPrefix.size());

  struct Turn {
    uint32_t rotation;
    bool mirror;
  };
  constexpr Turn kTurns[] = {{0, false}, {0, false},  {0, true},   {180, false}, {180, true},
                             {90, true}, {90, false}, {270, true}, {270, false}};
  const uint64_t orientation = Orientation(tiff);
  if (orientation >= std::size(kTurns)) return;
  picture->rotation = kTurns[orientation].rotation;
  picture->mirror = kTurns[orientation].mirror;
}

}  // namespace rondo::tools
