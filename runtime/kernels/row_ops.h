// What is done to one row of activations at a time. All sizes in elements; no allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rondo_generated.h"
#include "runtime/kernels/kernel_set.h"
#include "runtime/model/limits.h"

namespace rondo {

// As runtime/model/rondo.fbs defines them.
using format::Activation;
using format::NormKind;

// A norm and its weights, which lie in the file.
struct RowNorm {
  NormKind kind = NormKind::kNone;
  float epsilon = 0;
  size_t group = 0;               // channels normalised together; divides n
  const float* weight = nullptr;  // [n]
  const float* bias = nullptr;    // [n]; null: none
};

// Each group of channels by itself. in == out is fine.
void Normalize(const KernelSet& set, const RowNorm& norm, const float* in, size_t n, float* out);

// Dynamic quantisation to int8, asymmetric, range widened to contain 0. Writes row r of `rows`, in
// the form that the set's kernels read: n values and zeros (the real 0) up to `stride`, which is a
// multiple of kPairInputs. Distinct threads may write distinct rows.
RowQuant QuantizeRow(const KernelSet& set, const float* in, size_t n, size_t stride, size_t r,
                     int8_t* rows);

// What QuantizeRow left of the row, which it wrote into `rows` and whose `quant` it returned: again
// int8, in the same form, in steps 128 times finer. Writes row r of `rest`.
RowQuant QuantizeRest(const KernelSet& set, const float* in, size_t n, size_t stride, size_t r,
                      const int8_t* rows, const RowQuant& quant, int8_t* rest);

// Copies row `from` of `in` to row `to` of `out`; both are in that form.
void CopyRow(const KernelSet& set, const int8_t* in, size_t from, size_t stride, size_t to,
             int8_t* out);

// out = activation(in). out may be in; scratch: n floats. Not of kXielu, which has numbers and is
// one of RowLoops.
void Activate(const KernelSet& set, Activation activation, const float* in, size_t n,
              float* scratch, float* out);

// out = activation(gate) * up. out may be gate; scratch: n floats.
void ActivateGate(const KernelSet& set, Activation activation, const float* gate, const float* up,
                  size_t n, float* scratch, float* out);

// x = cap * tanh(x / cap).
void SoftCap(const KernelSet& set, float cap, size_t n, float* x);

// What a row is rotated by: its position where there are no inputs; else a coordinate of each axis
// (M-RoPE: Wang et al. 2024, "Qwen2-VL").
using RopePlace = std::array<uint64_t, kRopeAxes>;

// The cosines and sines of one place: table[0, half) and table[half, dim), half = dim / 2,
// computed in double, times `scale`. Pair i turns by axis axes[i]; by the first one for null.
void RopeTable(const double* frequencies, const uint8_t* axes, size_t dim, float scale,
               const RopePlace& place, float* table);

// Rotates pairs (i, i + dim/2) of the first `dim` channels of one head by a RopeTable (Su et al.
// 2021, "RoFormer", in the rotate-half form), and copies the others. in == out is fine.
void ApplyRope(const KernelSet& set, const float* in, const float* table, size_t dim,
               size_t head_dim, float* out);

}  // namespace rondo
