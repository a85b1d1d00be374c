// The kernels for values, by instruction set. Their sums are exact: all give the same bits.
#pragma once

#include "runtime/kernels/kernel_set.h"

namespace rondo {

inline constexpr size_t kValueTileBytes = kValueChannels * kKvBlockTokens;

extern const ValueKernels kValueKernelsPortable;
#if defined(__x86_64__)
extern const ValueKernels kValueKernelsSse41, kValueKernelsAvx2, kValueKernelsAvxVnni,
    kValueKernelsAvx512Vnni;
#elif defined(__aarch64__)
extern const ValueKernels kValueKernelsI8mm, kValueKernelsNeonDot, kValueKernelsNeon;
#endif

}  // namespace rondo
