#include "tools/common/text_io.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "tools/common/error.h"
#include "tools/common/interrupt.h"

namespace rondo::tools {
namespace {

std::string ReadSome(int descriptor, const std::string& what) {
  std::string bytes(1u << 16, '\0');
  ssize_t got = -1;
  do {
    WaitForInput(descriptor);
    got = read(descriptor, bytes.data(), bytes.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) Fail("cannot read ", what, ": ", std::strerror(errno));
  bytes.resize(static_cast<size_t>(got));
  return bytes;
}

std::string ReadAll(int descriptor, const std::string& what) {
  std::string all;
  for (std::string piece; !(piece = ReadSome(descriptor, what)).empty();) all += piece;
  return all;
}

}  // namespace

std::string ReadInput() { return ReadSome(STDIN_FILENO, "standard input"); }

std::string ReadAllInput() { return ReadAll(STDIN_FILENO, "standard input"); }

std::string ReadFile(const std::string& what, const std::string& path) {
  struct Descriptor {
    int number;
    ~Descriptor() { close(number); }
  };
  const Descriptor file = {open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  CheckInterrupt();
  const std::string name = what + " " + path;
  if (file.number < 0) Fail("cannot read ", name, ": ", std::strerror(errno));
  return ReadAll(file.number, name);
}

}  // namespace rondo::tools
