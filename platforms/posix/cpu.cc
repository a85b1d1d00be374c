#include "platforms/cpu.h"

#include <cstdio>

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__linux__) && defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <thread>

namespace rondo {

CpuFeatures DetectCpu() {
  CpuFeatures f;
#if defined(__x86_64__)
  __builtin_cpu_init();
  f.amd = __builtin_cpu_is("amd") != 0;
  f.sse41 = __builtin_cpu_supports("sse4.1") != 0;
  f.avx2_fma = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  f.avx512_vnni =
      f.avx2_fma && __builtin_cpu_supports("avx512f") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
      __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
      __builtin_cpu_supports("avx512vnni") != 0;
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
  const uint32_t n = std::thread::hardware_concurrency();
  return n > 0 ? n : 1;
}

}  // namespace rondo
