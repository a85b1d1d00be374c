// What x86 CPUs tell by themselves: Intel's manual, volume 2, CPUID; AMD's, volume 3, appendix E.
#if defined(__x86_64__)

#include <cpuid.h>

#include "platforms/cpu.h"
#include "platforms/system_cpu.h"

namespace rondo {

namespace {

struct Leaf {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// Zeros where the CPU has no such leaf.
Leaf Cpuid(unsigned leaf, unsigned part = 0) {
  Leaf l;
  if (__get_cpuid_count(leaf, part, &l.eax, &l.ebx, &l.ecx, &l.edx) == 0) return {};
  return l;
}

constexpr bool All(unsigned word, unsigned bits) { return (word & bits) == bits; }

// Of the sets of registers those that the operating system saves: bits of XCR0.
constexpr unsigned kVectors = 3u << 1, kVectors512 = kVectors | 7u << 5, kTiles = 3u << 17;

bool Saves(unsigned registers) {
  constexpr unsigned kTellsWhichAreSaved = 1u << 27;
  if (!All(Cpuid(1).ecx, kTellsWhichAreSaved)) return false;
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return All(low, registers);
}

bool IsAmdFamily19() {
  const Leaf vendor = Cpuid(0);
  const unsigned version = Cpuid(1).eax;
  const unsigned family = (version >> 8 & 0xF) + (version >> 20 & 0xFF);
  return vendor.ebx == 0x68747541 && vendor.edx == 0x69746E65 && vendor.ecx == 0x444D4163 &&
         family == 0x19;  // "AuthenticAMD"
}

}  // namespace

// Tiles and products of bytes.
bool HasAmx() {
  constexpr unsigned kTilesAndInt8 = 3u << 24;
  return All(Cpuid(7).edx, kTilesAndInt8) && Saves(kTiles);
}

CpuFeatures DetectCpu() {
  constexpr unsigned kSse41 = 1u << 19, kAvxFmaF16c = 1u << 28 | 1u << 12 | 1u << 29;
  constexpr unsigned kAvx2 = 1u << 5;
  constexpr unsigned kAvx512FDqCdBwVl = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
  constexpr unsigned kAvx512Vnni = 1u << 11, kAvxVnni = 1u << 4;
  const Leaf first = Cpuid(1), seventh = Cpuid(7);
  CpuFeatures f;
  f.zen3_or_4 = IsAmdFamily19();
  f.sse41 = All(first.ecx, kSse41);
  f.avx2_fma = All(first.ecx, kAvxFmaF16c) && All(seventh.ebx, kAvx2) && Saves(kVectors);
  f.avx512_vnni = f.avx2_fma && All(seventh.ebx, kAvx512FDqCdBwVl) &&
                  All(seventh.ecx, kAvx512Vnni) && Saves(kVectors512);
  f.avx_vnni = f.avx2_fma && All(Cpuid(7, 1).eax, kAvxVnni);
  f.amx_int8 = f.avx512_vnni && HasAmx() && MayAllowAmx();
  return f;
}

}  // namespace rondo

#endif  // __x86_64__
