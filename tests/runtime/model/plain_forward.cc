#include "tests/runtime/model/plain_forward.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/model/tensor_view.h"

namespace rondo {

std::vector<double> Dequantize(const ModelFile& file, uint32_t tensor) {
  const TensorView view = ViewTensor(file, tensor);
  std::vector<double> values;
  values.reserve(view.rows * view.cols);
  for (size_t row = 0; row < view.rows; ++row) {
    for (size_t col = 0; col < view.cols; ++col) {
      const size_t index = row * view.cols + col;
      if (view.format == format::TensorFormat::F32) {
        values.push_back(view.f32()[index]);
      } else if (view.format == format::TensorFormat::Q8) {
        values.push_back(double{view.row_scales()[row]} * view.q8()[index]);
      } else if (IsCodes(view.format)) {
        const uint32_t bits = CodeBits(view.format);
        const uint8_t* its = &view.data[row * (view.data.size() / view.rows)];
        const uint8_t selectors = its[view.padded_cols * bits / 8 + col / 32];
        const size_t selector = col / 16 % 2 == 0 ? selectors & 15 : selectors >> 4;
        const uint8_t code = CodeOfRow(its, view.padded_cols, bits, col);
        const auto level = static_cast<int8_t>(view.tables[16 * selector + code]);
        values.push_back(double{view.row_scales()[row]} * level);
      } else {
        const uint8_t pair = view.data[(row * view.padded_cols + col) / 2];
        const int nibble = col % 2 == 0 ? pair & 15 : pair >> 4;
        const uint32_t scale = view.q4b_scales()[(row * view.padded_cols + col) / view.block];
        values.push_back((nibble - 8) * double{std::bit_cast<float>(scale << 16)});
      }
    }
  }
  return values;
}

PlainForward::PlainForward(const ModelFile& file) : file_(file) {
  for (uint32_t i = 0; i < file.model().tensors()->size(); ++i) {
    tensors_.push_back(Dequantize(file, i));
  }
}

std::vector<double> PlainForward::Apply(const format::Linear& linear, size_t n_rows,
                                        const std::vector<double>& x) const {
  const std::vector<double>& weight = tensors_[linear.weight()];
  const size_t inputs = x.size() / n_rows, outputs = weight.size() / inputs;
  std::vector<double> y(n_rows * outputs);
  for (size_t row = 0; row < n_rows; ++row) {
    for (size_t out = 0; out < outputs; ++out) {
      double sum = linear.bias() < 0 ? 0 : tensors_[static_cast<size_t>(linear.bias())][out];
      for (size_t in = 0; in < inputs; ++in) {
        sum += weight[out * inputs + in] * x[row * inputs + in];
      }
      y[row * outputs + out] = sum;
    }
  }
  return y;
}

std::vector<double> PlainForward::Normalized(const format::Norm& norm, size_t n_rows,
                                             const std::vector<double>& x) const {
  const std::vector<double>& weight = tensors_[norm.weight()];
  const size_t size = x.size() / n_rows;
  std::vector<double> y(x.size());
  for (size_t row = 0; row < n_rows; ++row) {
    double squares = 0;
    for (size_t i = 0; i < size; ++i) squares += x[row * size + i] * x[row * size + i];
    const double factor = 1 / std::sqrt(squares / static_cast<double>(size) + norm.epsilon());
    for (size_t i = 0; i < size; ++i) y[row * size + i] = x[row * size + i] * factor * weight[i];
  }
  return y;
}

std::vector<double> PlainForward::Attend(const format::Attention& attention, size_t n_rows,
                                         const std::vector<double>& in) const {
  const size_t dim = attention.head_dim(), n_heads = attention.n_heads();
  const size_t n_kv_heads = attention.n_kv_heads(), v_dim = attention.v_head_dim();
  const size_t width = (n_heads + n_kv_heads) * dim + n_kv_heads * v_dim;
  std::vector<double> qkv = Apply(*attention.qkv(), n_rows, in);
  if (attention.rope() >= 0) {
    const format::Rope& rope = *file_.model().ropes()->Get(static_cast<uint32_t>(attention.rope()));
    for (size_t row = 0; row < n_rows; ++row) {
      for (size_t head = 0; head < n_heads + n_kv_heads; ++head) {
        double* values = &qkv[row * width + head * dim];
        for (size_t i = 0; i < dim / 2; ++i) {
          const double angle =
              static_cast<double>(row) * rope.frequencies()->Get(static_cast<uint32_t>(i));
          const double c = std::cos(angle) * rope.scale(), s = std::sin(angle) * rope.scale();
          const double a = values[i], b = values[i + dim / 2];
          values[i] = a * c - b * s;
          values[i + dim / 2] = b * c + a * s;
        }
      }
    }
  }
  std::vector<double> mixed(n_rows * n_heads * v_dim);
  std::vector<double> weights(n_rows);
  for (size_t row = 0; row < n_rows; ++row) {
    for (size_t head = 0; head < n_heads; ++head) {
      const size_t kv_head = head / (n_heads / n_kv_heads);
      const double* q = &qkv[row * width + head * dim];
      double largest = -INFINITY, sum = 0;
      for (size_t other = 0; other <= row; ++other) {
        const double* k = &qkv[other * width + (n_heads + kv_head) * dim];
        double score = 0;
        for (size_t i = 0; i < dim; ++i) score += q[i] * k[i];
        weights[other] = score * attention.score_scale();
        largest = std::max(largest, weights[other]);
      }
      for (size_t other = 0; other <= row; ++other) {
        weights[other] = std::exp(weights[other] - largest);
        sum += weights[other];
      }
      for (size_t other = 0; other <= row; ++other) {
        const double* v = &qkv[other * width + (n_heads + n_kv_heads) * dim + kv_head * v_dim];
        for (size_t i = 0; i < v_dim; ++i) {
          mixed[(row * n_heads + head) * v_dim + i] += weights[other] / sum * v[i];
        }
      }
    }
  }
  return Apply(*attention.output(), n_rows, mixed);
}

std::vector<double> PlainForward::Activate(const format::Mlp& mlp, size_t n_rows,
                                           const std::vector<double>& in) const {
  const size_t size = mlp.intermediate_size();
  const std::vector<double> gate_up = Apply(*mlp.gate_up(), n_rows, in);
  std::vector<double> active(n_rows * size);
  for (size_t row = 0; row < n_rows; ++row) {
    for (size_t i = 0; i < size; ++i) {
      const double gate = gate_up[row * 2 * size + i], up = gate_up[row * 2 * size + size + i];
      active[row * size + i] = gate / (1 + std::exp(-gate)) * up;
    }
  }
  return Apply(*mlp.down(), n_rows, active);
}

std::vector<double> PlainForward::Logits(const std::vector<uint32_t>& ids,
                                         std::vector<std::vector<double>>* hidden) const {
  const format::Model& model = file_.model();
  const size_t n_rows = ids.size(), size = model.hidden_size();
  std::vector<double> x;
  for (uint32_t id : ids) {
    const double* row = &tensors_[model.embedding()][id * size];
    x.insert(x.end(), row, row + size);
  }
  for (const format::Layer* layer : *model.layers()) {
    if (hidden != nullptr) hidden->push_back(x);
    std::vector<double> read;  // by the sublayer, before its norm
    for (const format::Sublayer* sublayer : *layer->sublayers()) {
      if (!sublayer->reads_previous_input()) read = x;
      const std::vector<double> in = Normalized(*sublayer->norm(), n_rows, read);
      const format::Attention* attention = sublayer->op_as_Attention();
      const std::vector<double> out = attention != nullptr
                                          ? Attend(*attention, n_rows, in)
                                          : Activate(*sublayer->op_as_Mlp(), n_rows, in);
      for (size_t i = 0; i < x.size(); ++i) x[i] += sublayer->factor() * out[i];
    }
  }
  x = Normalized(*model.final_norm(), n_rows, x);
  if (hidden != nullptr) hidden->push_back(x);
  return Apply(*model.head(), n_rows, x);
}

}  // namespace rondo
