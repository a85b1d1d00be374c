// Codes for AVX-VNNI: one instruction multiplies and adds.
#if defined(__x86_64__)

#include "runtime/kernels/avxvnni_products.h"
#include "runtime/kernels/codes/vectors256.h"

namespace rondo {

namespace {

template <uint32_t kBits>
constexpr CodeKernels::ByBits kOfBits = {Expand<kBits>,
                                         {Gemm<kBits, AvxVnni, 1>, Gemm<kBits, AvxVnni, 2>}};

}  // namespace

extern const CodeKernels kCodeKernelsAvxVnni;
const CodeKernels kCodeKernelsAvxVnni = {2, kOfBits<4>, kOfBits<3>, kOfBits<2>};

}  // namespace rondo

#endif  // __x86_64__
