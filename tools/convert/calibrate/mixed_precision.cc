#include "tools/convert/calibrate/mixed_precision.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "runtime/base/checked.h"
#include "runtime/model/packed_layout.h"
#include "runtime/model/tensor_view.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/common/parallel.h"
#include "tools/convert/output/codes.h"
#include "tools/convert/output/level_tables.h"
#include "tools/convert/output/quantize.h"

namespace rondo::convert {
namespace {

using format::TensorFormat;

// The first is the one that is measured.
constexpr std::array kFormats = {MatrixFormat{TensorFormat::Q3, 0},
                                 MatrixFormat{TensorFormat::Q4, 0},
                                 MatrixFormat{TensorFormat::Q8, 0}};
constexpr uint64_t kLogitBytes = uint64_t{512} << 20;  // of the exact predictions

uint64_t StoredBytes(const TensorView& view, const MatrixFormat& format) {
  const uint64_t row_bytes =
      format.format == TensorFormat::Q8
          ? view.cols
          : CodeRowBytes(RoundUp(view.cols, size_t{kCodePadding}), CodeBits(format.format));
  return view.rows * (row_bytes + sizeof(float));
}

// The values that plain rounding leaves of `w`.
std::vector<float> RoundTrip(std::span<const float> w, const TensorView& view,
                             const MatrixFormat& format, size_t threads) {
  std::vector<float> values(w.size());
  ParallelFor(threads, view.rows, [&](size_t r) {
    const std::span<const float> row = w.subspan(r * view.cols, view.cols);
    float* out = &values[r * view.cols];
    if (format.format == TensorFormat::Q8) {
      std::vector<int8_t> data(view.cols);
      const float scale = QuantizeQ8(row, data.data());
      for (size_t c = 0; c < view.cols; ++c) out[c] = static_cast<float>(data[c]) * scale;
      return;
    }
    std::vector<uint8_t> codes(view.cols), selectors(CeilDiv(view.cols, size_t{kCodeBlock}));
    const LevelTables& tables = DefaultTables(CodeBits(format.format));
    const float scale = QuantizeCodes(row, tables, codes.data(), selectors.data());
    for (size_t c = 0; c < view.cols; ++c) {
      const int8_t level = tables.levels[selectors[c / kCodeBlock]][codes[c]];
      out[c] = static_cast<float>(level) * scale;
    }
  });
  return values;
}

double SquaredDistance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = double{a[i]} - double{b[i]};
    sum += difference * difference;
  }
  return sum;
}

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

std::vector<size_t> SpendBytes(const std::vector<std::vector<FormatCost>>& items, uint64_t budget) {
  std::vector<size_t> chosen(items.size());
  uint64_t spent = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    for (size_t k = 1; k < items[i].size(); ++k) {
      if (items[i][k].bytes < items[i][chosen[i]].bytes) chosen[i] = k;
    }
    spent += items[i][chosen[i]].bytes;
  }
  if (spent > budget) {
    Fail("the matrices need at least ", spent, " bytes, but --bits allows only ", budget);
  }
  for (;;) {
    size_t best_item = items.size(), best_choice = 0;
    double best_rate = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      const FormatCost& now = items[i][chosen[i]];
      for (size_t k = 0; k < items[i].size(); ++k) {
        const FormatCost& other = items[i][k];
        if (other.loss >= now.loss || other.bytes > now.bytes + (budget - spent)) continue;
        const double rate =
            other.bytes <= now.bytes
                ? HUGE_VAL
                : (now.loss - other.loss) / static_cast<double>(other.bytes - now.bytes);
        if (rate > best_rate) {
          best_rate = rate;
          best_item = i;
          best_choice = k;
        }
      }
    }
    if (best_item == items.size()) return chosen;
    spent += items[best_item][best_choice].bytes - items[best_item][chosen[best_item]].bytes;
    chosen[best_item] = best_choice;
  }
}

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
  std::vector<std::vector<FormatCost>> costs;
  std::vector<FormatDecision> decisions;
  uint64_t weights = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorView view = ViewTensor(model.file(), tensors[i]);
    const std::vector<float> w(model.values(tensors[i]).begin(), model.values(tensors[i]).end());
    const std::vector<float> rounded = RoundTrip(w, view, kFormats[0], threads);
    model.Exchange(tensors[i], rounded);
    const double divergence = std::max(exact.Divergence(model), 0.0);
    model.Exchange(tensors[i], w);
    const double error = SquaredDistance(w, rounded);
    costs.push_back({{StoredBytes(view, kFormats[0]), divergence}});
    for (size_t k = 1; k < kFormats.size(); ++k) {
      const double its_error = SquaredDistance(w, RoundTrip(w, view, kFormats[k], threads));
      costs.back().push_back(
          {StoredBytes(view, kFormats[k]), error > 0 ? divergence * its_error / error : 0.0});
    }
    decisions.push_back({view.name, uint64_t{view.rows} * view.cols, divergence, {}, 0});
    weights += decisions.back().weights;
    progress(static_cast<double>(i + 1) / static_cast<double>(tensors.size()));
  }
  const auto budget = static_cast<uint64_t>(static_cast<double>(weights) * bits / 8);
  const std::vector<size_t> chosen = SpendBytes(costs, budget);
  for (size_t i = 0; i < tensors.size(); ++i) {
    decisions[i].chosen = kFormats[chosen[i]];
    decisions[i].bits = static_cast<double>(costs[i][chosen[i]].bytes) * 8 /
                        static_cast<double>(decisions[i].weights);
  }
  return decisions;
}

}  // namespace rondo::convert
