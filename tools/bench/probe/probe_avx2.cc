// Probe loops for x86-64 with AVX2.
#if defined(__x86_64__)

#include <immintrin.h>

#include "tools/bench/probe/probe_kernels.h"

namespace rondo {
namespace {

#define RONDO_AVX2 __attribute__((target("avx2")))

using Words = uint64_t __attribute__((vector_size(32), may_alias));

RONDO_AVX2 uint64_t Sum(const uint64_t* words, size_t count) {
  constexpr size_t kStep = sizeof(Words) / sizeof(uint64_t);
  Words sums[8] = {};
  for (size_t i = 0; i < count; i += 8 * kStep) {
#pragma GCC unroll 8
    for (size_t j = 0; j < 8; ++j) {
      sums[j] += *reinterpret_cast<const Words*>(words + i + j * kStep);
    }
  }
  uint64_t total = 0;
  for (const Words& sum : sums) {
    for (size_t j = 0; j < kStep; ++j) total += sum[j];
  }
  return total;
}

// Without VNNI a dot product of four is two instructions, and its addition a third.
#define RONDO_DECLARE(i) __m256i sum##i = _mm256_setzero_si256();
#define RONDO_STEP(i)                 \
  asm volatile(                       \
      "vpmaddubsw %3, %2, %1\n\t"     \
      "vpmaddwd %4, %1, %1\n\t"       \
      "vpaddd %1, %0, %0"             \
      : "+x"(sum##i), "=&x"(products) \
      : "x"(va), "x"(vb), "x"(ones));
#define RONDO_TOTAL(i)                                           \
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), sum##i); \
  for (const uint32_t lane : lanes) total += lane;

RONDO_AVX2 uint32_t Dot(const int8_t* a, const int8_t* b, uint64_t rounds) {
  const __m256i va = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
  const __m256i vb = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i products;
  RONDO_PROBE_ACCUMULATORS(RONDO_DECLARE)
  for (uint64_t round = 0; round < rounds; ++round) {
    RONDO_PROBE_ACCUMULATORS(RONDO_STEP)
  }
  alignas(32) uint32_t lanes[8];
  uint32_t total = 0;
  RONDO_PROBE_ACCUMULATORS(RONDO_TOTAL)
  return total;
}

}  // namespace

const ProbeKernels kProbeAvx2 = {
    .name = "vpmaddubsw, vpmaddwd (AVX2)",
    .available = [](const CpuFeatures& cpu) { return cpu.avx2_fma; },
    .sum = Sum,
    .dot = Dot,
    .width = 32,
    .blocks = false,
};

}  // namespace rondo

#endif
