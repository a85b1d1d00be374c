#include "tools/convert/calibrate/predictions.h"

#include <algorithm>
#include <cmath>

namespace rondo::convert {

Predictions::Predictions(FloatModel& model, const std::vector<TokenChunk>& chunks)
    : vocab_(model.file().model().vocab_size()), chunks_(chunks) {
  const size_t chunk_bytes = chunks.front().size() * vocab_ * sizeof(float);
  chunks_.resize(std::clamp<size_t>(kLogitBytes / chunk_bytes, 1, chunks.size()));
  logits_.resize(positions() * vocab_);
  model.Predict(chunks_, [&](size_t chunk, size_t position, std::span<const float> row) {
    std::ranges::copy(row, &logits_[Place(chunk, position)]);
  });
}

double Predictions::Divergence(FloatModel& model) const {
  double sum = 0;
  model.Predict(chunks_, [&](size_t chunk, size_t position, std::span<const float> row) {
    const float* exact = &logits_[Place(chunk, position)];
    const double log_sum = LogSum(exact), their_log_sum = LogSum(row.data());
    for (size_t i = 0; i < vocab_; ++i) {
      const double log_p = double{exact[i]} - log_sum;
      sum += std::exp(log_p) * (log_p - (double{row[i]} - their_log_sum));
    }
  });
  return std::max(sum / static_cast<double>(positions()), 0.0);
}

double Predictions::LogSum(const float* logits) const {
  const double max = *std::max_element(logits, logits + vocab_);
  double sum = 0;
  for (size_t i = 0; i < vocab_; ++i) sum += std::exp(logits[i] - max);
  return max + std::log(sum);
}

}  // namespace rondo::convert
