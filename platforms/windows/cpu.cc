#include "platforms/cpu.h"

#include <windows.h>

#include <algorithm>

#include "platforms/system_cpu.h"

namespace rondo {

#if defined(__x86_64__)
namespace {

constexpr DWORD64 kTileData = 1ull << 18;  // AMX's registers, as XSAVE counts

// Null where this Windows does not have it.
template <typename Function>
Function* Find(const char* name) {
  void* const found = reinterpret_cast<void*>(GetProcAddress(GetModuleHandleW(L"kernel32"), name));
  return reinterpret_cast<Function*>(found);
}
auto* FindEnable() { return Find<BOOL WINAPI(DWORD64)>("EnableProcessOptionalXStateFeatures"); }

}  // namespace

// Since Windows 11 a process asks for them.
bool MayAllowAmx() {
  auto* const enabled = Find<DWORD64 WINAPI()>("GetEnabledXStateFeatures");
  return enabled != nullptr && (enabled() & kTileData) != 0 && FindEnable() != nullptr;
}

bool AllowAmx() {
  auto* const enable = FindEnable();
  return HasAmx() && enable != nullptr && enable(kTileData) != 0;
}
#else
CpuFeatures DetectCpu() {
  constexpr DWORD kDotProduct = 43;    // PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE
  constexpr DWORD kInt8Matrices = 66;  // PF_ARM_V82_I8MM_INSTRUCTIONS_AVAILABLE
  CpuFeatures f;
  f.neon_dot = IsProcessorFeaturePresent(kDotProduct) != 0;
  f.neon_i8mm = f.neon_dot && IsProcessorFeaturePresent(kInt8Matrices) != 0;
  return f;
}
bool AllowAmx() { return false; }
#endif

namespace {

// Of the first 64 CPUs, as masks are on Windows.
CpuSet FromMask(uint64_t mask) {
  CpuSet cpus;
  cpus.words[0] = mask;
  return cpus;
}

}  // namespace

uint32_t PerformanceCores() {
  const uint32_t fast = PerformanceCpus().Count();
  if (fast > 0) return fast;
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return std::max<uint32_t>(1, info.dwNumberOfProcessors);
}

CpuSet UsableCpus() {
  DWORD_PTR allowed = 0, system = 0;
  return GetProcessAffinityMask(GetCurrentProcess(), &allowed, &system) == 0 ? CpuSet()
                                                                             : FromMask(allowed);
}

// Threads that it starts may run wherever the process may.
CpuSet CallersCpus() { return UsableCpus(); }

// Those of the best efficiency class.
CpuSet PerformanceCpus() {
  const CpuSet usable = UsableCpus();
  alignas(SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX) char memory[32768];
  DWORD bytes = sizeof memory;
  auto* const first = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(memory);
  if (GetLogicalProcessorInformationEx(RelationProcessorCore, first, &bytes) == 0) return usable;
  uint32_t best = 0;
  uint64_t fast = 0;
  for (DWORD at = 0; at < bytes;) {
    const auto& core = *reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(memory + at);
    at += core.Size;
    const uint64_t mask = core.Processor.GroupMask[0].Mask & usable.words[0];
    const uint32_t of_class = reinterpret_cast<const BYTE*>(&core.Processor)[1];  // EfficiencyClass
    if (core.Processor.GroupMask[0].Group != 0 || mask == 0 || of_class < best) continue;
    if (of_class > best) fast = 0;
    best = of_class;
    fast |= mask;
  }
  return fast != 0 ? FromMask(fast) : usable;
}

bool KeepThisThreadTo(const CpuSet& cpus) {
  return SetThreadAffinityMask(GetCurrentThread(), static_cast<DWORD_PTR>(cpus.words[0])) != 0;
}

}  // namespace rondo
