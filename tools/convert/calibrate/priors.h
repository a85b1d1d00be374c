// Mixed precision without a text: by what is known of kinds of matrices.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "tools/convert/calibrate/format_choice.h"
#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// How much worse the same relative rounding error is in this matrix than in an MLP's gate and up.
double Sensitivity(const std::string& name);

// One decision for each kMatrix of `recipes`, by index, so that they have `bits` per weight on
// average. The loss of a format is its squared rounding error, relative to the weights' squares and
// taken of some rows, times Sensitivity(). Throws Error.
std::map<size_t, FormatDecision> ChooseFormatsByPriors(
    const std::vector<TensorRecipe>& recipes, const Checkpoint& checkpoint, double bits,
    const std::function<void(double done)>& progress);

}  // namespace rondo::convert
