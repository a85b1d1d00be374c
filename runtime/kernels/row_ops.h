// What is done to one row of activations at a time. All sizes in elements; no allocation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/kernel_set.h"

namespace rondo {

// out = in / sqrt(mean(in^2) + epsilon) * weight (Zhang and Sennrich 2019, "Root Mean Square Layer
// Normalization"). in == out is fine.
void RmsNorm(const KernelSet& set, const float* in, const float* weight, float epsilon, size_t n,
             float* out);

// Dynamic quantisation to int8, asymmetric, range widened to contain 0. Writes n values and zeros
// (the real 0) up to padded_n, in the form that the set's kernels read.
RowQuant QuantizeRow(const KernelSet& set, const float* in, size_t n, size_t padded_n, int8_t* out);

// out = silu(gate) * up, silu(x) = x / (1 + e^-x). out may be gate; scratch: n floats.
void SiluMultiply(const KernelSet& set, const float* gate, const float* up, size_t n,
                  float* scratch, float* out);

// The cosines and sines of one position: table[0, half) and table[half, dim), half = dim / 2,
// computed in double, times `scale`.
void RopeTable(const double* frequencies, size_t dim, float scale, uint64_t position, float* table);

// Rotates pairs (i, i + dim/2) of one head by a RopeTable (Su et al. 2021, "RoFormer", in the
// rotate-half form). in == out is fine.
void ApplyRope(const KernelSet& set, const float* in, const float* table, size_t dim, float* out);

}  // namespace rondo
