#include "tools/system/process.h"

#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

namespace rondo::tools {

uint64_t ProcessId() { return static_cast<uint64_t>(getpid()); }

uint64_t AvailableMemory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name, unit;
  for (uint64_t kilobytes = 0; meminfo >> name >> kilobytes; std::getline(meminfo, unit)) {
    if (name == "MemAvailable:") return kilobytes * 1024;
  }
  // Systems that do not tell: part of what is there.
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) / 4 *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

std::FILE* StartCommand(const std::string& command) {
  return popen(command.c_str(), "r");  // NOLINT(cert-env33-c): the user's own command
}

// The shell has the file under the number that it has here.
std::FILE* StartCommand(const std::string& command, std::FILE* input) {
  return StartCommand(command + " <&" + std::to_string(fileno(input)));
}

std::FILE* TemporaryFile() { return std::tmpfile(); }

std::string EndCommand(std::FILE* output) {
  const int status = pclose(output);
  if (status == 0) return "";
  return WIFEXITED(status) ? "exit code " + std::to_string(WEXITSTATUS(status)) : "a signal";
}

}  // namespace rondo::tools
