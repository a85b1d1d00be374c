// Several residual streams and learned augmented residuals in plain loops.
#include <algorithm>
#include <cmath>

#include "tests/runtime/model/plain_forward.h"

namespace rondo {

namespace {

using Values = std::vector<double>;

double MeanSquare(const double* row, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += row[i] * row[i];
  return sum / static_cast<double>(n);
}

// Rows of b, each as large as the one of a.
Values Like(const Values& a, const Values& b, size_t n_rows) {
  const size_t n = a.size() / n_rows;
  Values scaled = b;
  for (size_t i = 0; i < a.size(); ++i) {
    const size_t row = i / n * n;
    scaled[i] *= std::sqrt(MeanSquare(&a[row], n) / std::max(MeanSquare(&b[row], n), 1e-5));
  }
  return scaled;
}

}  // namespace

PlainForward::Streams PlainForward::MakeStreams(size_t n_rows, const Values& x) const {
  Streams h = {x};
  const format::AltUp& alt_up = *file_.model().alt_up();
  const Values all = Apply(*alt_up.embed(), n_rows, x);
  const size_t size = x.size() / n_rows, width = all.size() / n_rows;
  for (uint32_t i = 1; i < alt_up.n_streams(); ++i) {
    Values part;
    for (size_t row = 0; row < n_rows; ++row) {
      const double* from = &all[row * width + (i - 1) * size];
      part.insert(part.end(), from, from + size);
    }
    h.push_back(Like(x, part, n_rows));
  }
  return h;
}

// [rows, outputs] of `weight`, [outputs, n_streams], times what the router makes of x.
Values PlainForward::Routed(const format::LayerAltUp& own, uint32_t weight, size_t n_rows,
                            const Values& x) const {
  const Values normed = Normalized(*own.router_norm(), n_rows, x);
  const size_t n = file_.model().alt_up()->n_streams(), size = x.size() / n_rows;
  const size_t outputs = tensors_[weight].size() / n;
  Values made(n_rows * outputs);
  for (size_t row = 0; row < n_rows; ++row) {
    for (size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (size_t i = 0; i < size; ++i) {
        sum += tensors_[own.router()][j * size + i] * normed[row * size + i];
      }
      for (size_t o = 0; o < outputs; ++o) {
        made[row * outputs + o] += tensors_[weight][o * n + j] * std::tanh(sum);
      }
    }
  }
  return made;
}

void PlainForward::Predict(const format::LayerAltUp& own, size_t n_rows, Streams* h) const {
  const Streams old = *h;
  const size_t n = old.size(), size = old[0].size() / n_rows;
  const Values p = Routed(own, own.predict(), n_rows, old[file_.model().alt_up()->active()]);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      for (size_t k = 0; k < old[0].size(); ++k) {
        (*h)[i][k] += p[k / size * n * n + i * n + j] * old[j][k];
      }
    }
  }
}

void PlainForward::Correct(const format::LayerAltUp& own, size_t n_rows, const Values& x,
                           Streams* h) const {
  const Values predicted = (*h)[file_.model().alt_up()->active()];
  const Values c = Routed(own, own.correct(), n_rows, x);
  const size_t n = h->size(), size = x.size() / n_rows;
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < x.size(); ++k) {
      (*h)[i][k] += (1 + c[k / size * n + i]) * (x[k] - predicted[k]);
    }
  }
}

Values PlainForward::Joined(size_t n_rows, const Streams& h) const {
  Values x = h[0];
  for (uint32_t i = 1; i < h.size(); ++i) {
    const format::Linear& unembed = *file_.model().alt_up()->unembed()->Get(i - 1);
    const Values part = Like(h[0], Apply(unembed, n_rows, h[i]), n_rows);
    for (size_t k = 0; k < x.size(); ++k) x[k] += part[k];
  }
  for (double& value : x) value /= static_cast<double>(h.size());
  return x;
}

Values PlainForward::Augment(const format::Laurel& laurel, size_t n_rows, const Values& in) const {
  Values out = Apply(*laurel.right(), n_rows, Apply(*laurel.left(), n_rows, in));
  if (laurel.norm() != nullptr) out = Normalized(*laurel.norm(), n_rows, out);
  for (size_t i = 0; i < in.size(); ++i) out[i] += in[i];
  return out;
}

}  // namespace rondo
