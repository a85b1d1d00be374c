// WebAssembly's relaxed dot products: four int8 products at once, in a module that only hosts with
// relaxed SIMD take. What they make of operands beyond 7 bits is the machine's own business, so
// that there are a set for hosts that take one operand as unsigned (x86) and one for those that do
// not (ARM); a host that saturates in between (x86 without VNNI) has neither.
#if defined(__wasm_relaxed_simd__)

#include <wasm_simd128.h>

#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/values/value_kernels.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {
namespace {

// The sum of four products of `a`, and of `b`, which needs 8 bits.
int32_t RelaxedDot(int a, int b) {
  const v128_t sum = wasm_i32x4_relaxed_dot_i8x16_i7x16_add(
      wasm_i8x16_splat(static_cast<int8_t>(a)), wasm_i8x16_splat(static_cast<int8_t>(b)),
      wasm_i32x4_splat(0));
  return wasm_i32x4_extract_lane(sum, 0);
}

bool TakesUnsigned() { return RelaxedDot(127, 0xff) == 4 * 127 * 255; }
bool TakesSigned() {
  return RelaxedDot(127, 0xff) == -4 * 127 && RelaxedDot(-128, 0x80) == 4 * 128 * 128;
}

}  // namespace

#define RONDO_WASM_SET(kind, can)                                                                \
  {                                                                                              \
    .name = #kind, .available = can, .codes = &kCodeKernelsPortable,                             \
    .values = &kValueKernelsPortable,                                                            \
    .q8 = RONDO_FAMILY(8, 8, 4, RONDO_Q8(1x8c8__##kind), RONDO_Q8(2x8c8__##kind),                \
                       RONDO_Q8(3x8c8__##kind), RONDO_Q8(4x8c8__##kind)),                        \
    .q4b = RONDO_FAMILY(4, 1, 4, RONDO_Q4B(1x4__scalar), RONDO_Q4B(4x4__scalar)),                \
    .f32 = RONDO_FAMILY(8, 1, 6, RONDO_F32(1x8__wasmsimd_arm_splat),                             \
                        RONDO_F32(4x8__wasmsimd_arm_splat), RONDO_F32(6x8__wasmsimd_arm_splat)), \
    .loops = &kRowLoopsBaseline,                                                                 \
    RONDO_VECTOR(min_max, xnn_f32_rminmax_ukernel__wasmsimd_minmax_u16_acc4),                    \
    RONDO_VECTOR(max, xnn_f32_rmax_ukernel__wasmsimd_minmax_u16_acc4),                           \
    RONDO_VECTOR(quantize, xnn_f32_qs8_vcvt_ukernel__wasmsimd_magic_u32),                        \
    RONDO_VECTOR(exp_minus_max, xnn_f32_raddstoreexpminusmax_ukernel__wasmsimd_rr2_p5_u16_acc2), \
    RONDO_VECTOR(sigmoid, xnn_f32_vsigmoid_ukernel__wasmsimd_rr2_lut64_p2_div_u16),              \
    RONDO_VECTOR(tanh, xnn_f32_vtanh_ukernel__wasmsimd_rational_9_8_div_u8),                     \
    RONDO_VECTOR(gelu, xnn_f32_vgelu_ukernel__wasmsimd_rational_12_10_div_u8),                   \
    RONDO_VECTOR(multiply, xnn_f32_vmul_ukernel__wasmsimd_u16),                                  \
  }

extern const KernelSet kKernelsWasmUnsignedDot;
extern const KernelSet kKernelsWasmSignedDot;
const KernelSet kKernelsWasmUnsignedDot = RONDO_WASM_SET(wasmusdot, TakesUnsigned);
const KernelSet kKernelsWasmSignedDot = RONDO_WASM_SET(wasmsdot, TakesSigned);

}  // namespace rondo

#endif  // __wasm_relaxed_simd__
