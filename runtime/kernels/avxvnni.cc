// Products of q8 and q4b with AVX-VNNI: of q8 the sums of six rows are what registers hold beside
// the weights of a group and a row's inputs.
#if defined(__x86_64__)

#include "runtime/kernels/avxvnni_products.h"
#include "runtime/kernels/q4b_vectors256.h"
#include "runtime/kernels/q8_vectors256.h"
#include "runtime/kernels/x86_products.h"

namespace rondo {

RONDO_Q8_KERNEL(AvxVnniQ8Rows1, AvxVnni, 1)
RONDO_Q8_KERNEL(AvxVnniQ8Rows2, AvxVnni, 2)
RONDO_Q8_KERNEL(AvxVnniQ8Rows4, AvxVnni, 4)
RONDO_Q8_KERNEL(AvxVnniQ8Rows6, AvxVnni, 6)

RONDO_Q4B_KERNEL(AvxVnniQ4BRows1, AvxVnni, 1)
RONDO_Q4B_KERNEL(AvxVnniQ4BRows2, AvxVnni, 2)
RONDO_Q4B_KERNEL(AvxVnniQ4BRows4, AvxVnni, 4)

}  // namespace rondo

#endif  // __x86_64__
