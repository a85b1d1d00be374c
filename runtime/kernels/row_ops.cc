#include "runtime/kernels/row_ops.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/base/portable_math.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

void Normalize(const KernelSet& set, const RowNorm& norm, const float* in, size_t n, float* out) {
  const size_t group = norm.group;
  if (norm.kind == NormKind::kNone) return;
  for (size_t i = 0; i < n; i += group) {
    const float* x = in + i;
    if (norm.kind == NormKind::kLayerNorm) {
      set.loops->subtract(x, set.loops->sum(x, group) / static_cast<float>(group), group, out + i);
      x = out + i;
    }
    const float mean = set.loops->sum_of_squares(x, group) / static_cast<float>(group);
    set.loops->scale_by_weight(x, 1.0f / std::sqrt(mean + norm.epsilon), norm.weight + i, group,
                               out + i);
    if (norm.bias != nullptr) set.loops->add(out + i, norm.bias + i, group);
  }
}

namespace {

// Where row r begins, and how far apart its groups of kPairInputs are.
size_t RowOffset(const KernelSet& set, size_t r, size_t stride) {
  return set.rows_in_pairs ? r / 2 * 2 * stride + r % 2 * kPairInputs : r * stride;
}
constexpr size_t kGroupStride = 2 * kPairInputs;  // of rows in pairs

// Quantised in parts, each of which is then spread.
void QuantizePaired(const KernelSet& set, const float* in, size_t n, size_t stride,
                    const xnn_f32_qs8_cvt_params& params, int8_t* out) {
  constexpr size_t kPart = 256;  // a multiple of kPairInputs
  for (size_t begin = 0; begin < stride; begin += kPart) {
    int8_t part[kPart];
    const size_t end = std::min(stride, begin + kPart), real = std::clamp(n, begin, end) - begin;
    if (real > 0) set.quantize(real * sizeof(float), in + begin, part, &params);
    std::memset(part + real, params.scalar.output_zero_point, end - begin - real);
#pragma GCC unroll 4
    for (size_t i = begin; i < end; i += kPairInputs, out += kGroupStride) {
      std::memcpy(out, part + (i - begin), kPairInputs);
    }
  }
}

}  // namespace

RowQuant QuantizeRow(const KernelSet& set, const float* in, size_t n, size_t stride, size_t r,
                     int8_t* rows) {
  int8_t* out = rows + RowOffset(set, r, stride);
  float range[2] = {in[0], in[0]};
  set.min_max(n * sizeof(float), in, range, nullptr);
  const xnn_qd8_quantization_params q =
      xnn_f32_qd8_asymmetric_quantization_params(range[0], range[1]);
  const bool is_unsigned = set.quantize_unsigned != nullptr;
  const int32_t zero = q.zero_point + (is_unsigned ? 128 : 0);
  // Both kernels' parameters look the same.
  const xnn_f32_qs8_cvt_params params = {{1.0f / q.inv_scale, static_cast<int16_t>(zero)}};
  if (set.rows_in_pairs) {
    QuantizePaired(set, in, n, stride, params, out);
    return {q.zero_point, q.inv_scale};
  }
  if (is_unsigned) {
    set.quantize_unsigned(n * sizeof(float), in, reinterpret_cast<uint8_t*>(out), &params);
  } else {
    set.quantize(n * sizeof(float), in, out, &params);
  }
  std::memset(out + n, zero, stride - n);
  return {q.zero_point, q.inv_scale};
}

RowQuant QuantizeRest(const KernelSet& set, const float* in, size_t n, size_t stride, size_t r,
                      const int8_t* rows, const RowQuant& quant, int8_t* rest) {
  constexpr size_t kPart = 256;         // a multiple of kPairInputs
  constexpr float kFiner = 1 / 128.0f;  // integers are a step off at most, where the range ends
  const bool is_unsigned = set.quantize_unsigned != nullptr;
  const int32_t zero = is_unsigned ? 128 : 0;
  const RowQuant finer = {0, quant.scale * kFiner};
  const xnn_f32_qs8_cvt_params params = {{1.0f / finer.scale, static_cast<int16_t>(zero)}};
  const size_t group = set.rows_in_pairs ? kGroupStride : kPairInputs;
  const int8_t* from = rows + RowOffset(set, r, stride);
  int8_t* to = rest + RowOffset(set, r, stride);
  for (size_t begin = 0; begin < stride; begin += kPart) {
    float left[kPart + kOverRead / sizeof(float)];
    int8_t part[kPart];
    const size_t end = std::min(stride, begin + kPart), real = std::clamp(n, begin, end) - begin;
    for (size_t i = 0; i < real; ++i) {
      const int8_t byte = from[i / kPairInputs * group + i % kPairInputs];
      const int32_t integer = is_unsigned ? static_cast<uint8_t>(byte) - zero : byte;
      left[i] = in[begin + i] - quant.scale * static_cast<float>(integer - quant.zero_point);
    }
    if (real > 0 && is_unsigned) {
      set.quantize_unsigned(real * sizeof(float), left, reinterpret_cast<uint8_t*>(part), &params);
    } else if (real > 0) {
      set.quantize(real * sizeof(float), left, part, &params);
    }
    std::memset(part + real, zero, end - begin - real);
    for (size_t i = 0; i < end - begin; i += kPairInputs, from += group, to += group) {
      std::memcpy(to, part + i, kPairInputs);
    }
  }
  return finer;
}

void CopyRow(const KernelSet& set, const int8_t* in, size_t from, size_t stride, size_t to,
             int8_t* out) {
  in += RowOffset(set, from, stride);
  out += RowOffset(set, to, stride);
  if (!set.rows_in_pairs) {
    std::memcpy(out, in, stride);
    return;
  }
  for (size_t i = 0; i < stride; i += kPairInputs, in += kGroupStride, out += kGroupStride) {
    std::memcpy(out, in, kPairInputs);
  }
}

void Activate(const KernelSet& set, Activation activation, const float* in, size_t n,
              float* scratch, float* out) {
  const size_t bytes = n * sizeof(float);
  switch (activation) {
    case Activation::kNone:  // in no opened file
    case Activation::kXielu:
      return;
    case Activation::kSilu:
      set.sigmoid(bytes, in, scratch, nullptr);
      set.multiply(bytes, in, scratch, out, nullptr);
      return;
    case Activation::kGelu:
      set.gelu(bytes, in, out, nullptr);
      return;
    case Activation::kGeluTanh:
      set.loops->gelu_argument(in, n, scratch);
      set.tanh(bytes, scratch, scratch, nullptr);
      set.loops->gelu_result(in, scratch, n, out);
      return;
    case Activation::kGeluQuick:
      set.loops->scale(in, 1.702f, n, scratch);
      set.sigmoid(bytes, scratch, scratch, nullptr);
      set.multiply(bytes, in, scratch, out, nullptr);
      return;
    case Activation::kRelu:
    case Activation::kReluSquared:
      set.loops->clamp(in, 0.0f, INFINITY, n, out);
      if (activation == Activation::kReluSquared) set.multiply(bytes, out, out, out, nullptr);
      return;
  }
}

void ActivateGate(const KernelSet& set, Activation activation, const float* gate, const float* up,
                  size_t n, float* scratch, float* out) {
  if (activation == Activation::kSilu) {  // in one pass less
    set.sigmoid(n * sizeof(float), gate, scratch, nullptr);
    set.loops->gate(gate, scratch, up, n, out);
    return;
  }
  Activate(set, activation, gate, n, scratch, out);
  set.multiply(n * sizeof(float), out, up, out, nullptr);
}

void SoftCap(const KernelSet& set, float cap, size_t n, float* x) {
  set.loops->scale(x, 1.0f / cap, n, x);
  set.tanh(n * sizeof(float), x, x, nullptr);
  set.loops->scale(x, cap, n, x);
}

void RopeTable(const double* frequencies, const uint8_t* axes, size_t dim, float scale,
               const RopePlace& place, float* table) {
  const size_t half = dim / 2;
  std::array<double, kRopeAxes> by;
  std::copy(place.begin(), place.end(), by.begin());
  for (size_t i = 0; i < half; ++i) {
    const double coordinate = axes == nullptr ? by[0] : by[axes[i]];
    const SinCos angle = PortableSinCos(coordinate * frequencies[i]);
    table[i] = static_cast<float>(angle.cos * scale);
    table[half + i] = static_cast<float>(angle.sin * scale);
  }
}

void ApplyRope(const KernelSet& set, const float* in, const float* table, size_t dim,
               size_t head_dim, float* out) {
  set.loops->rotate_halves(in, table, table + dim / 2, dim / 2, out);
  if (in != out) std::copy_n(in + dim, head_dim - dim, out + dim);
}

}  // namespace rondo
