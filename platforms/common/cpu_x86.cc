// What x86 CPUs tell by themselves.
#if defined(__x86_64__)

#include <cpuid.h>

#include "platforms/cpu.h"
#include "platforms/system_cpu.h"

namespace rondo {

namespace {

bool HasAvxVnni() {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & 1u << 4) != 0;
}

}  // namespace

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

CpuFeatures DetectCpu() {
  CpuFeatures f;
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
  return f;
}

}  // namespace rondo

#endif  // __x86_64__
