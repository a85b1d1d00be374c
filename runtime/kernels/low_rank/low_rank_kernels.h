// The kernels for adapters, by instruction set. Those with a fused multiply-add have other bits
// than those without.
#pragma once

#include "runtime/kernels/kernel_set.h"

namespace rondo {

extern const LowRankKernels kLowRankPortable;
#if defined(__x86_64__)
extern const LowRankKernels kLowRankAvx2, kLowRankAvx512;
#elif defined(__aarch64__)
extern const LowRankKernels kLowRankNeon;
#endif

// The same loops with other low-rank kernels.
constexpr RowLoops WithLowRank(RowLoops loops, const LowRankKernels& kernels) {
  loops.low_rank = &kernels;
  return loops;
}

}  // namespace rondo
