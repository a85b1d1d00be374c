// The x86-64 kernel sets.
#if defined(__x86_64__)

#include "platforms/cpu.h"
#include "runtime/kernels/amx.h"
#include "runtime/kernels/avx512_scores.h"
#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/values/value_kernels.h"
#include "runtime/kernels/x86_products.h"
#include "runtime/kernels/xnnpack_adapter.h"

// Kernels compiled for inputs that hold q + 128, and of these those that also read memory far ahead
// (platforms/cmake/xnnpack_kernels.cmake).
#define RONDO_DECLARE(prefix, gemm, tile)                              \
  extern "C" decltype(xnn_qd8_f32_##gemm##_gemm_minmax_ukernel_##tile) \
      prefix##_xnn_qd8_f32_##gemm##_gemm_minmax_ukernel_##tile
RONDO_DECLARE(rondo_unsigned, qb4w, 1x16c8__avx512vnni);
RONDO_DECLARE(rondo_unsigned, qb4w, 5x16c8__avx512vnni_prfm);
RONDO_DECLARE(rondo_unsigned, qb4w, 8x16c8__avx512vnni_prfm);
RONDO_DECLARE(rondo_unsigned, qc8w, 1x16c8__avx512vnni);
RONDO_DECLARE(rondo_unsigned, qc8w, 5x16c8__avx512vnni_prfm);
RONDO_DECLARE(rondo_unsigned, qc8w, 8x16c8__avx512vnni_prfm);
RONDO_DECLARE(rondo_unsigned, qc8w, 1x16c4__avx512vnni);
RONDO_DECLARE(rondo_unsigned, qc8w, 4x16c4__avx512vnni);
RONDO_DECLARE(rondo_unsigned, qc8w, 8x16c4__avx512vnni);
RONDO_DECLARE(rondo_ahead, qb4w, 1x16c8__avx512vnni_prfm);
RONDO_DECLARE(rondo_ahead, qb4w, 5x16c8__avx512vnni_prfm);
RONDO_DECLARE(rondo_ahead, qb4w, 8x16c8__avx512vnni_prfm);
RONDO_DECLARE(rondo_ahead, qc8w, 1x16c8__avx512vnni_prfm);
RONDO_DECLARE(rondo_ahead, qc8w, 5x16c8__avx512vnni_prfm);
RONDO_DECLARE(rondo_ahead, qc8w, 8x16c8__avx512vnni_prfm);
RONDO_DECLARE(rondo_ahead, qc8w, 1x16c4__avx512vnni_prfm);
RONDO_DECLARE(rondo_ahead, qc8w, 4x16c4__avx512vnni_prfm);
RONDO_DECLARE(rondo_ahead, qc8w, 8x16c4__avx512vnni_prfm);
#define RONDO_UNSIGNED_Q8(t) RONDO_TILE(QuantizedGemm, rondo_unsigned_xnn_qd8_f32_qc8w_gemm, t)
#define RONDO_UNSIGNED_Q4B(t) RONDO_TILE(QuantizedGemm, rondo_unsigned_xnn_qd8_f32_qb4w_gemm, t)
#define RONDO_AHEAD_Q8(t) RONDO_TILE(QuantizedGemm, rondo_ahead_xnn_qd8_f32_qc8w_gemm, t)
#define RONDO_AHEAD_Q4B(t) RONDO_TILE(QuantizedGemm, rondo_ahead_xnn_qd8_f32_qb4w_gemm, t)

namespace rondo {

// What the sets with AVX512-VNNI have in common, around these. Macros, so that the tables need no
// code at load time. Keys have groups of 4 inputs: they are few channels, and need no sums across a
// vector at the end then.
#define RONDO_AVX512(its_codes, its_q8, its_few_scores, its_q8_many, its_q4b)                     \
  .codes = its_codes, .values = &kValueKernelsAvx512Vnni, .q8 = its_q8,                           \
  .keys =                                                                                         \
      RONDO_FAMILY(16, 4, 8, RONDO_UNSIGNED_Q8(1x16c4__avx512vnni),                               \
                   RONDO_UNSIGNED_Q8(4x16c4__avx512vnni), RONDO_UNSIGNED_Q8(8x16c4__avx512vnni)), \
  .few_scores = its_few_scores, .q8_many = its_q8_many, .q4b = its_q4b,                           \
  .f32 = RONDO_FAMILY(16, 1, 7, RONDO_F32(1x16__avx512f_broadcast),                               \
                      RONDO_F32(4x16__avx512f_broadcast), RONDO_F32(7x16__avx512f_broadcast)),    \
  .loops = &kRowLoopsAvx512, RONDO_VECTOR(min_max, xnn_f32_rminmax_ukernel__avx512f_u64_acc4),    \
  RONDO_VECTOR(max, xnn_f32_rmax_ukernel__avx512f_u64_acc4),                                      \
  RONDO_VECTOR(quantize, xnn_f32_qs8_vcvt_ukernel__avx512skx_u128),                               \
  RONDO_VECTOR(quantize_unsigned, xnn_f32_qu8_vcvt_ukernel__avx512skx_u128),                      \
  RONDO_VECTOR(exp_minus_max, xnn_f32_raddstoreexpminusmax_ukernel__avx512f_rr2_p5_u64_acc2),     \
  RONDO_VECTOR(sigmoid, xnn_f32_vsigmoid_ukernel__avx512f_rr2_lut32_p2_perm2_scalef_div_u64),     \
  RONDO_VECTOR(tanh, xnn_f32_vtanh_ukernel__avx512f_rational_9_8_div_u32),                        \
  RONDO_VECTOR(gelu, xnn_f32_vgelu_ukernel__avx512f_rational_12_10_div_u32),                      \
  RONDO_VECTOR(multiply, xnn_f32_vmul_ukernel__avx512f_u32)
// Tiles that read far ahead, and the kernel for 8 rows that does not.
#define RONDO_AHEAD_FAMILY(near, ...) \
  { 16, 8, 8, {{__VA_ARGS__}}, reinterpret_cast<QuantizedGemm>(&(near)) }
#define RONDO_AHEAD_Q4B_FAMILY                                                                    \
  RONDO_AHEAD_FAMILY(rondo_unsigned_xnn_qd8_f32_qb4w_gemm_minmax_ukernel_8x16c8__avx512vnni_prfm, \
                     RONDO_AHEAD_Q4B(1x16c8__avx512vnni_prfm),                                    \
                     RONDO_AHEAD_Q4B(5x16c8__avx512vnni_prfm),                                    \
                     RONDO_AHEAD_Q4B(8x16c8__avx512vnni_prfm))

extern const KernelSet kKernelsAmx;
const KernelSet kKernelsAmx = {
    .name = "amx",
    .available = [] { return DetectCpu().amx_int8; },
    .permitted = AllowAmx,
    RONDO_AVX512(&kCodeKernelsAvx512Vnni,
                 RONDO_FAMILY(16, 4, 8, RONDO_AHEAD_Q8(1x16c4__avx512vnni_prfm),
                              RONDO_AHEAD_Q8(4x16c4__avx512vnni_prfm),
                              RONDO_AHEAD_Q8(8x16c4__avx512vnni_prfm)),
                 ScoreByAvx512Vnni, MultiplyByAmx, RONDO_AHEAD_Q4B_FAMILY)};

extern const KernelSet kKernelsAvx512Vnni;
const KernelSet kKernelsAvx512Vnni = {
    .name = "avx512vnni",
    .available = [] { return DetectCpu().avx512_vnni && !DetectCpu().zen3_or_4; },
    RONDO_AVX512(
        &kCodeKernelsAvx512Vnni,
        RONDO_AHEAD_FAMILY(
            rondo_unsigned_xnn_qd8_f32_qc8w_gemm_minmax_ukernel_8x16c8__avx512vnni_prfm,
            RONDO_AHEAD_Q8(1x16c8__avx512vnni_prfm), RONDO_AHEAD_Q8(5x16c8__avx512vnni_prfm),
            RONDO_AHEAD_Q8(8x16c8__avx512vnni_prfm)),
        ScoreByAvx512Vnni, nullptr, RONDO_AHEAD_Q4B_FAMILY)};

// Zen 4 loses where others gain by reading far ahead; with one row by any prefetch instruction.
extern const KernelSet kKernelsAvx512VnniZen4;
const KernelSet kKernelsAvx512VnniZen4 = {
    .name = "avx512vnni",
    .available = [] { return DetectCpu().avx512_vnni && DetectCpu().zen3_or_4; },
    RONDO_AVX512(&kCodeKernelsAvx512VnniZen4,
                 RONDO_FAMILY(16, 8, 8, RONDO_UNSIGNED_Q8(1x16c8__avx512vnni),
                              RONDO_UNSIGNED_Q8(5x16c8__avx512vnni_prfm),
                              RONDO_UNSIGNED_Q8(8x16c8__avx512vnni_prfm)),
                 nullptr, nullptr,
                 RONDO_FAMILY(16, 8, 8, RONDO_UNSIGNED_Q4B(1x16c8__avx512vnni),
                              RONDO_UNSIGNED_Q4B(5x16c8__avx512vnni_prfm),
                              RONDO_UNSIGNED_Q4B(8x16c8__avx512vnni_prfm)))};

#undef RONDO_AHEAD_Q4B_FAMILY
#undef RONDO_AHEAD_FAMILY
#undef RONDO_AVX512

// What the sets with vectors of 256 bits have in common, around how inputs become unsigned.
#define RONDO_AVX2(...)                                                                           \
  .f32 = RONDO_FAMILY(16, 1, 5, RONDO_F32(1x16__fma3_broadcast), RONDO_F32(3x16__fma3_broadcast), \
                      RONDO_F32(5x16__fma3_broadcast)),                                           \
  .loops = &kRowLoopsAvx2, RONDO_VECTOR(min_max, xnn_f32_rminmax_ukernel__avx_u32_acc4),          \
  RONDO_VECTOR(max, xnn_f32_rmax_ukernel__avx_u32_acc4),                                          \
  RONDO_VECTOR(quantize, xnn_f32_qs8_vcvt_ukernel__avx2_u64), __VA_ARGS__,                        \
  RONDO_VECTOR(exp_minus_max, xnn_f32_raddstoreexpminusmax_ukernel__avx2_rr2_p5_u32_acc2),        \
  RONDO_VECTOR(sigmoid, xnn_f32_vsigmoid_ukernel__avx2_rr1_p5_div_u40),                           \
  RONDO_VECTOR(tanh, xnn_f32_vtanh_ukernel__fma3_rational_9_8_div_u16),                           \
  RONDO_VECTOR(gelu, xnn_f32_vgelu_ukernel__fma3_rational_12_10_div_u16),                         \
  RONDO_VECTOR(multiply, xnn_f32_vmul_ukernel__avx_u16)

extern const KernelSet kKernelsAvxVnni;
const KernelSet kKernelsAvxVnni = {
    .name = "avxvnni",
    .available = [] { return DetectCpu().avx_vnni; },
    .codes = &kCodeKernelsAvxVnni,
    .values = &kValueKernelsAvxVnni,
    .q8 = RONDO_FAMILY(8, 8, 6, {1, AvxVnniQ8Rows1}, {2, AvxVnniQ8Rows2}, {4, AvxVnniQ8Rows4},
                       {6, AvxVnniQ8Rows6}),
    .q4b = RONDO_FAMILY(8, 8, 4, {1, AvxVnniQ4BRows1}, {2, AvxVnniQ4BRows2}, {4, AvxVnniQ4BRows4}),
    RONDO_AVX2(RONDO_VECTOR(quantize_unsigned, xnn_f32_qu8_vcvt_ukernel__avx2_u64))};

extern const KernelSet kKernelsAvx2;
const KernelSet kKernelsAvx2 = {
    .name = "avx2",
    .available = [] { return DetectCpu().avx2_fma; },
    .codes = &kCodeKernelsAvx2,
    .values = &kValueKernelsAvx2,
    .q8 = RONDO_FAMILY(8, 8, 4, {1, Avx2Q8Rows1}, {2, Avx2Q8Rows2}, {3, Avx2Q8Rows3},
                       {4, Avx2Q8Rows4}),
    .q4b = RONDO_FAMILY(8, 8, 4, {1, Avx2Q4BRows1}, {2, Avx2Q4BRows2}, {4, Avx2Q4BRows4}),
    RONDO_AVX2(.quantize_unsigned = nullptr)};

#undef RONDO_AVX2

// The q4b kernels for SSE need tiles at multiples of 16 bytes, which an odd number of blocks
// breaks; the portable ones stand in.
extern const KernelSet kKernelsSse41;
const KernelSet kKernelsSse41 = {
    .name = "sse41",
    .available = [] { return DetectCpu().sse41; },
    .codes = &kCodeKernelsPortable,
    .values = &kValueKernelsSse41,
    .q8 = RONDO_FAMILY(4, 8, 4, RONDO_Q8(1x4c8__sse41_ld64), RONDO_Q8(2x4c8__sse41_ld64),
                       RONDO_Q8(3x4c8__sse41_ld64), RONDO_Q8(4x4c8__sse41_ld64)),
    .q4b = RONDO_FAMILY(4, 1, 4, RONDO_Q4B(1x4__scalar), RONDO_Q4B(4x4__scalar)),
    .f32 = RONDO_FAMILY(8, 1, 4, RONDO_F32(1x8__sse_dup), RONDO_F32(4x8__sse_dup)),
    .loops = &kRowLoopsBaseline,
    RONDO_VECTOR(min_max, xnn_f32_rminmax_ukernel__sse_u16_acc4),
    RONDO_VECTOR(max, xnn_f32_rmax_ukernel__sse_u16_acc4),
    RONDO_VECTOR(quantize, xnn_f32_qs8_vcvt_ukernel__sse41_u32),
    RONDO_VECTOR(exp_minus_max, xnn_f32_raddstoreexpminusmax_ukernel__sse2_rr2_p5_u16_acc2),
    RONDO_VECTOR(sigmoid, xnn_f32_vsigmoid_ukernel__sse41_rr2_lut64_p2_div_u8),
    RONDO_VECTOR(tanh, xnn_f32_vtanh_ukernel__sse2_rational_9_8_div_u8),
    RONDO_VECTOR(gelu, xnn_f32_vgelu_ukernel__sse2_rational_12_10_div_u8),
    RONDO_VECTOR(multiply, xnn_f32_vmul_ukernel__sse_u8),
};

}  // namespace rondo

#endif  // __x86_64__
