#include "tools/common/white_space.h"

#include <algorithm>
#include <array>

namespace rondo::tools {
namespace {

// U+0009 to U+000D, U+001C to U+0020, U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029,
// U+202F, U+205F and U+3000.
constexpr std::array<std::string_view, 29> kWhiteSpace = {
    "\t",           "\n",           "\v",           "\f",           "\r",
    "\x1c",         "\x1d",         "\x1e",         "\x1f",         " ",
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
    "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
    "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};

}  // namespace

std::string_view Stripped(std::string_view text) {
  const auto at_end = kWhiteSpace.end();
  const auto begins = [&] {
    return std::ranges::find_if(kWhiteSpace, [&](auto space) { return text.starts_with(space); });
  };
  const auto ends = [&] {
    return std::ranges::find_if(kWhiteSpace, [&](auto space) { return text.ends_with(space); });
  };
  for (auto space = begins(); space != at_end; space = begins()) text.remove_prefix(space->size());
  for (auto space = ends(); space != at_end; space = ends()) text.remove_suffix(space->size());
  return text;
}

}  // namespace rondo::tools
