// What the compiler was told is what there is.
#include "platforms/cpu.h"

namespace rondo {

CpuFeatures DetectCpu() { return {}; }

bool AllowAmx() { return false; }

uint32_t PerformanceCores() { return 1; }

CpuSet UsableCpus() { return {}; }
CpuSet PerformanceCpus() { return {}; }
bool KeepThisThreadTo(const CpuSet&) { return false; }

}  // namespace rondo
