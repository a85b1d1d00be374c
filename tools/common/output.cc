#include "tools/common/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tools/common/interrupt.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {

void PrintBytes(std::string_view bytes) {
  const size_t written = std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  if (written == bytes.size() && std::fflush(stdout) == 0) return;
  const int error = errno;
  CheckInterrupt();
  throw OutputError(std::string("cannot write to standard output: ") + std::strerror(error));
}

void Print(std::string_view text) { PrintBytes(PrintableLines(text)); }

void PrintAnswer(std::string_view text) {
  static const bool is_terminal = IsTerminal(kStandardOutput);
  PrintBytes(is_terminal ? PrintableLines(text) : std::string(text));
}

void TellLine(std::string_view line) {
  const std::string shown = Printable(line) + '\n';
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

}  // namespace rondo::tools
