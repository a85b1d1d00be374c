// Mixed precision: which matrices get more bits than others, by what each does to the predictions.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tools/convert/calibrate/float_model.h"
#include "tools/convert/calibrate/format_choice.h"

namespace rondo::convert {

// One decision for each of `tensors`, q2 to q8, which shall have `bits` per weight on average. Each
// is measured in q3, below kMostBitsWithQ2 in q2, too, with all others exact; what the other
// formats would do is taken to be in proportion to their squared rounding errors. `model` is the
// same afterwards. Everything throws Error.
std::vector<FormatDecision> ChooseFormats(FloatModel& model, std::span<const uint32_t> tensors,
                                          const std::vector<TokenChunk>& chunks, size_t threads,
                                          double bits,
                                          const std::function<void(double done)>& progress);

}  // namespace rondo::convert
