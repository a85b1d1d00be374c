#include "platforms/cpu.h"
#include "platforms/wasi/threads/workers.h"

namespace rondo {

uint32_t PerformanceCores() { return CountWorkers() + 1; }

}  // namespace rondo
