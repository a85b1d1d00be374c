#include "tools/chat/call_runner.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <memory>

#include "tools/common/interrupt.h"
#include "tools/system/process.h"

namespace rondo::tools {
namespace {

constexpr size_t kMostResultBytes = size_t{1} << 20;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::unique_ptr<std::FILE, Closer> FileWith(const std::string& text) {
  std::unique_ptr<std::FILE, Closer> file(TemporaryFile());
  const bool written = file != nullptr &&
                       std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                       std::fflush(file.get()) == 0 && std::fseek(file.get(), 0, SEEK_SET) == 0;
  if (!written) throw Error("the call's arguments cannot be written to a temporary file");
  return file;
}

bool IsPlainName(const std::string& name) {
  return !name.empty() && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
         });
}

}  // namespace

std::string RunCall(const std::string& command, const Call& call) {
  if (!IsPlainName(call.name)) {
    Fail("the function's name \"", call.name, "\" is not letters, digits, _, - and . alone");
  }
  const auto arguments = FileWith(call.arguments);
  std::FILE* const output = StartCommand(command + " " + call.name, arguments.get());
  if (output == nullptr) Fail("cannot start ", command);
  std::string result;
  std::array<char, 4096> bytes;
  for (size_t n = 1; n > 0 && result.size() <= kMostResultBytes;) {
    n = std::fread(bytes.data(), 1, bytes.size(), output);
    result.append(bytes.data(), n);
  }
  const std::string how = EndCommand(output);
  CheckInterrupt();  // which has ended the command, too
  if (result.size() > kMostResultBytes) {
    Fail(command, " ", call.name, " printed more than ", kMostResultBytes, " bytes");
  }
  if (!how.empty()) Fail(command, " ", call.name, " ended with ", how);
  if (result.ends_with('\n')) result.pop_back();
  if (result.ends_with('\r')) result.pop_back();
  return result;
}

}  // namespace rondo::tools
