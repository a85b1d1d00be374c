#include "tools/convert/calibrate/format_choice.h"

#include <cmath>

#include "runtime/model/tensor_format.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/common/parallel.h"
#include "tools/convert/output/encode_row.h"

namespace rondo::convert {

using format::TensorFormat;

std::vector<MatrixFormat> FormatsFor(double bits) {
  std::vector<MatrixFormat> formats = {
      {TensorFormat::Q3, 0}, {TensorFormat::Q4, 0}, {TensorFormat::Q8, 0}};
  if (bits < kMostBitsWithQ2) formats.push_back({TensorFormat::Q2, 0});
  return formats;
}

uint64_t StoredBytes(uint64_t rows, uint64_t cols, const MatrixFormat& format) {
  const FormatRule& rule = RuleOf(format.format);
  const uint64_t k = rule.Padded(cols, format.block).value();
  return rows * (rule.row_bytes(k).value() + rule.RowScaleBytes(k, format.block));
}

std::vector<float> RoundTrip(std::span<const float> w, size_t cols, const MatrixFormat& format,
                             size_t threads) {
  std::vector<float> values(w.size());
  const FormatRule& rule = RuleOf(format.format);
  const uint64_t k = rule.Padded(cols, format.block).value();
  ParallelFor(threads, w.size() / cols, [&](size_t r) {
    std::vector<uint8_t> data(rule.row_bytes(k).value()),
        scales(rule.RowScaleBytes(k, format.block));
    EncodeRow(format.format, format.block, w.subspan(r * cols, cols), data.data(), scales.data(),
              std::span(values).subspan(r * cols, cols));
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
        if (!(other.loss < now.loss) || other.bytes > now.bytes + (budget - spent)) continue;
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

void Decide(const std::vector<std::vector<FormatCost>>& costs, double bits,
            std::vector<FormatDecision>* decisions) {
  uint64_t weights = 0;
  for (const FormatDecision& decision : *decisions) weights += decision.weights;
  const auto budget = static_cast<uint64_t>(static_cast<double>(weights) * bits / 8);
  const std::vector<size_t> chosen = SpendBytes(costs, budget);
  const std::vector<MatrixFormat> formats = FormatsFor(bits);
  for (size_t i = 0; i < chosen.size(); ++i) {
    FormatDecision& decision = (*decisions)[i];
    decision.chosen = formats[chosen[i]];
    decision.bits =
        static_cast<double>(costs[i][chosen[i]].bytes) * 8 / static_cast<double>(decision.weights);
  }
}

}  // namespace rondo::convert
