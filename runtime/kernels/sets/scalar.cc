// The portable kernel set: plain C, on every CPU.
#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/values/value_kernels.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

extern const KernelSet kKernelsScalar;
const KernelSet kKernelsScalar = {
    .name = "scalar",
    .available = [] { return true; },
    .codes = &kCodeKernelsPortable,
    .values = &kValueKernelsPortable,
    .q8 = RONDO_FAMILY(4, 1, 4, RONDO_Q8(1x4__scalar), RONDO_Q8(4x4__scalar)),
    .q4b = RONDO_FAMILY(4, 1, 4, RONDO_Q4B(1x4__scalar), RONDO_Q4B(4x4__scalar)),
    .f32 = RONDO_FAMILY(4, 1, 4, RONDO_F32(1x4__scalar), RONDO_F32(4x4__scalar)),
    .loops = &kRowLoopsBaseline,
    RONDO_VECTOR(min_max, xnn_f32_rminmax_ukernel__scalar_u4_acc4),
    RONDO_VECTOR(max, xnn_f32_rmax_ukernel__scalar_u4_acc4),
    RONDO_VECTOR(quantize, xnn_f32_qs8_vcvt_ukernel__scalar_lrintf_u4),
    RONDO_VECTOR(exp_minus_max, xnn_f32_raddstoreexpminusmax_ukernel__scalar_rr2_p5_u4_acc2),
    RONDO_VECTOR(sigmoid, xnn_f32_vsigmoid_ukernel__scalar_rr2_lut64_p2_div_u2),
    RONDO_VECTOR(tanh, xnn_f32_vtanh_ukernel__scalar_rational_9_8_div_u4),
    RONDO_VECTOR(gelu, xnn_f32_vgelu_ukernel__scalar_rational_12_10_div_u4),
    RONDO_VECTOR(multiply, xnn_f32_vmul_ukernel__scalar_u8),
};

}  // namespace rondo
