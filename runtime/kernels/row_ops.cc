#include "runtime/kernels/row_ops.h"

#include <cmath>
#include <cstring>

#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

void RmsNorm(const KernelSet& set, const float* in, const float* weight, float epsilon, size_t n,
             float* out) {
  const float mean = set.loops->sum_of_squares(in, n) / static_cast<float>(n);
  set.loops->scale_by_weight(in, 1.0f / std::sqrt(mean + epsilon), weight, n, out);
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
  if (set.unsigned_inputs) set.loops->flip_signs(out, padded_n);
  return {q.zero_point, q.inv_scale};
}

void SiluMultiply(const KernelSet& set, const float* gate, const float* up, size_t n,
                  float* scratch, float* out) {
  set.sigmoid(n * sizeof(float), gate, scratch, nullptr);
  set.loops->gate(gate, scratch, up, n, out);
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

void ApplyRope(const KernelSet& set, const float* in, const float* table, size_t dim, float* out) {
  set.loops->rotate_halves(in, table, table + dim / 2, dim / 2, out);
}

}  // namespace rondo
