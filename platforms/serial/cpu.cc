// What the compiler was told is what there is.
#include "platforms/cpu.h"

namespace rondo {

CpuFeatures DetectCpu() { return {}; }

bool AllowAmx() { return false; }

CpuSet UsableCpus() { return {}; }
CpuSet PerformanceCpus() { return {}; }
CpuSet CallersCpus() { return {}; }
bool KeepThisThreadTo(const CpuSet&) { return false; }

}  // namespace rondo
