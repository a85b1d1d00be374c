#include "platforms/this_thread.h"

namespace rondo {

uint64_t ThisThread() { return 1; }

uint64_t ThisProcess() { return 1; }

}  // namespace rondo
