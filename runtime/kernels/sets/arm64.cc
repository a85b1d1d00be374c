// The 64-bit ARM kernel sets.
#if defined(__aarch64__)

#include "platforms/cpu.h"
#include "runtime/kernels/arm64_products.h"
#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/sme.h"
#include "runtime/kernels/values/value_kernels.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

// What the sets have in common: everything with floats on one side. A macro, so that the tables
// need no code at load time.
#define RONDO_NEON_FLOAT                                                                      \
  .f32 = RONDO_FAMILY(8, 1, 6, RONDO_F32(1x8__aarch64_neonfma_lane_ld128),                    \
                      RONDO_F32(4x8__aarch64_neonfma_lane_ld128),                             \
                      RONDO_F32(6x8__aarch64_neonfma_lane_ld128)),                            \
  .loops = &kRowLoopsBaseline, RONDO_VECTOR(min_max, xnn_f32_rminmax_ukernel__neon_u16_acc4), \
  RONDO_VECTOR(max, xnn_f32_rmax_ukernel__neon_u16_acc4),                                     \
  RONDO_VECTOR(quantize, xnn_f32_qs8_vcvt_ukernel__neonv8_u32),                               \
  RONDO_VECTOR(exp_minus_max,                                                                 \
               xnn_f32_raddstoreexpminusmax_ukernel__neonfma_rr1_lut64_p2_u16_acc2),          \
  RONDO_VECTOR(sigmoid, xnn_f32_vsigmoid_ukernel__neonfma_rr1_lut64_p2_nr2recps_u16),         \
  RONDO_VECTOR(tanh, xnn_f32_vtanh_ukernel__neon_rational_9_8_div_u8),                        \
  RONDO_VECTOR(gelu, xnn_f32_vgelu_ukernel__neon_rational_12_10_div_u8),                      \
  RONDO_VECTOR(multiply, xnn_f32_vmul_ukernel__neon_u8)

// What the sets for tiles in groups of 4 inputs have in common, but for these two.
#define RONDO_NEON_DOT(its_values, its_q8_many)                                         \
  .codes = &kCodeKernelsNeonDot, .values = its_values,                                  \
  .q8 = RONDO_FAMILY(16, 4, 4, RONDO_Q8(1x16c4__neondot), RONDO_Q8(2x16c4__neondot),    \
                     RONDO_Q8(4x16c4__neondot)),                                        \
  .q8_many = its_q8_many,                                                               \
  .q4b = RONDO_FAMILY(16, 4, 4, RONDO_Q4B(1x16c4__neondot), RONDO_Q4B(2x16c4__neondot), \
                      RONDO_Q4B(4x16c4__neondot)),                                      \
  RONDO_NEON_FLOAT

extern const KernelSet kKernelsI8mm;
const KernelSet kKernelsI8mm = {
    .name = "i8mm",
    .rows_in_pairs = true,
    .available = [] { return DetectCpu().neon_i8mm; },
    .codes = &kCodeKernelsI8mm,
    .values = &kValueKernelsI8mm,
    .q8 = RONDO_FAMILY(16, 8, 6, {1, I8mmQ8Rows1}, {2, I8mmQ8Rows2}, {4, I8mmQ8Rows4},
                       {6, I8mmQ8Rows6}),
    .q4b = RONDO_FAMILY(16, 8, 4, {1, I8mmQ4BRows1}, {2, I8mmQ4BRows2}, {4, I8mmQ4BRows4}),
    RONDO_NEON_FLOAT};

extern const KernelSet kKernelsNeonDot;
const KernelSet kKernelsNeonDot = {.name = "neondot",
                                   .available = [] { return DetectCpu().neon_dot; },
                                   RONDO_NEON_DOT(&kValueKernelsNeonDot, nullptr)};

// What is published of Apple's M4 says that its one unit for SME has about the rate that the fast
// cores have together with i8mm. Nothing here measured it: SME has run under qemu only. So the set
// stands behind others that every CPU with it has, and is chosen by its name alone.
extern const KernelSet kKernelsSme;
const KernelSet kKernelsSme = {
    .name = "sme",
    .available = [] { return DetectCpu().sme && DetectCpu().neon_i8mm && SmeFits(); },
    RONDO_NEON_DOT(&kValueKernelsI8mm, MultiplyBySme)};

extern const KernelSet kKernelsNeon;
const KernelSet kKernelsNeon = {
    .name = "neon",
    .available = [] { return true; },
    .codes = &kCodeKernelsNeon,
    .values = &kValueKernelsNeon,
    .q8 = RONDO_FAMILY(16, 1, 4, {1, NeonQ8Rows1}, {2, NeonQ8Rows2}, {4, NeonQ8Rows4}),
    .q4b = RONDO_FAMILY(16, 1, 4, RONDO_Q4B(1x16__neon_mlal_lane), RONDO_Q4B(2x16__neon_mlal_lane),
                        RONDO_Q4B(4x16__neon_mlal_lane)),
    RONDO_NEON_FLOAT};

#undef RONDO_NEON_DOT
#undef RONDO_NEON_FLOAT

}  // namespace rondo

#endif  // __aarch64__
