// Codes for AVX-VNNI: twelve vectors of sums leave registers for the rest.
#if defined(__x86_64__)

#include "runtime/kernels/avxvnni_products.h"
#include "runtime/kernels/codes/vectors256.h"

namespace rondo {

namespace {

template <uint32_t kBits, size_t kRows, size_t kAtOnce, size_t kQuads>
constexpr CodeGemm kGemm = Gemm<kBits, AvxVnni, kRows, kAtOnce, kQuads>;
template <uint32_t kBits>
constexpr CodeKernels::ByBits kOfBits = {
    Expand<kBits>,
    {kGemm<kBits, 1, 1, 4>, kGemm<kBits, 2, 2, 2>, kGemm<kBits, 3, 3, 2>, kGemm<kBits, 4, 4, 1>,
     kGemm<kBits, 5, 5, 1>, kGemm<kBits, 6, 6, 1>, kGemm<kBits, 7, 4, 1>, kGemm<kBits, 8, 4, 1>}};

}  // namespace

extern const CodeKernels kCodeKernelsAvxVnni;
const CodeKernels kCodeKernelsAvxVnni = {8, kOfBits<4>, kOfBits<3>, kOfBits<2>};

}  // namespace rondo

#endif  // __x86_64__
