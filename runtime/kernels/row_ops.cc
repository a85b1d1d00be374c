#include "runtime/kernels/row_ops.h"

#include <cmath>
#include <cstring>

#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

void RmsNorm(const float* in, const float* weight, float epsilon, size_t n, float* out) {
  // Sixteen partial sums in a fixed order: vector code on every CPU, and the same bits.
  constexpr size_t kLanes = 16;
  float partial[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) partial[l] += in[i + l] * in[i + l];
  }
  for (; i < n; ++i) partial[i % kLanes] += in[i] * in[i];
  for (size_t width = kLanes / 2; width > 0; width /= 2) {
    for (size_t l = 0; l < width; ++l) partial[l] += partial[l + width];
  }
  const float factor = 1.0f / std::sqrt(partial[0] / static_cast<float>(n) + epsilon);
  for (i = 0; i < n; ++i) out[i] = in[i] * factor * weight[i];
}

RowQuant QuantizeRow(const KernelSet& set, const float* in, size_t n, size_t padded_n,
                     int8_t* out) {
  float range[2] = {in[0], in[0]};
  set.min_max(n * sizeof(float), in, range, nullptr);
  const xnn_qd8_quantization_params q =
      xnn_f32_qd8_asymmetric_quantization_params(range[0], range[1]);
  const xnn_f32_qs8_cvt_params params = {{1.0f / q.inv_scale, static_cast<int16_t>(q.zero_point)}};
  set.quantize(n * sizeof(float), in, out, &params);
  std::memset(out + n, q.zero_point, padded_n - n);
  if (set.unsigned_inputs) {
    for (size_t i = 0; i < padded_n; ++i) out[i] = static_cast<int8_t>(out[i] ^ 0x80);
  }
  return {q.zero_point, q.inv_scale};
}

void SiluMultiply(const KernelSet& set, const float* gate, const float* up, size_t n,
                  float* scratch, float* out) {
  const size_t bytes = n * sizeof(float);
  set.sigmoid(bytes, gate, scratch, nullptr);
  set.multiply(bytes, gate, scratch, scratch, nullptr);
  set.multiply(bytes, scratch, up, out, nullptr);
}

void RopeTable(const double* frequencies, size_t dim, float scale, uint64_t position,
               float* table) {
  const size_t half = dim / 2;
  for (size_t i = 0; i < half; ++i) {
    const double angle = static_cast<double>(position) * frequencies[i];
    table[i] = static_cast<float>(std::cos(angle) * scale);
    table[half + i] = static_cast<float>(std::sin(angle) * scale);
  }
}

void ApplyRope(const float* in, const float* table, size_t dim, float* out) {
  const size_t half = dim / 2;
  const float* cosines = table;
  const float* sines = table + half;
  for (size_t i = 0; i < half; ++i) {
    const float a = in[i];
    const float b = in[i + half];
    out[i] = a * cosines[i] - b * sines[i];
    out[i + half] = b * cosines[i] + a * sines[i];
  }
}

void AddTo(float* x, const float* y, size_t n) {
  for (size_t i = 0; i < n; ++i) x[i] += y[i];
}

}  // namespace rondo
