#include "tools/common/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "tools/common/interrupt.h"

namespace rondo::tools {

void KeepStandardFiles() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest that is free. Open for what nobody does with it, so that using it fails.
    open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void PrintBytes(std::string_view bytes) {
  const size_t written = std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  if (written == bytes.size() && std::fflush(stdout) == 0) return;
  const int error = errno;
  CheckInterrupt();
  throw OutputError(std::string("cannot write to standard output: ") + std::strerror(error));
}

void Print(std::string_view text) { PrintBytes(PrintableLines(text)); }

void PrintAnswer(std::string_view text) {
  static const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  PrintBytes(is_terminal ? PrintableLines(text) : std::string(text));
}

void TellLine(std::string_view line) {
  const std::string shown = Printable(line) + '\n';
  std::fwrite(shown.data(), 1, shown.size(), stderr);
}

}  // namespace rondo::tools
