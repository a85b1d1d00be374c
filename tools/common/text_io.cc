#include "tools/common/text_io.h"

#include <algorithm>
#include <cstdint>

#include "tools/common/error.h"
#include "tools/common/interrupt.h"
#include "tools/common/printable.h"
#include "tools/common/utf8.h"
#include "tools/system/files.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {
namespace {

std::string ReadPiece(int descriptor, const std::string& what) {
  std::string bytes(1u << 16, '\0');
  std::error_code error;
  size_t got = 0;
  do {
    WaitForInput(descriptor);
    got = ReadSome(descriptor, bytes.data(), bytes.size(), error);
  } while (error == std::errc::interrupted);
  CheckInterrupt();
  if (error) Fail("cannot read ", what, ": ", error.message());
  bytes.resize(got);
  return bytes;
}

std::string ReadAll(int descriptor, const std::string& what, uint64_t most = UINT64_MAX,
                    const std::function<void(std::string_view)>& look = nullptr) {
  std::string all;
  for (std::string piece; !(piece = ReadPiece(descriptor, what)).empty();) {
    all += piece;
    if (look) look(all);
    if (all.size() > most) Fail(what, " has more than ", most, " bytes");
  }
  return all;
}

void RequireUtf8(const std::string& name, const std::string& text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    Fail(name, " is written in UTF-16, expected UTF-8");
  }
  if (const size_t valid = Utf8Prefix(text); valid < text.size()) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(valid);
    Fail(name, " is not UTF-8 in line ", 1 + std::count(text.begin(), end, '\n'), ", at its byte ",
         valid);
  }
}

}  // namespace

std::string ReadInput() { return ReadPiece(kStandardInput, "standard input"); }

std::string ReadAllInput() { return ReadAll(kStandardInput, "standard input"); }

std::vector<std::string> ReadLines() {
  std::string all = ReadAllInput();
  RequireUtf8("standard input", all);
  DropByteOrderMark(&all);
  std::vector<std::string> lines;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\n', at), all.size());
    lines.push_back(all.substr(at, end - at));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    at = end + 1;
  }
  return lines;
}

std::string ReadFile(const std::string& what, const std::string& path, uint64_t most,
                     const std::function<void(std::string_view)>& look) {
  std::error_code error;
  const Descriptor file = OpenToRead(path, OpenAs::kAnything, error);
  CheckInterrupt();
  const std::string name = what + " " + path;
  if (error) Fail("cannot read ", name, ": ", error.message());
  return ReadAll(file.number(), name, most, look);
}

std::string ReadTextFile(const std::string& what, const std::string& path) {
  std::string text = ReadFile(what, path);
  RequireUtf8(what + " " + path, text);
  DropByteOrderMark(&text);
  return text;
}

}  // namespace rondo::tools
