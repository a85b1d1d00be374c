// Probe loops for 64-bit ARM: dot products (sdot) and 2 x 2 blocks of them (smmla).
#if defined(__aarch64__)

#include <arm_neon.h>

#include "tools/bench/probe/probe_kernels.h"

namespace rondo {
namespace {

uint64_t Sum(const uint64_t* words, size_t count) {
  uint64x2_t sums[8] = {};
  for (size_t i = 0; i < count; i += 16) {
#pragma GCC unroll 8
    for (size_t j = 0; j < 8; ++j) sums[j] = vaddq_u64(sums[j], vld1q_u64(words + i + 2 * j));
  }
  uint64x2_t total = sums[0];
  for (size_t j = 1; j < 8; ++j) total = vaddq_u64(total, sums[j]);
  return vaddvq_u64(total);
}

#define RONDO_DECLARE(i) int32x4_t sum##i = vdupq_n_s32(0);
#define RONDO_DOT(i) asm volatile("sdot %0.4s, %1.16b, %2.16b" : "+w"(sum##i) : "w"(va), "w"(vb));
#define RONDO_DOT_BLOCKS(i) \
  asm volatile("smmla %0.4s, %1.16b, %2.16b" : "+w"(sum##i) : "w"(va), "w"(vb));
#define RONDO_TOTAL(i) total += static_cast<uint32_t>(vaddvq_s32(sum##i));

__attribute__((target("arch=armv8.2-a+dotprod"))) uint32_t Dot(const int8_t* a, const int8_t* b,
                                                               uint64_t rounds) {
  const int8x16_t va = vld1q_s8(a);
  const int8x16_t vb = vld1q_s8(b);
  RONDO_PROBE_ACCUMULATORS(RONDO_DECLARE)
  for (uint64_t round = 0; round < rounds; ++round) {
    RONDO_PROBE_ACCUMULATORS(RONDO_DOT)
  }
  uint32_t total = 0;
  RONDO_PROBE_ACCUMULATORS(RONDO_TOTAL)
  return total;
}

__attribute__((target("arch=armv8.2-a+i8mm"))) uint32_t DotBlocks(const int8_t* a, const int8_t* b,
                                                                  uint64_t rounds) {
  const int8x16_t va = vld1q_s8(a);
  const int8x16_t vb = vld1q_s8(b);
  RONDO_PROBE_ACCUMULATORS(RONDO_DECLARE)
  for (uint64_t round = 0; round < rounds; ++round) {
    RONDO_PROBE_ACCUMULATORS(RONDO_DOT_BLOCKS)
  }
  uint32_t total = 0;
  RONDO_PROBE_ACCUMULATORS(RONDO_TOTAL)
  return total;
}

}  // namespace

const ProbeKernels kProbeNeonI8mm = {
    .name = "smmla (NEON i8mm)",
    .available = [](const CpuFeatures& cpu) { return cpu.neon_i8mm; },
    .sum = Sum,
    .dot = DotBlocks,
    .width = 16,
    .blocks = true,
};

const ProbeKernels kProbeNeonDot = {
    .name = "sdot (NEON)",
    .available = [](const CpuFeatures& cpu) { return cpu.neon_dot; },
    .sum = Sum,
    .dot = Dot,
    .width = 16,
    .blocks = false,
};

}  // namespace rondo

#endif
