#include "platforms/cpu.h"

namespace rondo {

uint32_t PerformanceCores() { return 1; }

}  // namespace rondo
