// Probe loops in plain C++, for every CPU.
#include <algorithm>

#include "tools/bench/probe/probe_kernels.h"

namespace rondo {
namespace {

uint64_t Sum(const uint64_t* words, size_t count) {
  uint64_t sums[8] = {};
  for (size_t i = 0; i < count; i += 8) {
    for (size_t j = 0; j < 8; ++j) sums[j] += words[i + j];
  }
  uint64_t total = 0;
  for (const uint64_t sum : sums) total += sum;
  return total;
}

uint32_t Dot(const int8_t* a, const int8_t* b, uint64_t rounds) {
  int32_t va[4], vb[4];
  std::copy_n(a, 4, va);
  std::copy_n(b, 4, vb);
  uint32_t sums[ProbeKernels::kAccumulators] = {};
  for (uint64_t round = 0; round < rounds; ++round) {
    for (uint32_t& sum : sums) {
      // Unknown to the compiler each time, so that each product is computed.
      asm volatile("" : "+r"(va[0]), "+r"(va[1]), "+r"(va[2]), "+r"(va[3]));
      sum += static_cast<uint32_t>(va[0] * vb[0] + va[1] * vb[1] + va[2] * vb[2] + va[3] * vb[3]);
    }
  }
  uint32_t total = 0;
  for (const uint32_t sum : sums) total += sum;
  return total;
}

}  // namespace

const ProbeKernels kProbePortable = {
    .name = "plain C++",
    .available = [](const CpuFeatures&) { return true; },
    .sum = Sum,
    .dot = Dot,
    .width = 4,
    .blocks = false,
};

}  // namespace rondo
