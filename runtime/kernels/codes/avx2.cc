// Codes for AVX2.
#if defined(__x86_64__)

#include "runtime/kernels/avx2_products.h"
#include "runtime/kernels/codes/vectors256.h"

namespace rondo {

namespace {

template <uint32_t kBits>
constexpr CodeKernels::ByBits kOfBits = {Expand<kBits>,
                                         {Gemm<kBits, Avx2, 1, 1, 4>, Gemm<kBits, Avx2, 2, 2, 4>}};

}  // namespace

extern const CodeKernels kCodeKernelsAvx2;
const CodeKernels kCodeKernelsAvx2 = {2, kOfBits<4>, kOfBits<3>, kOfBits<2>};

}  // namespace rondo

#endif  // __x86_64__
