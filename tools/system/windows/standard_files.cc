#include "tools/system/standard_files.h"

#include <cstdlib>
#include <initializer_list>

#include <fcntl.h>
#include <io.h>
#include <windows.h>

namespace rondo::tools {
namespace {

UINT before = 0;  // the console's code page, which outlives the program

}  // namespace

void PrepareStandardFiles() {
  for (const int descriptor : {kStandardInput, kStandardOutput, kStandardError}) {
    _setmode(descriptor, _O_BINARY);
  }
  before = GetConsoleOutputCP();
  if (before == 0 || before == CP_UTF8) return;
  SetConsoleOutputCP(CP_UTF8);
  std::atexit([] { SetConsoleOutputCP(before); });
}

// Devices that are no console, as NUL, count as terminals for _isatty.
bool IsTerminal(int descriptor) {
  DWORD mode = 0;
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
  return _isatty(descriptor) != 0 && GetConsoleMode(handle, &mode) != 0;
}

}  // namespace rondo::tools
