// macOS and iOS: what sysctl tells.
#include "platforms/cpu.h"

#include <sys/sysctl.h>

#include "platforms/apple/cores.h"
#include "platforms/system_cpu.h"

namespace rondo {

namespace {

// 0 where the system does not know it.
int Fact(const char* name) {
  int value = 0;
  size_t bytes = sizeof value;
  return sysctlbyname(name, &value, &bytes, nullptr, 0) == 0 ? value : 0;
}

}  // namespace

#if defined(__x86_64__)
bool MayAllowAmx() { return false; }  // no Mac has it
#else
CpuFeatures DetectCpu() {
  CpuFeatures f;
  f.neon_dot = Fact("hw.optional.arm.FEAT_DotProd") != 0;
  f.neon_i8mm = f.neon_dot && Fact("hw.optional.arm.FEAT_I8MM") != 0;
  f.sme = Fact("hw.optional.arm.FEAT_SME") != 0;
  return f;
}
#endif

bool AllowAmx() { return false; }

uint32_t PerformanceCores() { return FastCores(Fact); }

// The system places threads itself, by their QoS class.
CpuSet UsableCpus() { return {}; }
CpuSet PerformanceCpus() { return {}; }
CpuSet CallersCpus() { return {}; }
bool KeepThisThreadTo(const CpuSet&) { return false; }

}  // namespace rondo
