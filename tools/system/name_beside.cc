#include "tools/system/name_beside.h"

#include <functional>
#include <string>
#include <string_view>

#include "tools/system/process.h"

namespace rondo::tools {
namespace {

// Some file systems that encrypt names have 143 bytes for one, and others 255: this leaves room for
// what is added.
constexpr size_t kMostBytes = 100;

std::u8string Digits(uint64_t number) {
  const std::string digits = std::to_string(number);
  return {digits.begin(), digits.end()};
}

}  // namespace

std::filesystem::path NameBeside(const std::filesystem::path& target) {
  std::u8string name = target.filename().u8string();
  if (name.size() > kMostBytes) {
    const std::u8string number = Digits(std::hash<std::u8string_view>()(name));
    size_t end = kMostBytes;
    while (end > 0 && (name[end] & 0xc0) == 0x80) --end;  // not within a character
    name = name.substr(0, end) + u8"-" + number;
  }
  return target.parent_path() / (name + u8".partial-" + Digits(ProcessId()));
}

}  // namespace rondo::tools
