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
#define RONDO_QUANTIZED(function) reinterpret_cast<QuantizedGemm>(&(function))
#define RONDO_FLOAT(function) reinterpret_cast<FloatGemm>(&(function))
#define RONDO_VECTOR(member, function) \
  .member = reinterpret_cast<decltype(KernelSet::member)>(&(function))

extern const RowLoops kRowLoopsBaseline;
#if defined(__x86_64__)
extern const RowLoops kRowLoopsAvx2;
extern const RowLoops kRowLoopsAvx512;
#endif

inline constexpr xnn_f32_minmax_params kNoClamp = {{-INFINITY, INFINITY}};

}  // namespace rondo
