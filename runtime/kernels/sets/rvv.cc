// The RISC-V vector kernel sets. XNNPACK's kernels take tiles of four vector registers of channels,
// so that the layout of weights depends on the registers' length: a set for each.
#if defined(RONDO_RVV)

#include "platforms/cpu.h"
#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/values/value_kernels.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

// XNNPACK has no q4b kernels and no sigmoid, tanh and gelu for it; the portable ones stand in.
#define RONDO_RVV_SET(bits)                                                               \
  {                                                                                       \
    .name = "rvv" #bits, .available = [] { return DetectCpu().rvv_bits == (bits); },      \
    .codes = &kCodeKernelsPortable, .values = &kValueKernelsPortable,                     \
    .q8 = RONDO_FAMILY((bits) / 8, 1, 4, RONDO_Q8(1x4v__rvv), RONDO_Q8(2x4v__rvv),        \
                       RONDO_Q8(3x4v__rvv), RONDO_Q8(4x4v__rvv)),                         \
    .q4b = RONDO_FAMILY(4, 1, 4, RONDO_Q4B(1x4__scalar), RONDO_Q4B(4x4__scalar)),         \
    .f32 = RONDO_FAMILY((bits) / 8, 1, 7, RONDO_F32(1x4v__rvv), RONDO_F32(7x4v__rvv)),    \
    .loops = &kRowLoopsBaseline, RONDO_VECTOR(min_max, xnn_f32_rminmax_ukernel__rvv_u8v), \
    RONDO_VECTOR(max, xnn_f32_rmax_ukernel__rvv_u8v),                                     \
    RONDO_VECTOR(quantize, xnn_f32_qs8_vcvt_ukernel__rvv_u4v),                            \
    RONDO_VECTOR(exp_minus_max, xnn_f32_raddstoreexpminusmax_ukernel__rvv_rr2_p6_u4v),    \
    RONDO_VECTOR(sigmoid, xnn_f32_vsigmoid_ukernel__scalar_rr2_lut64_p2_div_u2),          \
    RONDO_VECTOR(tanh, xnn_f32_vtanh_ukernel__scalar_rational_9_8_div_u4),                \
    RONDO_VECTOR(gelu, xnn_f32_vgelu_ukernel__scalar_rational_12_10_div_u4),              \
    RONDO_VECTOR(multiply, xnn_f32_vmul_ukernel__rvv_u8v),                                \
  }

extern const KernelSet kKernelsRvv128;
extern const KernelSet kKernelsRvv256;
const KernelSet kKernelsRvv128 = RONDO_RVV_SET(128);
const KernelSet kKernelsRvv256 = RONDO_RVV_SET(256);

}  // namespace rondo

#endif  // RONDO_RVV
