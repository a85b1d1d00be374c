#include "tools/system/process.h"

#include <cstdlib>

#include <io.h>
#include <windows.h>

namespace rondo::tools {

uint64_t ProcessId() { return GetCurrentProcessId(); }

uint64_t AvailableMemory() {
  MEMORYSTATUSEX memory = {};
  memory.dwLength = sizeof memory;
  return GlobalMemoryStatusEx(&memory) != 0 ? memory.ullAvailPhys : 0;
}

std::FILE* StartCommand(const std::string& command) {
  const int length = MultiByteToWideChar(CP_UTF8, 0, command.c_str(), -1, nullptr, 0);
  std::wstring wide(static_cast<size_t>(length), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, command.c_str(), -1, wide.data(), length);
  return _wpopen(wide.c_str(), L"r");
}

// The command has what is this program's own standard input when it starts.
std::FILE* StartCommand(const std::string& command, std::FILE* input) {
  constexpr int kStandardInput = 0;
  const int own = _dup(kStandardInput);
  _dup2(_fileno(input), kStandardInput);
  std::FILE* const output = StartCommand(command);
  if (own >= 0) {
    _dup2(own, kStandardInput);
    _close(own);
  }
  return output;
}

// The C library's own would be in the root of the drive.
std::FILE* TemporaryFile() {
  wchar_t* const name = _wtempnam(nullptr, L"rondo");
  std::FILE* const file = name == nullptr ? nullptr : _wfopen(name, L"w+bxTD");
  std::free(name);
  return file;
}

std::string EndCommand(std::FILE* output) {
  const int status = _pclose(output);
  return status == 0 ? "" : "exit code " + std::to_string(status);
}

}  // namespace rondo::tools
