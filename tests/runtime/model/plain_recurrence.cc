// Gated delta nets and Mamba2 of PlainForward, as runtime/model/rondo.fbs has their formulas.
#include <algorithm>
#include <cmath>

#include "tests/runtime/model/plain_forward.h"

namespace rondo {
namespace {

double Silu(double x) { return x / (1 + std::exp(-x)); }
double Softplus(double x) { return std::log1p(std::exp(x)); }

}  // namespace

// silu of the convolution over `channels` of each row's `width`, from `first` on.
std::vector<double> PlainForward::Convolved(const std::vector<double>& in, size_t n_rows,
                                            size_t first, size_t channels, uint32_t kernel,
                                            int bias, size_t taps) const {
  const size_t width = in.size() / n_rows;
  std::vector<double> out(n_rows * channels);
  for (size_t row = 0; row < n_rows; ++row) {
    for (size_t c = 0; c < channels; ++c) {
      double sum = bias < 0 ? 0 : tensors_[static_cast<size_t>(bias)][c];
      for (size_t t = 0; t < taps; ++t) {
        if (row + 1 + t < taps) continue;
        const size_t at = row + 1 + t - taps;
        sum += tensors_[kernel][t * channels + c] * in[at * width + first + c];
      }
      out[row * channels + c] = Silu(sum);
    }
  }
  return out;
}

std::vector<double> PlainForward::Remember(const format::GatedDeltaNet& net, size_t n_rows,
                                           const std::vector<double>& in) const {
  const size_t heads = net.n_value_heads(), key = net.key_head_dim(), value = net.value_head_dim();
  const size_t keys = net.n_key_heads() * key, values = heads * value;
  const size_t channels = 2 * keys + values;
  const std::vector<double> first = Apply(*net.input(), n_rows, in);
  const std::vector<double> gates = Apply(*net.gates(), n_rows, in);
  const std::vector<double> qkv =
      Convolved(first, n_rows, 0, channels, net.kernel(), net.bias(), net.taps());
  std::vector<double> out(n_rows * values);
  for (size_t h = 0; h < heads; ++h) {
    const size_t group = h / (heads / net.n_key_heads());
    std::vector<double> state(key * value);
    for (size_t row = 0; row < n_rows; ++row) {
      const auto unit = [&](const double* x) {
        double squares = 1e-6;
        for (size_t i = 0; i < key; ++i) squares += x[i] * x[i];
        std::vector<double> y(x, x + key);
        for (double& v : y) v /= std::sqrt(squares);
        return y;
      };
      const double* of_row = &qkv[row * channels];
      const std::vector<double> q = unit(of_row + group * key),
                                k = unit(of_row + keys + group * key);
      const double* v = of_row + 2 * keys + h * value;
      const double* b_a = &gates[row * 2 * heads];
      const double beta = net.beta_scale() / (1 + std::exp(-b_a[h]));
      const double decay = std::exp(-tensors_[net.decay()][h] *
                                    Softplus(b_a[heads + h] + tensors_[net.dt_bias()][h]));
      for (double& s : state) s *= decay;
      for (size_t j = 0; j < value; ++j) {
        double known = 0, sum = 0;
        for (size_t i = 0; i < key; ++i) known += state[i * value + j] * k[i];
        for (size_t i = 0; i < key; ++i) state[i * value + j] += k[i] * beta * (v[j] - known);
        for (size_t i = 0; i < key; ++i) sum += state[i * value + j] * q[i];
        out[row * values + h * value + j] = sum / std::sqrt(static_cast<double>(key));
      }
    }
  }
  for (size_t row = 0; row < n_rows; ++row) {
    for (size_t h = 0; h < heads; ++h) {
      double* x = &out[row * values + h * value];
      double squares = 0;
      for (size_t i = 0; i < value; ++i) squares += x[i] * x[i];
      const double length = std::sqrt(squares / static_cast<double>(value) + net.norm()->epsilon());
      for (size_t i = 0; i < value; ++i) {
        const double z = first[row * (channels + values) + channels + h * value + i];
        x[i] *= tensors_[net.norm()->weight()][h * value + i] / length * Silu(z);
      }
    }
  }
  return Apply(*net.output(), n_rows, out);
}

std::vector<double> PlainForward::Remember(const format::Mamba2& mamba, size_t n_rows,
                                           const std::vector<double>& in) const {
  const size_t heads = mamba.n_heads(), dim = mamba.head_dim(), size = mamba.state_size();
  const size_t inner = heads * dim, groups = mamba.n_groups() * size;
  const size_t channels = inner + 2 * groups;
  const std::vector<double> first = Apply(*mamba.input(), n_rows, in);
  const std::vector<double> steps = Apply(*mamba.dt(), n_rows, in);
  const std::vector<double> xbc =
      Convolved(first, n_rows, inner, channels, mamba.kernel(), mamba.bias(), mamba.taps());
  std::vector<double> out(n_rows * inner);
  for (size_t h = 0; h < heads; ++h) {
    const size_t group = h / (heads / mamba.n_groups());
    std::vector<double> state(dim * size);
    for (size_t row = 0; row < n_rows; ++row) {
      double dt = Softplus(steps[row * heads + h] + tensors_[mamba.dt_bias()][h]);
      dt = std::max(dt, double{mamba.dt_min()});
      if (mamba.dt_max() > 0) dt = std::min(dt, double{mamba.dt_max()});
      const double decay = std::exp(-tensors_[mamba.decay()][h] * dt);
      const double* of_row = &xbc[row * channels];
      for (size_t i = 0; i < dim; ++i) {
        const double x = of_row[h * dim + i];
        double sum = tensors_[mamba.skip()][h] * x;
        for (size_t n = 0; n < size; ++n) {
          double& s = state[i * size + n];
          s = s * decay + dt * x * of_row[inner + group * size + n];
          sum += s * of_row[inner + groups + group * size + n];
        }
        out[row * inner + h * dim + i] = sum;
      }
    }
  }
  const auto gate = [&] {
    for (size_t row = 0; row < n_rows; ++row) {
      for (size_t i = 0; i < inner; ++i) {
        out[row * inner + i] *= Silu(first[row * (inner + channels) + i]);
      }
    }
  };
  if (!mamba.gate_after_norm()) gate();
  if (mamba.norm() != nullptr) {
    const size_t width = mamba.norm()->group() == 0 ? inner : mamba.norm()->group();
    for (size_t at = 0; at < out.size(); at += width) {
      double squares = 0;
      for (size_t i = 0; i < width; ++i) squares += out[at + i] * out[at + i];
      const double length =
          std::sqrt(squares / static_cast<double>(width) + mamba.norm()->epsilon());
      for (size_t i = 0; i < width; ++i) {
        out[at + i] *= tensors_[mamba.norm()->weight()][at % inner + i] / length;
      }
    }
  }
  if (mamba.gate_after_norm()) gate();
  return Apply(*mamba.output(), n_rows, out);
}

}  // namespace rondo
