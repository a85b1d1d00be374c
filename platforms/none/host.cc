#include "platforms/none/host.h"

// The program's own has precedence.
extern "C" __attribute__((weak)) uint64_t rondo_host_now_ns(void) { return 0; }
