// The 64-bit ARM kernel sets.
#if defined(__aarch64__)

#include "platforms/cpu.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

namespace {
constexpr auto Q = [](auto f) { return KernelCast<QuantizedGemm>(f); };
constexpr auto F = [](auto f) { return KernelCast<FloatGemm>(f); };

// What the sets have in common: everything with floats on one side.
KernelSet Common(const char* name, bool (*available)(), const TileKernels<QuantizedGemm>& q8,
                 const TileKernels<QuantizedGemm>& q4) {
  return {
      .name = name,
      .available = available,
      .q8 = q8,
      .q4 = q4,
      .f32 = {8,
              1,
              6,
              {
                  nullptr,
                  F(xnn_f32_gemm_minmax_ukernel_1x8__aarch64_neonfma_lane_ld128),
                  F(xnn_f32_gemm_minmax_ukernel_4x8__aarch64_neonfma_lane_ld128),
                  F(xnn_f32_gemm_minmax_ukernel_4x8__aarch64_neonfma_lane_ld128),
                  F(xnn_f32_gemm_minmax_ukernel_4x8__aarch64_neonfma_lane_ld128),
                  F(xnn_f32_gemm_minmax_ukernel_6x8__aarch64_neonfma_lane_ld128),
                  F(xnn_f32_gemm_minmax_ukernel_6x8__aarch64_neonfma_lane_ld128),
              }},
      .f32_q8 = {8,
                 1,
                 6,
                 {
                     nullptr,
                     F(xnn_f32_qc8w_gemm_minmax_ukernel_1x8__aarch64_neonfma_lane_ld128),
                     F(xnn_f32_qc8w_gemm_minmax_ukernel_4x8__aarch64_neonfma_lane_ld128),
                     F(xnn_f32_qc8w_gemm_minmax_ukernel_4x8__aarch64_neonfma_lane_ld128),
                     F(xnn_f32_qc8w_gemm_minmax_ukernel_4x8__aarch64_neonfma_lane_ld128),
                     F(xnn_f32_qc8w_gemm_minmax_ukernel_6x8__aarch64_neonfma_lane_ld128),
                     F(xnn_f32_qc8w_gemm_minmax_ukernel_6x8__aarch64_neonfma_lane_ld128),
                 }},
      .min_max = KernelCast<decltype(KernelSet::min_max)>(xnn_f32_rminmax_ukernel__neon_u16_acc4),
      .max = KernelCast<decltype(KernelSet::max)>(xnn_f32_rmax_ukernel__neon_u16_acc4),
      .quantize = KernelCast<decltype(KernelSet::quantize)>(xnn_f32_qs8_vcvt_ukernel__neonv8_u32),
      .exp_minus_max = KernelCast<decltype(KernelSet::exp_minus_max)>(
          xnn_f32_raddstoreexpminusmax_ukernel__neonfma_rr1_lut64_p2_u16_acc2),
      .sigmoid = KernelCast<decltype(KernelSet::sigmoid)>(
          xnn_f32_vsigmoid_ukernel__neonfma_rr1_lut64_p2_nr2recps_u16),
      .multiply = KernelCast<decltype(KernelSet::multiply)>(xnn_f32_vmul_ukernel__neon_u8),
  };
}

}  // namespace

extern const KernelSet kKernelsI8mm;
const KernelSet kKernelsI8mm = Common("i8mm", [] { return DetectCpu().neon_i8mm; },
                                      {16,
                                       8,
                                       4,
                                       {
                                           nullptr,
                                           Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_1x16c8__neoni8mm),
                                           Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_2x16c8__neoni8mm),
                                           Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_4x16c8__neoni8mm),
                                           Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_4x16c8__neoni8mm),
                                       }},
                                      {16,
                                       8,
                                       4,
                                       {
                                           nullptr,
                                           Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_1x16c8__neoni8mm),
                                           Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_2x16c8__neoni8mm),
                                           Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_4x16c8__neoni8mm),
                                           Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_4x16c8__neoni8mm),
                                       }});

extern const KernelSet kKernelsNeonDot;
const KernelSet kKernelsNeonDot =
    Common("neondot", [] { return DetectCpu().neon_dot; },
           {16,
            4,
            4,
            {
                nullptr,
                Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_1x16c4__neondot),
                Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_2x16c4__neondot),
                Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_4x16c4__neondot),
                Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_4x16c4__neondot),
            }},
           {16,
            4,
            4,
            {
                nullptr,
                Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_1x16c4__neondot),
                Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_2x16c4__neondot),
                Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_4x16c4__neondot),
                Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_4x16c4__neondot),
            }});

extern const KernelSet kKernelsNeon;
const KernelSet kKernelsNeon =
    Common("neon", [] { return true; },
           {16,
            1,
            4,
            {
                nullptr,
                Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_1x16__neon_mlal_lane),
                Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_2x16__neon_mlal_lane),
                Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_4x16__neon_mlal_lane),
                Q(xnn_qd8_f32_qc8w_gemm_minmax_ukernel_4x16__neon_mlal_lane),
            }},
           {16,
            1,
            4,
            {
                nullptr,
                Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_1x16__neon_mlal_lane),
                Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_2x16__neon_mlal_lane),
                Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_4x16__neon_mlal_lane),
                Q(xnn_qd8_f32_qb4w_gemm_minmax_ukernel_4x16__neon_mlal_lane),
            }});

}  // namespace rondo

#endif  // __aarch64__
