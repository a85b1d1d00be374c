// Products of many rows with SME: an instruction adds the products of 16 rows by 16 channels, of
// four inputs each, to a tile of sums in ZA, where vectors have 512 bits.
//
// The tiles of q8 in groups of 4 inputs are what it wants of weights. Of inputs it wants the same
// four of 16 rows side by side, and NEON lays them so, some inputs at a time. Four tiles of
// channels share a load of rows: of the inner loop's instructions a product is one in 2.7, and has
// 1.25 loads.
//
// All that is done in streaming mode is one piece of assembly: compilers that know nothing of SME
// put nothing between, as NEON's instructions trap there. ZA is the caller's if it is on, or where
// TPIDR2_EL0 names memory to save it to; else it is off again at the end.
#if defined(__aarch64__)

#include "runtime/kernels/sme.h"

#include <algorithm>

#include "runtime/kernels/neon_ends.h"

namespace rondo {

namespace {

constexpr size_t kSide = kTileChannels;  // rows of a tile of sums, and its channels
constexpr size_t kGroup = 4;
constexpr size_t kGroupBytes = kSide * kGroup;           // of a group of inputs, or of weights
constexpr size_t kChannelBytes = kSide * sizeof(float);  // of a tile's sums, scales or biases
constexpr size_t kTiles = 4;                             // of sums that ZA has
constexpr size_t kBlockChannels = kTiles * kSide;        // that are multiplied at once
constexpr size_t kBlocks = 4;                            // that share inputs once laid out
constexpr size_t kHeldGroups = 256;                      // of inputs laid out: 16 KiB
static_assert(kSmeBits == 8 * kGroupBytes);

// [row][channel], as ZA's vectors lie: of the four tiles by turns.
using Sums = int32_t[kSide][kBlockChannels];

// Whether nobody else needs ZA.
bool ZaIsFree() {
  uint64_t svcr, tpidr2;
  asm volatile(
      "mrs %0, s3_3_c4_c2_2\n"  // SVCR
      "mrs %1, s3_3_c13_c0_5"   // TPIDR2_EL0
      : "=&r"(svcr), "=r"(tpidr2));
  return svcr == 0 && tpidr2 == 0;
}

// Inputs of 16 rows as [group][row][kGroup]. The last groups may be of what is behind a row's end
// (kOverRead): there are no weights for them, or zeros.
void LayOut(const int8_t* in, size_t in_stride, size_t groups, int8_t* out) {
  for (size_t g = 0; g < groups; g += 4) {
    for (size_t r = 0; r < kSide; r += 4) {
      int32x4_t rows[4];
      for (size_t i = 0; i < 4; ++i) {
        rows[i] = vreinterpretq_s32_s8(vld1q_s8(in + (r + i) * in_stride + g * kGroup));
      }
      const int64x2_t even01 = vreinterpretq_s64_s32(vtrn1q_s32(rows[0], rows[1]));
      const int64x2_t odd01 = vreinterpretq_s64_s32(vtrn2q_s32(rows[0], rows[1]));
      const int64x2_t even23 = vreinterpretq_s64_s32(vtrn1q_s32(rows[2], rows[3]));
      const int64x2_t odd23 = vreinterpretq_s64_s32(vtrn2q_s32(rows[2], rows[3]));
      int8_t* to = out + g * kGroupBytes + r * kGroup;
      vst1q_s8(to, vreinterpretq_s8_s64(vtrn1q_s64(even01, even23)));
      vst1q_s8(to + kGroupBytes, vreinterpretq_s8_s64(vtrn1q_s64(odd01, odd23)));
      vst1q_s8(to + 2 * kGroupBytes, vreinterpretq_s8_s64(vtrn2q_s64(even01, even23)));
      vst1q_s8(to + 3 * kGroupBytes, vreinterpretq_s8_s64(vtrn2q_s64(odd01, odd23)));
    }
  }
}

// clang-format off
// The loads and products of a group, which is the loop's i-th, in the registers that it names.
#define RONDO_SME_LOAD(i, in, w0, w1, w2, w3)                              \
  "ldr z" #in ", [%[in], #" #i ", mul vl]\n"                               \
  "ldr z" #w0 ", [%[w0], #" #i ", mul vl]\n"                               \
  ".if %c[tiles] > 1\n ldr z" #w1 ", [%[w1], #" #i ", mul vl]\n .endif\n"  \
  ".if %c[tiles] > 2\n ldr z" #w2 ", [%[w2], #" #i ", mul vl]\n .endif\n"  \
  ".if %c[tiles] > 3\n ldr z" #w3 ", [%[w3], #" #i ", mul vl]\n .endif\n"
#define RONDO_SME_MULTIPLY(in, w0, w1, w2, w3)                                            \
  "smopa za0.s, p0/m, p0/m, z" #in ".b, z" #w0 ".b\n"                                     \
  ".if %c[tiles] > 1\n smopa za1.s, p0/m, p0/m, z" #in ".b, z" #w1 ".b\n .endif\n"        \
  ".if %c[tiles] > 2\n smopa za2.s, p0/m, p0/m, z" #in ".b, z" #w2 ".b\n .endif\n"        \
  ".if %c[tiles] > 3\n smopa za3.s, p0/m, p0/m, z" #in ".b, z" #w3 ".b\n .endif\n"
#define RONDO_SME_ADVANCE(bytes)                                                          \
  "add %[in], %[in], #" #bytes "\n"                                                       \
  "add %[w0], %[w0], #" #bytes "\n add %[w1], %[w1], #" #bytes "\n"                       \
  "add %[w2], %[w2], #" #bytes "\n add %[w3], %[w3], #" #bytes "\n"
// All of ZA from or to memory, four of its vectors a turn.
#define RONDO_SME_MOVE(instruction)                                                       \
  "mov w12, #0\n"                                                                         \
  "mov %[at], %[sums]\n"                                                                  \
  "1:\n"                                                                                  \
  instruction " za[w12, 0], [%[at]]\n"                                                    \
  instruction " za[w12, 1], [%[at], #1, mul vl]\n"                                        \
  instruction " za[w12, 2], [%[at], #2, mul vl]\n"                                        \
  instruction " za[w12, 3], [%[at], #3, mul vl]\n"                                        \
  "add %[at], %[at], #256\n"                                                              \
  "add w12, w12, #4\n"                                                                    \
  "cmp w12, #64\n"                                                                        \
  "b.lo 1b\n"
// clang-format on

// The sums of kTilesHere tiles, tile_bytes apart: added to those that are there, or first ones.
template <size_t kTilesHere>
void Multiply(const int8_t* in, const uint8_t* weights, size_t tile_bytes, size_t groups,
              bool first, Sums& sums) {
  const uint8_t* w0 = weights;
  const uint8_t* w1 = weights + (kTilesHere > 1 ? tile_bytes : 0);
  const uint8_t* w2 = weights + (kTilesHere > 2 ? 2 * tile_bytes : 0);
  const uint8_t* w3 = weights + (kTilesHere > 3 ? 3 * tile_bytes : 0);
  void* at;
  uint64_t fpsr;  // streaming mode begins and ends with all of its flags set
  asm volatile(
      ".arch_extension sve\n"  // which clang 14 does not take from the next
      ".arch_extension sme\n"
      "mrs %[fpsr], fpsr\n"
      "smstart\n"
      "ptrue p0.b\n"
      "zero {za}\n"
      "cbnz %w[first], 2f\n"
      RONDO_SME_MOVE("ldr")
      "2:\n"
      "subs %[groups], %[groups], #4\n"
      "b.lo 4f\n"
      "3:\n"
      RONDO_SME_LOAD(0, 0, 1, 2, 3, 4)
      RONDO_SME_LOAD(1, 5, 6, 7, 16, 17)
      RONDO_SME_LOAD(2, 18, 19, 20, 21, 22)
      RONDO_SME_LOAD(3, 23, 24, 25, 26, 27)
      RONDO_SME_MULTIPLY(0, 1, 2, 3, 4)
      RONDO_SME_MULTIPLY(5, 6, 7, 16, 17)
      RONDO_SME_MULTIPLY(18, 19, 20, 21, 22)
      RONDO_SME_MULTIPLY(23, 24, 25, 26, 27)
      RONDO_SME_ADVANCE(256)
      "subs %[groups], %[groups], #4\n"
      "b.hs 3b\n"
      "4:\n"
      "adds %[groups], %[groups], #4\n"
      "b.eq 6f\n"
      "5:\n"
      RONDO_SME_LOAD(0, 0, 1, 2, 3, 4)
      RONDO_SME_MULTIPLY(0, 1, 2, 3, 4)
      RONDO_SME_ADVANCE(64)
      "subs %[groups], %[groups], #1\n"
      "b.ne 5b\n"
      "6:\n"
      RONDO_SME_MOVE("str")
      "smstop\n"
      "msr fpsr, %[fpsr]\n"
      : [in] "+&r"(in), [w0] "+&r"(w0), [w1] "+&r"(w1), [w2] "+&r"(w2), [w3] "+&r"(w3),
        [groups] "+&r"(groups), [at] "=&r"(at), [fpsr] "=&r"(fpsr)
      : [sums] "r"(sums), [first] "r"(uint32_t{first}), [tiles] "i"(kTilesHere)
      : "x12", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",
        "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
        "v26", "v27", "v28", "v29", "v30", "v31", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7",
        "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15", "cc", "memory");
}

#undef RONDO_SME_LOAD
#undef RONDO_SME_MULTIPLY
#undef RONDO_SME_ADVANCE
#undef RONDO_SME_MOVE

constexpr decltype(&Multiply<1>) kMultiply[kTiles] = {Multiply<1>, Multiply<2>, Multiply<3>,
                                                      Multiply<4>};

}  // namespace

bool SmeFits() {
  uint64_t vector_bytes;
  asm volatile(
      ".inst 0x04bf5829\n"  // rdsvl x9, #1, which clang 14 does not know
      "mov %0, x9"
      : "=r"(vector_bytes)
      :
      : "x9");
  return 8 * vector_bytes == kSmeBits;
}

size_t MultiplyBySme(size_t rows, size_t channels, size_t k, const int8_t* in, size_t in_stride,
                     const uint8_t* packed, float* out, size_t out_stride, const RowQuant* quant) {
  rows -= rows % kSide;
  if (rows == 0 || !SmeFits() || !ZaIsFree()) return 0;
  const size_t groups = (k + kGroup - 1) / kGroup;
  const size_t tile_bytes = groups * kGroupBytes + 3 * kChannelBytes;
  const size_t tiles = (channels + kSide - 1) / kSide;
  alignas(64) int8_t inputs[kHeldGroups * kGroupBytes];
  alignas(64) Sums sums[kBlocks];
  for (size_t r = 0; r < rows; r += kSide) {
    for (size_t first = 0; first < tiles; first += kBlocks * kTiles) {
      const size_t end = std::min(tiles, first + kBlocks * kTiles);
      for (size_t g = 0; g < groups; g += kHeldGroups) {
        const size_t held = std::min(groups - g, kHeldGroups);
        LayOut(in + r * in_stride + g * kGroup, in_stride, held, inputs);
        for (size_t t = first; t < end; t += kTiles) {
          const uint8_t* weights = packed + t * tile_bytes + kChannelBytes + g * kGroupBytes;
          kMultiply[std::min(end - t, kTiles) - 1](inputs, weights, tile_bytes, held, g == 0,
                                                   sums[(t - first) / kTiles]);
        }
      }
      for (size_t t = first; t < end; ++t) {
        const uint8_t* tile = packed + t * tile_bytes;
        const auto* scales =
            reinterpret_cast<const float*>(tile + kChannelBytes + groups * kGroupBytes);
        const ChannelEnds ends = {reinterpret_cast<const int32_t*>(tile), scales, scales + kSide};
        for (size_t i = 0; i < kSide; ++i) {
          const int32_t* its = sums[(t - first) / kTiles][i] + t % kTiles * kSide;
          const int32x4_t vectors[kTileVectors] = {vld1q_s32(its), vld1q_s32(its + 4),
                                                   vld1q_s32(its + 8), vld1q_s32(its + 12)};
          StoreSums(vectors, ends, quant[r + i], channels - t * kSide,
                    out + (r + i) * out_stride + t * kSide);
        }
      }
    }
  }
  return rows;
}

}  // namespace rondo

#endif  // __aarch64__
