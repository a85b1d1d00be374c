#include "platforms/posix/topology.h"

#include <algorithm>
#include <cstdio>

namespace rondo {
namespace {

constexpr size_t kPathBytes = 512;

struct File {
  explicit File(const char* path) : stream(std::fopen(path, "r")) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (stream != nullptr) std::fclose(stream);
  }
  std::FILE* const stream;
};

// A number of one CPU; 0 where it is not told.
uint64_t Number(const char* devices, uint32_t cpu, const char* name) {
  char path[kPathBytes];
  std::snprintf(path, sizeof path, "%s/system/cpu/cpu%u/%s", devices, cpu, name);
  const File file(path);
  unsigned long long number = 0;
  return file.stream != nullptr && std::fscanf(file.stream, "%llu", &number) == 1 ? number : 0;
}

// Those of `allowed` that a list as "0-3,8" names.
CpuSet Listed(const char* devices, const char* name, const CpuSet& allowed) {
  char path[kPathBytes];
  std::snprintf(path, sizeof path, "%s/%s", devices, name);
  const File file(path);
  CpuSet listed;
  if (file.stream == nullptr) return listed;
  for (unsigned first = 0; std::fscanf(file.stream, "%u", &first) == 1;) {
    unsigned last = first;
    int next = std::fgetc(file.stream);
    if (next == '-') {
      if (std::fscanf(file.stream, "%u", &last) != 1) break;
      next = std::fgetc(file.stream);
    }
    for (uint32_t cpu = first; cpu <= std::min(last, CpuSet::kMost - 1); ++cpu) {
      if (allowed.Has(cpu)) listed.Add(cpu);
    }
    if (next != ',') break;
  }
  return listed;
}

// Those whose number is at least so many percent of the largest; none where some have no number.
CpuSet Nearly(const char* devices, const char* name, uint64_t percent, const CpuSet& allowed) {
  uint64_t numbers[CpuSet::kMost] = {};
  uint64_t most = 0;
  CpuSet fast;
  for (uint32_t cpu = 0; cpu < CpuSet::kMost; ++cpu) {
    if (!allowed.Has(cpu)) continue;
    numbers[cpu] = Number(devices, cpu, name);
    if (numbers[cpu] == 0) return fast;
    most = std::max(most, numbers[cpu]);
  }
  for (uint32_t cpu = 0; cpu < CpuSet::kMost; ++cpu) {
    if (allowed.Has(cpu) && numbers[cpu] >= most / 100 * percent) fast.Add(cpu);
  }
  return fast;
}

}  // namespace

CpuSet FastCpus(const char* devices, const CpuSet& allowed) {
  // Intel's hybrids, whose efficient cores have a folder of their own.
  if (Listed(devices, "cpu_atom/cpus", allowed).Count() > 0) {
    const CpuSet cores = Listed(devices, "cpu_core/cpus", allowed);
    if (cores.Count() > 0) return cores;
  }
  // ARM's: relative speed, the fastest having 1024; and where that is not told, the clock, which is
  // within a fifth where only the best pieces of silicon differ from the others.
  constexpr uint64_t kHalf = 50, kWithinAFifth = 80;
  CpuSet fast = Nearly(devices, "cpu_capacity", kHalf, allowed);
  if (fast.Count() == 0) fast = Nearly(devices, "cpufreq/cpuinfo_max_freq", kWithinAFifth, allowed);
  return fast.Count() == 0 ? allowed : fast;
}

}  // namespace rondo
