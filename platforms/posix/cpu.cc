// Linux and its kin.
#include "platforms/cpu.h"

#include <cstdint>

#if defined(__linux__)
#include <sched.h>
#include <sys/auxv.h>
#endif
#if defined(__linux__) && defined(__x86_64__)
#include <signal.h>
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include "platforms/posix/topology.h"
#include "platforms/system_cpu.h"

namespace rondo {

#if defined(__x86_64__)
namespace {
[[maybe_unused]] constexpr long kTileData = 18;  // AMX's registers, as Linux counts
}

// The signal stacks of other threads are not seen.
bool MayAllowAmx() {
#if defined(__linux__)
  constexpr long kGetSupported = 0x1021, kGetPermitted = 0x1022;
  constexpr unsigned long kLeastSignalStack = 51;  // AT_MINSIGSTKSZ
  uint64_t supported = 0, permitted = 0;
  if (syscall(SYS_arch_prctl, kGetSupported, &supported) != 0 ||
      syscall(SYS_arch_prctl, kGetPermitted, &permitted) != 0) {
    return false;
  }
  if ((permitted >> kTileData & 1) != 0) return true;
  stack_t stack = {};
  const bool room = sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) != 0 ||
                    stack.ss_size >= getauxval(kLeastSignalStack);
  return (supported >> kTileData & 1) != 0 && room;
#else
  return false;
#endif
}
#else
CpuFeatures DetectCpu() {
  CpuFeatures f;
#if defined(__linux__) && defined(__aarch64__)
  constexpr unsigned long kHwcapAsimdDp = 1ul << 20;
  constexpr unsigned long kHwcap2I8mm = 1ul << 13, kHwcap2Sme = 1ul << 23;
  f.neon_dot = (getauxval(AT_HWCAP) & kHwcapAsimdDp) != 0;
  f.neon_i8mm = f.neon_dot && (getauxval(AT_HWCAP2) & kHwcap2I8mm) != 0;
  f.sme = (getauxval(AT_HWCAP2) & kHwcap2Sme) != 0;
#elif defined(__linux__) && defined(__arm__)
  constexpr unsigned long kHwcapNeon = 1ul << 12, kHwcapVfpV4 = 1ul << 16;
  constexpr unsigned long kHwcapAsimdDp = 1ul << 24;
  f.neon = (getauxval(AT_HWCAP) & kHwcapNeon) != 0;
  f.neon_dot = f.neon && (getauxval(AT_HWCAP) & kHwcapVfpV4) != 0 &&
               (getauxval(AT_HWCAP) & kHwcapAsimdDp) != 0;
#elif defined(__linux__) && defined(__riscv)
  constexpr unsigned long kHwcapV = 1ul << ('V' - 'A');
  if ((getauxval(AT_HWCAP) & kHwcapV) != 0) {
    unsigned long bytes = 0;
    __asm__("csrr %0, 0xc22" : "=r"(bytes));  // vlenb
    f.rvv_bits = static_cast<uint32_t>(bytes * 8);
  }
#endif
  return f;
}
#endif

bool AllowAmx() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long kRequestPermission = 0x1023;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

uint32_t PerformanceCores() {
  const uint32_t fast = PerformanceCpus().Count();
  if (fast > 0) return fast;
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? static_cast<uint32_t>(n) : 1;
}

CpuSet CallersCpus() {
  CpuSet usable;
#if defined(__linux__)
  cpu_set_t may;
  if (sched_getaffinity(0, sizeof may, &may) != 0) return usable;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &may)) usable.Add(static_cast<uint32_t>(cpu));
  }
#endif
  return usable;
}

namespace {
// Here, so that plans are the same on every thread; and first, as a program's own initialisers may
// make engines.
[[gnu::init_priority(101)]] const CpuSet kCpusAtLoad = CallersCpus();
}  // namespace

CpuSet UsableCpus() { return kCpusAtLoad; }

CpuSet PerformanceCpus() { return FastCpus("/sys/devices", UsableCpus()); }

bool KeepThisThreadTo(const CpuSet& cpus) {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (cpus.Has(static_cast<uint32_t>(cpu))) CPU_SET(cpu, &set);
  }
  return sched_setaffinity(0, sizeof set, &set) == 0;
#else
  static_cast<void>(cpus);
  return false;
#endif
}

}  // namespace rondo
