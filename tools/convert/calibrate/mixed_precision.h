// Mixed precision: which matrices get more bits than others, by what each does to the predictions.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rondo_generated.h"
#include "tools/convert/calibrate/float_model.h"

namespace rondo::convert {

struct MatrixFormat {
  format::TensorFormat format;
  uint32_t block;  // of Q4B, else 0
};

struct FormatDecision {
  std::string name;   // of the tensor
  uint64_t weights;   // how many
  double divergence;  // measured: KL(exact || with this matrix alone in q3), in nats
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

// One decision for each of `tensors`, q3, q4 or q8, which shall have `bits` per weight on average.
// Each is measured in q3 with all others exact; what the others would do is taken to be in
// proportion to their squared rounding errors. `model` is the same afterwards. Everything throws
// Error.
std::vector<FormatDecision> ChooseFormats(FloatModel& model, std::span<const uint32_t> tensors,
                                          const std::vector<TokenChunk>& chunks, size_t threads,
                                          double bits,
                                          const std::function<void(double done)>& progress);

}  // namespace rondo::convert
