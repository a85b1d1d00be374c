// Probe loops for x86-64 with AVX-512 VNNI, and with AMX.
#if defined(__x86_64__)

#include <immintrin.h>

#include "platforms/amx_tiles.h"
#include "tools/bench/probe/probe_kernels.h"

namespace rondo {
namespace {

#define RONDO_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))

using Words = uint64_t __attribute__((vector_size(64), may_alias));

RONDO_AVX512 uint64_t Sum(const uint64_t* words, size_t count) {
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

#define RONDO_DECLARE(i) __m512i sum##i = _mm512_setzero_si512();
#define RONDO_STEP(i) asm volatile("vpdpbusd %2, %1, %0" : "+v"(sum##i) : "v"(va), "v"(vb));
#define RONDO_TOTAL(i)               \
  _mm512_store_si512(lanes, sum##i); \
  for (const uint32_t lane : lanes) total += lane;

// The instruction as such: around the intrinsic gcc copies every sum to and fro.
RONDO_AVX512 uint32_t Dot(const int8_t* a, const int8_t* b, uint64_t rounds) {
  const __m512i va = _mm512_loadu_si512(a);
  const __m512i vb = _mm512_loadu_si512(b);
  RONDO_PROBE_ACCUMULATORS(RONDO_DECLARE)
  for (uint64_t round = 0; round < rounds; ++round) {
    RONDO_PROBE_ACCUMULATORS(RONDO_STEP)
  }
  alignas(64) uint32_t lanes[16];
  uint32_t total = 0;
  RONDO_PROBE_ACCUMULATORS(RONDO_TOTAL)
  return total;
}

// As LDTILECFG reads it: eight registers of 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t rest[15] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfig kConfig;

// Each row of a tile of inputs is `a`, each channel of a tile of weights `b`.
__attribute__((target("amx-tile,amx-int8"))) uint32_t DotTiles(const int8_t* a, const int8_t* b,
                                                               uint64_t rounds) {
  alignas(64) int8_t rows[16][64], channels[16][64];
  for (size_t i = 0; i < 16; ++i) {
    for (size_t j = 0; j < 64; ++j) {
      rows[i][j] = a[j];
      channels[i][j] = b[4 * i + j % 4];
    }
  }
  __asm__ volatile("" ::: "memory");  // gcc 12's intrinsics do not say what they read
  _tile_loadconfig(&kConfig);
  RONDO_TILE_LOAD(4, rows, 64);
  RONDO_TILE_LOAD(5, channels, 64);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (uint64_t step = 0; step < rounds * (ProbeKernels::kAccumulators / 4); ++step) {
    _tile_dpbusd(0, 4, 5);
    _tile_dpbusd(1, 4, 5);
    _tile_dpbusd(2, 4, 5);
    _tile_dpbusd(3, 4, 5);
  }
  alignas(64) uint32_t sums[4][256];
  RONDO_TILE_STORE(0, sums[0], 64);
  RONDO_TILE_STORE(1, sums[1], 64);
  RONDO_TILE_STORE(2, sums[2], 64);
  RONDO_TILE_STORE(3, sums[3], 64);
  _tile_release();
  uint32_t total = 0;
  for (const auto& tile : sums) {
    for (const uint32_t sum : tile) total += sum;
  }
  return total;
}

}  // namespace

const ProbeKernels kProbeAmx = {
    .name = "tdpbusd (AMX)",
    .available = [](const CpuFeatures& cpu) { return cpu.amx_int8 && AllowAmx(); },
    .sum = Sum,
    .dot = DotTiles,
    .width = 64,
    .blocks = false,
    .copies = 256,
};

const ProbeKernels kProbeAvx512Vnni = {
    .name = "vpdpbusd (AVX-512)",
    .available = [](const CpuFeatures& cpu) { return cpu.avx512_vnni; },
    .sum = Sum,
    .dot = Dot,
    .width = 64,
    .blocks = false,
};

}  // namespace rondo

#endif
