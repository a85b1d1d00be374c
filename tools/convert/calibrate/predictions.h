// Predictions: what a model predicts on a text, kept so that others can be held against it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tools/convert/calibrate/float_model.h"

namespace rondo::convert {

// Of the first chunks, as many as kLogitBytes have room for, at least one. Everything throws Error.
class Predictions {
 public:
  static constexpr size_t kLogitBytes = size_t{512} << 20;

  Predictions(FloatModel& model, const std::vector<TokenChunk>& chunks);

  // The mean of KL(these || the model's) over all positions, in nats. At least 0: of equal models
  // rounding leaves a little on either side.
  double Divergence(FloatModel& model) const;
  size_t positions() const { return chunks_.size() * chunks_.front().size(); }

 private:
  size_t Place(size_t chunk, size_t position) const {
    return (chunk * chunks_.front().size() + position) * vocab_;
  }
  double LogSum(const float* logits) const;

  const size_t vocab_;
  std::vector<TokenChunk> chunks_;
  std::vector<float> logits_;  // [chunks, positions, vocab]
};

}  // namespace rondo::convert
