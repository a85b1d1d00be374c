// The kernels for codes of 4, 3 and 2 bits, by instruction set. All expand to the same values;
// products have the bits of their set's q8 kernels.
#pragma once

#include "runtime/kernels/kernel_set.h"

namespace rondo {

extern const CodeKernels kCodeKernelsPortable;  // for any q8 tiles: the twin of the others
#if defined(__x86_64__)
extern const CodeKernels kCodeKernelsAvx512Vnni,
    kCodeKernelsAvx512VnniZen4;                                  // for q8 tiles of 16 x 8 or 4
extern const CodeKernels kCodeKernelsAvxVnni, kCodeKernelsAvx2;  // for q8 tiles of 8 x 8
#elif defined(__aarch64__)
extern const CodeKernels kCodeKernelsI8mm;     // for q8 tiles of 16 x 8, and rows in pairs
extern const CodeKernels kCodeKernelsNeonDot;  // for q8 tiles of 16 x 4
extern const CodeKernels kCodeKernelsNeon;     // for q8 tiles of 16 x 1
#endif

}  // namespace rondo
