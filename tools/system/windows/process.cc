#include "tools/system/process.h"

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

std::string EndCommand(std::FILE* output) {
  const int status = _pclose(output);
  return status == 0 ? "" : "exit code " + std::to_string(status);
}

}  // namespace rondo::tools
