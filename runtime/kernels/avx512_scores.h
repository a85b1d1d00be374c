// Scores of few rows by AVX512-VNNI, with the bits of the set's products.
#pragma once

#include "runtime/kernels/kernel_set.h"

namespace rondo {

// A FewScores over keys in tiles of 16 in groups of 4 channels, of queries that hold q + 128.
void ScoreByAvx512Vnni(size_t rows, size_t tokens, size_t k, const int8_t* in, size_t in_stride,
                       const uint8_t* keys, const uint8_t* ahead, size_t ahead_bytes, float* scores,
                       size_t stride, const RowQuant* quant);

}  // namespace rondo
