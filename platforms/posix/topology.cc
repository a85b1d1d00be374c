#include "platforms/posix/topology.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

namespace rondo {
namespace {

// A small file's text, zero-terminated; empty where there is none. Without the C library's streams,
// which take memory: that it was refused would look like a system that tells nothing.
class Text {
 public:
  Text(const char* devices, const char* name) {
    char path[512];
    std::snprintf(path, sizeof path, "%s/%s", devices, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    size_t size = 0;
    for (ssize_t n = 1; n > 0; size += static_cast<size_t>(std::max<ssize_t>(n, 0))) {
      n = read(file, text_ + size, sizeof text_ - 1 - size);
    }
    close(file);
  }

  const char* begin() const { return text_; }

 private:
  char text_[4096] = "";
};

// A number of one CPU; 0 where it is not told.
uint64_t Number(const char* devices, uint32_t cpu, const char* name) {
  char path[128];
  std::snprintf(path, sizeof path, "system/cpu/cpu%u/%s", cpu, name);
  return std::strtoull(Text(devices, path).begin(), nullptr, 10);
}

// Those of `allowed` that a list as "0-3,8" names.
CpuSet Listed(const char* devices, const char* name, const CpuSet& allowed) {
  const Text text(devices, name);
  CpuSet listed;
  char* end = nullptr;
  for (const char* at = text.begin();; at = end + 1) {
    const unsigned long first = std::strtoul(at, &end, 10);
    if (end == at) break;
    unsigned long last = first;
    if (*end == '-') {
      at = end + 1;
      last = std::strtoul(at, &end, 10);
      if (end == at) break;
    }
    for (unsigned long cpu = first; cpu <= last && cpu < CpuSet::kMost; ++cpu) {
      if (allowed.Has(static_cast<uint32_t>(cpu))) listed.Add(static_cast<uint32_t>(cpu));
    }
    if (*end != ',') break;
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
