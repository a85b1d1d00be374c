// Our own products for x86-64, by tiles of 8 channels in groups of 8 inputs; each file of them is
// compiled with flags of its own.
#pragma once

#include <type_traits>

#include "runtime/kernels/kernel_set.h"

namespace rondo {

using QuantizedGemmFunction = std::remove_pointer_t<QuantizedGemm>;

QuantizedGemmFunction AvxVnniQ8Rows1, AvxVnniQ8Rows2, AvxVnniQ8Rows4, AvxVnniQ8Rows6;
QuantizedGemmFunction Avx2Q8Rows1, Avx2Q8Rows2, Avx2Q8Rows3, Avx2Q8Rows4;
QuantizedGemmFunction AvxVnniQ4BRows1, AvxVnniQ4BRows2, AvxVnniQ4BRows4;
QuantizedGemmFunction Avx2Q4BRows1, Avx2Q4BRows2, Avx2Q4BRows4;

}  // namespace rondo
