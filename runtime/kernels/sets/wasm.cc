// The WebAssembly kernel set, of 128-bit vectors: a module that uses them runs only where they are.
#if defined(__wasm_simd128__)

#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/values/value_kernels.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

// XNNPACK has no q4b kernels for it; the portable ones stand in.
extern const KernelSet kKernelsWasmSimd;
const KernelSet kKernelsWasmSimd = {
    .name = "wasmsimd",
    .available = [] { return true; },
    .codes = &kCodeKernelsPortable,
    .values = &kValueKernelsPortable,
    .q8 = RONDO_FAMILY(
        4, 8, 4, RONDO_Q8(1x4c8__wasmsimd_dot16x2_ld64), RONDO_Q8(2x4c8__wasmsimd_dot16x2_ld64),
        RONDO_Q8(3x4c8__wasmsimd_dot16x2_ld64), RONDO_Q8(4x4c8__wasmsimd_dot16x2_ld64)),
    .q4b = RONDO_FAMILY(4, 1, 4, RONDO_Q4B(1x4__scalar), RONDO_Q4B(4x4__scalar)),
    .f32 = RONDO_FAMILY(8, 1, 6, RONDO_F32(1x8__wasmsimd_arm_splat),
                        RONDO_F32(4x8__wasmsimd_arm_splat), RONDO_F32(6x8__wasmsimd_arm_splat)),
    .loops = &kRowLoopsBaseline,
    RONDO_VECTOR(min_max, xnn_f32_rminmax_ukernel__wasmsimd_minmax_u16_acc4),
    RONDO_VECTOR(max, xnn_f32_rmax_ukernel__wasmsimd_minmax_u16_acc4),
    RONDO_VECTOR(quantize, xnn_f32_qs8_vcvt_ukernel__wasmsimd_magic_u32),
    RONDO_VECTOR(exp_minus_max, xnn_f32_raddstoreexpminusmax_ukernel__wasmsimd_rr2_p5_u16_acc2),
    RONDO_VECTOR(sigmoid, xnn_f32_vsigmoid_ukernel__wasmsimd_rr2_lut64_p2_div_u16),
    RONDO_VECTOR(tanh, xnn_f32_vtanh_ukernel__wasmsimd_rational_9_8_div_u8),
    RONDO_VECTOR(gelu, xnn_f32_vgelu_ukernel__wasmsimd_rational_12_10_div_u8),
    RONDO_VECTOR(multiply, xnn_f32_vmul_ukernel__wasmsimd_u16),
};

}  // namespace rondo

#endif  // __wasm_simd128__
