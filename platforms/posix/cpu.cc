#include "platforms/cpu.h"

#include <cstdio>

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__linux__) && (defined(__aarch64__) || defined(__x86_64__))
#include <sys/auxv.h>
#endif

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__) && defined(__x86_64__)
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <unistd.h>

namespace rondo {

#if defined(__x86_64__)
namespace {
[[maybe_unused]] constexpr long kTileData = 18;  // AMX's registers, as Linux counts

bool HasAvxVnni() {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & 1u << 4) != 0;
}

// That the operating system would let this process use AMX's registers, as far as can be told
// without asking for it: the signal stacks of other threads are not seen.
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

// Tiles and products of bytes, and tile registers that the operating system saves.
bool HasAmx() {
  constexpr unsigned kTilesAndInt8 = 3u << 24;
  constexpr unsigned kSaved = 3u << 17;
  unsigned a, b, c, d;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kTilesAndInt8) != kTilesAndInt8) {
    return false;
  }
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kSaved) == kSaved;
}
}  // namespace
#endif

bool AllowAmx() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long kRequestPermission = 0x1023;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

CpuFeatures DetectCpu() {
  CpuFeatures f;
#if defined(__x86_64__)
  __builtin_cpu_init();
  f.zen3_or_4 = __builtin_cpu_is("amdfam19h") != 0;
  f.sse41 = __builtin_cpu_supports("sse4.1") != 0;
  f.avx2_fma = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  f.avx512_vnni =
      f.avx2_fma && __builtin_cpu_supports("avx512f") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512vnni") != 0;
  f.avx_vnni = f.avx2_fma && HasAvxVnni();
  f.amx_int8 = f.avx512_vnni && HasAmx() && MayAllowAmx();
#elif defined(__linux__) && defined(__aarch64__)
  constexpr unsigned long kHwcapAsimdDp = 1ul << 20;
  constexpr unsigned long kHwcap2I8mm = 1ul << 13;
  f.neon_dot = (getauxval(AT_HWCAP) & kHwcapAsimdDp) != 0;
  f.neon_i8mm = f.neon_dot && (getauxval(AT_HWCAP2) & kHwcap2I8mm) != 0;
#endif
  return f;
}

uint32_t PerformanceCores() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    // Linux tells relative speed in cpu_capacity (1024 = the fastest) where cores differ.
    uint32_t all = 0;
    uint32_t fast = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &allowed)) continue;
      ++all;
      char path[64];
      std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpu_capacity", cpu);
      int capacity = 1024;
      if (std::FILE* file = std::fopen(path, "r"); file != nullptr) {
        if (std::fscanf(file, "%d", &capacity) != 1) capacity = 1024;
        std::fclose(file);
      }
      if (capacity >= 512) ++fast;
    }
    if (all > 0) return fast > 0 ? fast : all;
  }
#endif
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? static_cast<uint32_t>(n) : 1;
}

}  // namespace rondo
