#include "tools/system/signals.h"

#include <csignal>

#include <io.h>
#include <windows.h>

namespace rondo::tools {
namespace {

void (*noted)(int signal) = nullptr;
HANDLE came = nullptr;  // set where a signal came

// On a thread of the system's.
BOOL WINAPI Handle(DWORD event) {
  noted(event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? SIGINT : SIGTERM);
  SetEvent(came);
  // Returning would end the process at once, unless it is told to end by itself.
  if (event == CTRL_CLOSE_EVENT || event == CTRL_SHUTDOWN_EVENT) Sleep(INFINITE);
  return TRUE;
}

}  // namespace

void OnSignals(void (*note)(int signal)) {
  noted = note;
  came = CreateEventW(nullptr, /*manual reset=*/FALSE, FALSE, nullptr);
  SetConsoleCtrlHandler(Handle, TRUE);
}

// A pipe cannot be waited for beside something else: its read waits, and a signal is seen behind
// it.
void WaitForInput(int descriptor, const std::atomic<bool>& interrupted) {
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
  if (interrupted || GetFileType(handle) != FILE_TYPE_CHAR) return;
  const HANDLE either[] = {handle, came};
  WaitForMultipleObjects(came == nullptr ? 1 : 2, either, FALSE, INFINITE);
}

}  // namespace rondo::tools
