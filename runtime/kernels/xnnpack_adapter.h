// What the kernel tables and operators share about XNNPACK. Included only inside this folder.
#pragma once

#include <cmath>

#include "xnnpack/gemm.h"
#include "xnnpack/microparams.h"
#include "xnnpack/quantization.h"
#include "xnnpack/raddstoreexpminusmax.h"
#include "xnnpack/reduce.h"
#include "xnnpack/vbinary.h"
#include "xnnpack/vcvt.h"
#include "xnnpack/vunary.h"

#include "runtime/kernels/kernel_set.h"

namespace rondo {

static_assert(sizeof(RowQuant) == sizeof(xnn_qd8_quantization_params));
static_assert(offsetof(RowQuant, scale) == offsetof(xnn_qd8_quantization_params, inv_scale));

// XNNPACK's own operators call microkernels through types whose pointers are void: so do we.
// Macros, because compilers then fill the tables before any code runs.
// clang-format off
#define RONDO_TILE(function, gemm, tile) \
  {#tile[0] - '0', reinterpret_cast<function>(&gemm##_minmax_ukernel_##tile)}
// A family's nr and kr, the most rows that it takes at once, and its tiles.
#define RONDO_FAMILY(nr, kr, max_rows, ...) {nr, kr, max_rows, {{__VA_ARGS__}}}
// clang-format on
// Tiles by XNNPACK's names, which begin with the rows: RONDO_Q8(4x16c8__neoni8mm).
#define RONDO_Q8(tile) RONDO_TILE(QuantizedGemm, xnn_qd8_f32_qc8w_gemm, tile)
#define RONDO_Q4B(tile) RONDO_TILE(QuantizedGemm, xnn_qd8_f32_qb4w_gemm, tile)
#define RONDO_F32(tile) RONDO_TILE(FloatGemm, xnn_f32_gemm, tile)
#define RONDO_VECTOR(member, function) \
  .member = reinterpret_cast<decltype(KernelSet::member)>(&(function))

extern const RowLoops kRowLoopsBaseline;
#if defined(__x86_64__)
extern const RowLoops kRowLoopsAvx2;
extern const RowLoops kRowLoopsAvx512;
#endif

inline constexpr xnn_f32_minmax_params kNoClamp = {{-INFINITY, INFINITY}};

}  // namespace rondo
