// Products of q8 and q4b with AVX2: bound by memory with one row and two, by arithmetic with more.
#if defined(__x86_64__)

#include "runtime/kernels/avx2_products.h"
#include "runtime/kernels/q4b_vectors256.h"
#include "runtime/kernels/q8_vectors256.h"
#include "runtime/kernels/x86_products.h"

namespace rondo {

RONDO_Q8_KERNEL(Avx2Q8Rows1, Avx2, 1)
RONDO_Q8_KERNEL(Avx2Q8Rows2, Avx2, 2)
RONDO_Q8_KERNEL(Avx2Q8Rows3, Avx2, 3)
RONDO_Q8_KERNEL(Avx2Q8Rows4, Avx2, 4)

RONDO_Q4B_KERNEL(Avx2Q4BRows1, Avx2, 1)
RONDO_Q4B_KERNEL(Avx2Q4BRows2, Avx2, 2)
RONDO_Q4B_KERNEL(Avx2Q4BRows4, Avx2, 4)

}  // namespace rondo

#endif  // __x86_64__
