#include "tests/runtime/model/plain_forward.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

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
      } else if (view.rule().is_codes()) {
        const uint32_t bits = view.rule().bits;
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

double PlainForward::Activated(format::Activation activation, double x) {
  if (activation == format::Activation::kSilu) return x / (1 + std::exp(-x));
  if (activation == format::Activation::kGelu) return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
  return x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x))) / 2;
}

double PlainForward::Activated(const format::Mlp& mlp, double x) const {
  if (mlp.xielu() < 0) return Activated(mlp.activation(), x);
  const std::vector<double>& numbers = tensors_[static_cast<size_t>(mlp.xielu())];
  const double p = std::log1p(std::exp(numbers[0])), n = std::log1p(std::exp(numbers[1]));
  const double beta = numbers[2], epsilon = numbers[3];
  if (x > 0) return p * x * x + beta * x;
  return (beta + n) * (std::exp(std::min(x, epsilon)) - 1 - x) + beta * x;
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
  const size_t size = x.size() / n_rows, group = norm.group() != 0 ? norm.group() : size;
  std::vector<double> y(x.size());
  for (size_t begin = 0; begin < x.size(); begin += group) {
    double sum = 0, squares = 0;
    for (size_t i = begin; i < begin + group; ++i) sum += x[i];
    const bool centred = norm.kind() == format::NormKind::kLayerNorm;
    const double mean = centred ? sum / static_cast<double>(group) : 0;
    for (size_t i = begin; i < begin + group; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const double factor = 1 / std::sqrt(squares / static_cast<double>(group) + norm.epsilon());
    for (size_t i = begin; i < begin + group; ++i) {
      y[i] = (x[i] - mean) * factor * weight[i % size];
      if (norm.bias() >= 0) y[i] += tensors_[static_cast<size_t>(norm.bias())][i % size];
    }
  }
  return y;
}

std::vector<double> PlainForward::Activate(const format::Mlp& mlp, size_t n_rows,
                                           const std::vector<double>& in) const {
  const size_t size = mlp.intermediate_size();
  const std::vector<double> gate_up = Apply(*mlp.gate_up(), n_rows, in);
  std::vector<double> active(n_rows * size);
  const size_t width = gate_up.size() / n_rows;
  for (size_t row = 0; row < n_rows; ++row) {
    double cutoff = 0;
    if (mlp.gate_cutoff() != nullptr) {
      const double* gates = &gate_up[row * 2 * size];
      const auto count = static_cast<double>(size);
      const double mean = std::accumulate(gates, gates + size, 0.0) / count;
      double variance = 0;
      for (size_t i = 0; i < size; ++i) variance += (gates[i] - mean) * (gates[i] - mean) / count;
      cutoff = mean + mlp.gate_cutoff()->deviations() * std::sqrt(variance);
    }
    for (size_t i = 0; i < size; ++i) {
      double gate = gate_up[row * width + i];
      if (mlp.gate_cutoff() != nullptr) gate = std::max(gate - cutoff, 0.0);
      active[row * size + i] = Activated(mlp, gate);
      if (!mlp.plain()) active[row * size + i] *= gate_up[row * width + size + i];
    }
  }
  if (mlp.inner_norm() != nullptr) active = Normalized(*mlp.inner_norm(), n_rows, active);
  return Apply(*mlp.down(), n_rows, active);
}

std::vector<double> PlainForward::Ran(const format::Sublayer& sublayer, size_t n_rows,
                                      const std::vector<double>& read,
                                      const std::vector<double>& in) const {
  KeysAndValues kept;
  if (const auto* attention = sublayer.op_as_Attention())
    return Attend(*attention, n_rows, in, &kept);
  if (const auto* latent = sublayer.op_as_LatentAttention())
    return AttendLatent(*latent, n_rows, in);
  if (const auto* laurel = sublayer.op_as_Laurel()) return Augment(*laurel, n_rows, in);
  if (const auto* net = sublayer.op_as_GatedDeltaNet()) return Remember(*net, n_rows, in);
  if (const auto* mamba = sublayer.op_as_Mamba2()) return Remember(*mamba, n_rows, in);
  if (const auto* experts = sublayer.op_as_Experts()) {
    return Mix(*experts, *sublayer.norm(), n_rows, read);
  }
  return Activate(*sublayer.op_as_Mlp(), n_rows, in);
}

// What the head's layer makes of the rows behind the first one; `before`: what the model, or the
// head itself, made of the row before each.
std::vector<double> PlainForward::RunHead(const std::vector<uint32_t>& ids,
                                          std::vector<double> before) const {
  const format::Model& model = file_.model();
  const format::DraftHead& head = *model.draft_head();
  const size_t size = model.hidden_size(), n_rows = before.size() / size;
  std::vector<double> e;
  for (size_t r = 1; r <= n_rows; ++r) {
    const double* row = &tensors_[model.embedding()][ids[r] * size];
    for (size_t i = 0; i < size; ++i) e.push_back(row[i] * double{model.embedding_scale()});
  }
  if (head.embedding_norm() != nullptr) e = Normalized(*head.embedding_norm(), n_rows, e);
  if (head.hidden_norm() != nullptr) before = Normalized(*head.hidden_norm(), n_rows, before);
  std::vector<double> both;
  for (size_t r = 0; r < n_rows; ++r) {
    for (const std::vector<double>* half : {&e, &before}) {
      const auto row = half->begin() + static_cast<long>(r * size);
      both.insert(both.end(), row, row + static_cast<long>(size));
    }
  }
  std::vector<double> x = Apply(*head.input(), n_rows, both);
  for (const format::Sublayer* sublayer : *head.layer()->sublayers()) {
    const auto in = sublayer->norm() == nullptr ? x : Normalized(*sublayer->norm(), n_rows, x);
    auto out = Ran(*sublayer, n_rows, x, in);
    if (sublayer->post_norm() != nullptr) out = Normalized(*sublayer->post_norm(), n_rows, out);
    for (size_t i = 0; i < x.size(); ++i) x[i] += sublayer->factor() * out[i];
  }
  return x;
}

std::vector<double> PlainForward::DraftLogits(const std::vector<uint32_t>& ids,
                                              size_t chained) const {
  const format::Model& model = file_.model();
  const format::DraftHead& head = *model.draft_head();
  const auto size = static_cast<long>(model.hidden_size());
  const auto normed = [&](const std::vector<double>& x) {
    return head.norm() == nullptr
               ? x
               : Normalized(*head.norm(), x.size() / static_cast<size_t>(size), x);
  };
  std::vector<std::vector<double>> hidden;
  Logits({ids.begin(), ids.end() - 1 - static_cast<long>(chained)}, &hidden);
  std::vector<double> before = hidden.back();
  std::vector<double> x = RunHead(ids, before);
  for (size_t i = 0; i < chained; ++i) {
    const std::vector<double> made = head.chains_normed() ? normed(x) : x;
    before.insert(before.end(), made.end() - size, made.end());
    x = RunHead(ids, before);
  }
  x = normed(x);
  const size_t n_rows = ids.size() - 1;
  const std::vector<double> all = Apply(*model.head(), n_rows, x);
  std::vector<double> logits;
  for (size_t r = 0; r < n_rows; ++r) {
    const auto row = all.begin() + static_cast<long>(r * model.vocab_size());
    logits.insert(logits.end(), row, row + head.n_tokens());
  }
  return logits;
}

std::vector<double> PlainForward::Logits(const std::vector<uint32_t>& ids,
                                         std::vector<std::vector<double>>* hidden,
                                         std::vector<KeysAndValues>* keeps) const {
  const format::Model& model = file_.model();
  const size_t n_rows = ids.size(), size = model.hidden_size();
  std::vector<double> x;
  for (uint32_t id : ids) {
    const double* row = &tensors_[model.embedding()][id * size];
    for (size_t i = 0; i < size; ++i) x.push_back(row[i] * double{model.embedding_scale()});
  }
  const std::vector<double> own = LayerEmbeddings(ids, x);
  for (size_t i = 0; model.positions() >= 0 && i < x.size(); ++i) {
    x[i] += tensors_[static_cast<size_t>(model.positions())][i];
  }
  const int32_t separator = model.embedder() == nullptr ? -1 : model.embedder()->separator();
  for (size_t r = 0, text = 0; model.embedding_offset() >= 0 && r < n_rows; ++r) {
    const double* offset = &tensors_[static_cast<size_t>(model.embedding_offset())][text * size];
    for (size_t i = 0; i < size; ++i) x[r * size + i] += offset[i];
    if (separator >= 0 && ids[r] == static_cast<uint32_t>(separator)) text = 1;
  }
  if (model.embedding_norm() != nullptr) x = Normalized(*model.embedding_norm(), n_rows, x);
  Streams h;
  if (model.alt_up() != nullptr) h = MakeStreams(n_rows, x);
  std::vector<KeysAndValues> kept(model.layers()->size());
  for (uint32_t n = 0; n < model.layers()->size(); ++n) {
    const format::Layer& layer = *model.layers()->Get(n);
    if (hidden != nullptr) hidden->push_back(x);
    const format::LayerAltUp* alt_up = layer.alt_up();
    if (alt_up != nullptr) {
      Predict(*alt_up, n_rows, &h);
      x = h[model.alt_up()->active()];
    }
    std::vector<double> read;  // by the sublayer, before its norm
    for (const format::Sublayer* sublayer : *layer.sublayers()) {
      const bool behind = alt_up != nullptr && sublayer->op_as_LayerEmbedding() != nullptr;
      if (behind) {
        Correct(*alt_up, n_rows, x, &h);
        x = h[model.alt_up()->active()];
        for (size_t i = 0; i < x.size() && alt_up->scale() >= 0; ++i) {
          x[i] *= tensors_[static_cast<size_t>(alt_up->scale())][i % size];
        }
      }
      if (!sublayer->reads_previous_input()) read = x;
      const std::vector<double> in =
          sublayer->norm() == nullptr ? read : Normalized(*sublayer->norm(), n_rows, read);
      std::vector<double> out;
      if (const format::Attention* attention = sublayer->op_as_Attention()) {
        const int32_t owner = attention->kv_layer();
        out = Attend(*attention, n_rows, in, &kept[owner < 0 ? n : static_cast<size_t>(owner)]);
      } else if (const format::LayerEmbedding* embedding = sublayer->op_as_LayerEmbedding()) {
        out = AddLayerEmbedding(*embedding, n_rows, in, own, n);
      } else {
        out = Ran(*sublayer, n_rows, read, in);
      }
      if (sublayer->post_norm() != nullptr) out = Normalized(*sublayer->post_norm(), n_rows, out);
      if (behind) std::fill(x.begin(), x.end(), 0);
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] = sublayer->residual_factor() * (x[i] + sublayer->factor() * out[i]);
      }
      if (sublayer->residual_norm() != nullptr) {
        x = Normalized(*sublayer->residual_norm(), n_rows, x);
      }
      for (size_t stream = 1; behind && stream < h.size(); ++stream) {
        for (size_t i = 0; i < x.size(); ++i) h[stream][i] += x[i];
      }
    }
    const auto last = layer.sublayers()->size() - 1;
    if (alt_up != nullptr && layer.sublayers()->Get(last)->op_as_LayerEmbedding() == nullptr) {
      Correct(*alt_up, n_rows, x, &h);
    }
    if (layer.scale() < 0) continue;
    for (double& value : x) value *= tensors_[static_cast<size_t>(layer.scale())][0];
  }
  if (keeps != nullptr) *keeps = kept;
  if (!h.empty()) x = Joined(n_rows, h);
  x = Normalized(*model.final_norm(), n_rows, x);
  if (hidden != nullptr) hidden->push_back(x);
  if (model.head() == nullptr) return {};
  std::vector<double> logits = Apply(*model.head(), n_rows, x);
  if (const double cap = model.logit_soft_cap(); cap > 0) {
    for (double& logit : logits) logit = cap * std::tanh(logit / cap);
  }
  return logits;
}

std::vector<double> PlainForward::Vector(const std::vector<uint32_t>& ids) const {
  const format::Embedder& embedder = *file_.model().embedder();
  std::vector<std::vector<double>> hidden;
  Logits(ids, &hidden);
  const std::vector<double>& rows = hidden.back();
  const size_t size = file_.model().hidden_size(), n_rows = ids.size();
  std::vector<double> vector(size);
  for (size_t i = 0; i < size; ++i) {
    if (embedder.pooling() == format::Pooling::kFirst) vector[i] = rows[i];
    if (embedder.pooling() == format::Pooling::kLast) vector[i] = rows[(n_rows - 1) * size + i];
    if (embedder.pooling() != format::Pooling::kMean) continue;
    for (size_t row = 0; row < n_rows; ++row) vector[i] += rows[row * size + i];
    vector[i] /= static_cast<double>(n_rows);
  }
  for (uint32_t i = 0; embedder.dense() != nullptr && i < embedder.dense()->size(); ++i) {
    vector = Apply(*embedder.dense()->Get(i)->linear(), 1, vector);
    for (double& x : vector) {
      const format::DenseActivation activation = embedder.dense()->Get(i)->activation();
      if (activation == format::DenseActivation::kTanh) x = std::tanh(x);
      if (activation == format::DenseActivation::kSigmoid) x = 1 / (1 + std::exp(-x));
      if (activation == format::DenseActivation::kGelu) x *= (1 + std::erf(x / std::sqrt(2))) / 2;
    }
    const format::Norm* norm = embedder.dense()->Get(i)->norm();
    if (norm != nullptr) vector = Normalized(*norm, 1, vector);
  }
  if (!embedder.normalize()) return vector;
  double squares = 0;
  for (const double x : vector) squares += x * x;
  for (double& x : vector) x /= std::sqrt(squares);
  return vector;
}

}  // namespace rondo
