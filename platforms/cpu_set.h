// CpuSet: CPUs, by the system's numbers.
#pragma once

#include <bit>
#include <cstdint>

namespace rondo {

struct CpuSet {
  static constexpr uint32_t kMost = 1024;

  bool Has(uint32_t cpu) const { return (words[cpu / 64] >> cpu % 64 & 1) != 0; }
  void Add(uint32_t cpu) { words[cpu / 64] |= uint64_t{1} << cpu % 64; }
  uint32_t Count() const {
    uint32_t count = 0;
    for (const uint64_t word : words) count += static_cast<uint32_t>(std::popcount(word));
    return count;
  }

  uint64_t words[kMost / 64] = {};
};

}  // namespace rondo
