#include "tools/convert/calibrate/mixed_precision.h"

#include <algorithm>
#include <cmath>

#include "runtime/model/tensor_view.h"

namespace rondo::convert {
namespace {

using format::TensorFormat;

constexpr uint64_t kLogitBytes = uint64_t{512} << 20;  // of the exact predictions

// The exact model's predictions, against which others are held.
class Predictions {
 public:
  Predictions(FloatModel& model, const std::vector<TokenChunk>& chunks)
      : chunks_(chunks), vocab_(model.file().model().vocab_size()) {
    logits_.resize(chunks.size() * chunks.front().size() * vocab_);
    model.Predict(chunks_, [&](size_t chunk, size_t position, std::span<const float> row) {
      std::copy(row.begin(), row.end(), Row(chunk, position));
    });
  }

  // The mean of KL(exact || model) over all positions, in nats.
  double Divergence(FloatModel& model) {
    double sum = 0;
    model.Predict(chunks_, [&](size_t chunk, size_t position, std::span<const float> row) {
      const float* exact = Row(chunk, position);
      const double log_sum = LogSum(exact), their_log_sum = LogSum(row.data());
      for (size_t i = 0; i < vocab_; ++i) {
        const double log_p = double{exact[i]} - log_sum;
        sum += std::exp(log_p) * (log_p - (double{row[i]} - their_log_sum));
      }
    });
    return sum / static_cast<double>(chunks_.size() * chunks_.front().size());
  }

 private:
  float* Row(size_t chunk, size_t position) {
    return &logits_[(chunk * chunks_.front().size() + position) * vocab_];
  }
  double LogSum(const float* logits) const {
    const double max = *std::max_element(logits, logits + vocab_);
    double sum = 0;
    for (size_t i = 0; i < vocab_; ++i) sum += std::exp(logits[i] - max);
    return max + std::log(sum);
  }

  const std::vector<TokenChunk>& chunks_;
  const size_t vocab_;
  std::vector<float> logits_;  // [chunks, positions, vocab]
};

}  // namespace

std::vector<FormatDecision> ChooseFormats(FloatModel& model, std::span<const uint32_t> tensors,
                                          const std::vector<TokenChunk>& chunks, size_t threads,
                                          double bits,
                                          const std::function<void(double)>& progress) {
  const uint64_t chunk_bytes =
      uint64_t{chunks.front().size()} * model.file().model().vocab_size() * sizeof(float);
  const size_t n_chunks = std::clamp<size_t>(kLogitBytes / chunk_bytes, 1, chunks.size());
  const std::vector<TokenChunk> measured(chunks.begin(),
                                         chunks.begin() + static_cast<ptrdiff_t>(n_chunks));
  Predictions exact(model, measured);
  const std::vector<MatrixFormat> formats = FormatsFor(bits);
  std::vector<std::vector<FormatCost>> costs;
  std::vector<FormatDecision> decisions;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorView view = ViewTensor(model.file(), tensors[i]);
    const std::vector<float> w(model.values(tensors[i]).begin(), model.values(tensors[i]).end());
    double in_q3 = 0, error_in_q3 = 0;
    costs.emplace_back();
    for (const MatrixFormat& format : formats) {
      const std::vector<float> rounded = RoundTrip(w, view.cols, format, threads);
      const double error = SquaredDistance(w, rounded);
      double loss = error_in_q3 > 0 ? in_q3 * error / error_in_q3 : 0.0;
      if (format.format == TensorFormat::Q3 || format.format == TensorFormat::Q2) {
        model.Exchange(tensors[i], rounded);
        loss = std::max(exact.Divergence(model), 0.0);
      }
      if (format.format == TensorFormat::Q3) {
        in_q3 = loss;
        error_in_q3 = error;
      }
      costs.back().push_back({StoredBytes(view.rows, view.cols, format), loss});
    }
    model.Exchange(tensors[i], w);
    decisions.push_back({view.name, uint64_t{view.rows} * view.cols, in_q3, {}, 0});
    progress(static_cast<double>(i + 1) / static_cast<double>(tensors.size()));
  }
  Decide(costs, bits, &decisions);
  return decisions;
}

}  // namespace rondo::convert
