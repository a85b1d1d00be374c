#include "tools/convert/calibrate/rounded_rows_pass.h"

#include <algorithm>
#include <cmath>

#include "runtime/kernels/row_ops.h"

namespace rondo::convert {
namespace {

constexpr size_t kRowsAtOnce = 64;

// What int8 leaves of `row`. `integers` has room for it.
void RoundRow(const KernelSet& set, std::span<const float> row, int8_t* integers, float* out) {
  const RowQuant quant =
      QuantizeRow(set, row.data(), row.size(), RoundUp(row.size(), kPairInputs), 0, integers);
  const float inverse = 1.0f / quant.scale;
  for (size_t i = 0; i < row.size(); ++i) {
    const float integer = std::nearbyint(row[i] * inverse) + static_cast<float>(quant.zero_point);
    out[i] =
        (std::clamp(integer, -128.0f, 127.0f) - static_cast<float>(quant.zero_point)) * quant.scale;
  }
}

}  // namespace

// Beside the rows the integers of one, as many bytes as two of its rows would take in floats.
size_t RoundedRowsPass::Room(const ModelFile& file) {
  uint64_t most = 0;
  for (const format::Tensor* tensor : *file.model().tensors()) {
    most = std::max<uint64_t>(most, tensor->cols());
  }
  return (kRowsAtOnce + 2) * static_cast<size_t>(most) + kOverRead;
}

// The runtime knows no exceptions, so nothing is allocated here.
void RoundedRowsPass::Multiply(std::span<const Product> products, const InputRows& in, Into into,
                               size_t out_stride, bool last) const {
  const auto is_rounded = [&](const Product& product) {
    return !of_.empty() && of_[product.linear->tensor];
  };
  if (std::ranges::none_of(products, is_rounded)) {
    return Pass::Multiply(products, in, into, out_stride, last);
  }
  for (const Product& product : products) {
    if (is_rounded(product)) {
      MultiplyRounded(product, in, into, out_stride);
    } else {
      Pass::Multiply({&product, 1}, in, into, out_stride, last);
    }
  }
}

// A row's product depends on nothing but the row.
void RoundedRowsPass::MultiplyRounded(const Product& product, const InputRows& in, Into into,
                                      size_t out_stride) const {
  const size_t inputs = product.linear->inputs;
  float* const rounded = room_.data();
  auto* const integers = reinterpret_cast<int8_t*>(rounded + kRowsAtOnce * inputs);
  for (size_t first = 0; first < product.rows; first += kRowsAtOnce) {
    const size_t n = std::min(kRowsAtOnce, product.rows - first);
    const InputRows its = in.Below(product.first_row + first);
    for (size_t r = 0; r < n; ++r) {
      const auto* row = reinterpret_cast<const float*>(its.rows + r * its.stride);
      RoundRow(set(), {row, inputs}, integers, rounded + r * inputs);
    }
    InputRows rows = its;
    rows.rows.data = reinterpret_cast<uint8_t*>(rounded);
    rows.stride = inputs * sizeof(float);
    const Product part = {product.linear, 0, n, product.out + first * out_stride};
    Pass::Multiply({&part, 1}, rows, into, out_stride, false);
  }
}

}  // namespace rondo::convert
