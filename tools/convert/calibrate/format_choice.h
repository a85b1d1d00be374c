// Which of our formats each matrix gets, so that all together have so many bits: what each would
// cost and spoil, and how the bytes are spent.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rondo_generated.h"

namespace rondo::convert {

struct MatrixFormat {
  format::TensorFormat format;
  uint32_t block;  // of Q4B, else 0
};

struct FormatDecision {
  std::string name;  // of the tensor
  uint64_t weights;  // how many
  double loss;       // of the predictions with this matrix alone in q3; from a text: KL, in nats
  MatrixFormat chosen;
  double bits;  // per weight, scales included
};

// What a choice costs and what it spoils.
struct FormatCost {
  uint64_t bytes;
  double loss;
};

// One choice for each item so that the bytes of all are at most `budget` and the sum of losses is
// small: from the smallest of each on, always the step that saves most loss for its bytes. Throws
// Error where not even the smallest fit.
std::vector<size_t> SpendBytes(const std::vector<std::vector<FormatCost>>& items, uint64_t budget);

// Above so many bits on average q2 is not worth a try.
inline constexpr double kMostBitsWithQ2 = 4;
// Those to choose from for so many bits on average; q3 is the first.
std::vector<MatrixFormat> FormatsFor(double bits);

uint64_t StoredBytes(uint64_t rows, uint64_t cols, const MatrixFormat& format);

// The values that plain rounding leaves of `w`, rows of `cols`. `format` is one of FormatsFor().
std::vector<float> RoundTrip(std::span<const float> w, size_t cols, const MatrixFormat& format,
                             size_t threads);

double SquaredDistance(std::span<const float> a, std::span<const float> b);

// Spends `bits` per weight on average: decisions[i].chosen is one of FormatsFor(bits), by the costs
// of each in their order.
void Decide(const std::vector<std::vector<FormatCost>>& costs, double bits,
            std::vector<FormatDecision>* decisions);

}  // namespace rondo::convert
