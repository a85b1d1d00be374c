#include "platforms/this_thread.h"

#include <windows.h>

namespace rondo {

uint64_t ThisThread() { return GetCurrentThreadId(); }

uint64_t ThisProcess() { return GetCurrentProcessId(); }

}  // namespace rondo
