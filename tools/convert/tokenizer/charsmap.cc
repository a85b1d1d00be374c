#include "tools/convert/tokenizer/charsmap.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "runtime/text/tokenizer_tables.h"
#include "tools/convert/tokenizer/text.h"
#include "tools/convert/tokenizer/trie_builder.h"

namespace rondo::convert {
namespace {

// Texts may share what they end with, so an array of any size can hold any number of them, and a
// damaged one endless ones. Real ones have some ten thousand of a few bytes.
constexpr size_t kMaxKeyBytes = 64;
constexpr size_t kMaxSteps = 1u << 22;

// The array's units are Darts-clone's: bits 0-7 the byte that leads here, bit 8 whether a text
// ends here, bits 10-30 (shifted by 8 more where bit 9 is set) the distance to the children. A
// unit with a value, the child for byte 0, has bit 31 set.
class DoubleArray {
 public:
  DoubleArray(std::string_view bytes, const JsonValue& where)
      : units_(bytes.size() / sizeof(uint32_t)), where_(where) {
    if (units_.empty()) return;
    std::memcpy(units_.data(), bytes.data(), units_.size() * sizeof(uint32_t));
  }

  // All texts with their values.
  std::vector<std::pair<std::string, uint32_t>> Texts() {
    if (units_.empty()) where_.Fail("has a double array without units");
    // Units to go on from, with the text that leads to each.
    std::vector<std::pair<size_t, std::string>> open = {{0, ""}};
    std::vector<std::pair<std::string, uint32_t>> texts;
    size_t steps = 0;
    while (!open.empty()) {
      const auto [unit, text] = std::move(open.back());
      open.pop_back();
      if (text.size() > kMaxKeyBytes) where_.Fail("has a text of more than 64 bytes to replace");
      const size_t base = unit ^ Offset(units_[unit]);
      if (Ends(units_[unit])) {
        const uint32_t value = At(base);
        if ((value & kValueBit) == 0) where_.Fail("has a double array without a value it names");
        texts.emplace_back(text, value & ~kValueBit);
      }
      for (uint32_t byte = 1; byte < 256; ++byte) {
        const size_t child = base ^ byte;
        if (child >= units_.size() || (units_[child] & (kValueBit | 0xFF)) != byte) continue;
        if (++steps == kMaxSteps) where_.Fail("has a double array with too many texts");
        open.emplace_back(child, text + static_cast<char>(byte));
      }
    }
    std::sort(texts.begin(), texts.end());
    return texts;
  }

 private:
  static constexpr uint32_t kValueBit = 0x80000000;
  static size_t Offset(uint32_t unit) {
    return size_t{unit >> 10 & 0x1FFFFF} << ((unit >> 9 & 1) * 8);
  }
  static bool Ends(uint32_t unit) { return (unit >> 8 & 1) != 0; }
  uint32_t At(size_t unit) const {
    if (unit >= units_.size()) where_.Fail("has a double array that leads out of itself");
    return units_[unit];
  }

  std::vector<uint32_t> units_;
  const JsonValue& where_;
};

}  // namespace

Charsmap Charsmap::Parse(std::string_view bytes, const JsonValue& where) {
  uint32_t array_bytes = 0;
  if (bytes.size() < sizeof array_bytes) where.Fail("is too short for a charsmap");
  std::memcpy(&array_bytes, bytes.data(), sizeof array_bytes);
  bytes.remove_prefix(sizeof array_bytes);
  if (array_bytes > bytes.size() || array_bytes % sizeof(uint32_t) != 0) {
    where.Fail("says that its double array has " + std::to_string(array_bytes) + " bytes, of " +
               std::to_string(bytes.size()));
  }
  auto texts = DoubleArray(bytes.substr(0, array_bytes), where).Texts();
  if (texts.empty()) where.Fail("has no rules");
  bytes.remove_prefix(array_bytes);

  // Each distinct replacement once, whole.
  Charsmap charsmap;
  std::map<std::string, uint32_t> places;
  for (auto& [text, value] : texts) {
    if (value >= bytes.size()) where.Fail("has a replacement outside of its texts");
    const std::string replacement(bytes.substr(value, bytes.find('\0', value) - value));
    if (replacement.size() > kMaxContentBytes || !IsUtf8(replacement)) {
      where.Fail("has a replacement that is not UTF-8 or longer than " +
                 std::to_string(kMaxContentBytes) + " bytes");
    }
    const auto [place, is_new] =
        places.emplace(replacement, static_cast<uint32_t>(charsmap.texts.size()));
    if (is_new) {
      charsmap.texts.insert(charsmap.texts.end(), replacement.begin(), replacement.end());
      charsmap.texts.push_back(0);
    }
    value = place->second;
  }
  charsmap.trie = BuildTrie(texts);
  return charsmap;
}

}  // namespace rondo::convert
