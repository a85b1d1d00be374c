// The kernels for 4-bit codes, by instruction set. All give the same bits.
#pragma once

#include "runtime/kernels/kernel_set.h"

namespace rondo {

// expand of any set: the twin that the others are held to.
void ExpandCodes(const uint8_t* tile, const CodePairs& levels, size_t k, uint32_t nr, uint32_t kr,
                 uint8_t* out);

extern const CodeKernels kCodeKernelsPortable;
#if defined(__x86_64__)
extern const CodeKernels kCodeKernelsAvx512Vnni,
    kCodeKernelsAvx512VnniAmd;              // for q8 tiles of 16 x 8
extern const CodeKernels kCodeKernelsAvx2;  // for q8 tiles of 8 x 8
#elif defined(__aarch64__)
extern const CodeKernels kCodeKernelsI8mm;     // for q8 tiles of 16 x 8
extern const CodeKernels kCodeKernelsNeonDot;  // for q8 tiles of 16 x 4
#endif

}  // namespace rondo
