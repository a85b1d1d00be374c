// Moments: what enters a linear layer, as far as rounding its weights wants to know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rondo::convert {

// Of the inputs y of a layer in a model whose layers before it are rounded already, and x in the
// exact one. Rows come in pairs; the same in the same order give the same bits on any number of
// threads. 8 n^2 bytes for n inputs.
class Moments {
 public:
  Moments(size_t inputs, size_t threads);

  // rounded, exact: [rows, inputs]. `exact` empty: which row belongs to which is not known (a token
  // may have gone to another expert), and then all of drift() is zero.
  void Add(std::span<const float> rounded, std::span<const float> exact);
  // After the last row. What no row ever entered gets the identity.
  void Finish();

  // The mean of y y^T, and 1 % of the mean of its diagonal added to that: symmetric and positive
  // definite, [inputs, inputs].
  std::span<const float> square() const { return square_; }
  // The mean of (x - y) y^T, [inputs, inputs].
  std::span<const float> drift() const { return drift_; }

 private:
  const size_t inputs_, threads_;
  uint64_t rows_ = 0;
  bool paired_ = true;
  std::vector<float> square_, drift_;
};

}  // namespace rondo::convert
