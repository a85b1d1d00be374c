#include "tools/convert/output/carry_over.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "tools/convert/output/tensor_writer.h"

namespace rondo::convert {
namespace {

using format::TensorFormat;

bool IsFloat(const std::string& type) { return type == "F32" || type == "F16" || type == "BF16"; }

std::string Fate(TensorFormat format) {
  switch (format) {
    case TensorFormat::F32:
      return "dequantised";
    case TensorFormat::Q8:
      return "dequantised and quantised anew, as q8 (a scale per channel)";
    case TensorFormat::Q4:
      return "dequantised and quantised anew, as q4 (codes)";
    case TensorFormat::Q3:
      return "dequantised and quantised anew, as q3 (codes)";
    default:
      return "dequantised and quantised anew, as q4b";
  }
}

const std::string kTaken = "taken over as they are";
const std::string kTakenQ8 = "taken over without loss, as q8 (a scale per channel)";

// Of blocks whose scales were rounded to bfloat16.
std::string Loss(const Checkpoint::ScaleRounding& rounding) {
  if (rounding.rounded == 0) return ", without loss: bfloat16 holds their scales exactly";
  std::ostringstream text;
  text << ", but for " << rounding.rounded << " of " << rounding.scales
       << " scales that bfloat16 rounds, by " << std::setprecision(2)
       << 100 * std::sqrt(rounding.squares / static_cast<double>(rounding.rounded))
       << " % (root mean square)";
  return text.str();
}

}  // namespace

bool HoldsQ4B(const TensorRecipe& recipe, const Checkpoint& checkpoint) {
  return recipe.role != TensorRole::kVector &&
         std::ranges::all_of(recipe.parts,
                             [&](const auto& part) { return HoldsQ4B(recipe, part, checkpoint); });
}

void CarryOver::Count(const TensorRecipe& recipe, TensorFormat format, uint32_t block,
                      const Checkpoint& checkpoint) {
  const auto count = [&](const std::string& source, const std::string& fate) {
    const std::string& type = checkpoint.tensors().at(source).type;
    if (!IsFloat(type)) ++counts_[{type, fate}];
  };
  for (const TensorRecipe::Part& part : recipe.parts) {
    if (part.source.empty()) continue;
    if (format == TensorFormat::Q4B && block == 32 && HoldsQ4B(recipe, part, checkpoint)) {
      any_taken_ = true;
      count(part.source, kTaken);
    } else if (format == TensorFormat::Q8 && HoldsQ8(recipe, part, checkpoint)) {
      count(part.source, kTakenQ8);
    } else {
      count(part.source, Fate(format));
    }
  }
  if (recipe.factor) count(recipe.factor->source, Fate(format));
}

std::vector<std::string> CarryOver::Notes(const Checkpoint::ScaleRounding& rounding) const {
  std::vector<std::string> notes;
  for (const auto& [key, count] : counts_) {
    notes.push_back("tensors of " + key.first + " (" + std::to_string(count) + ") were " +
                    key.second + (key.second == kTaken ? Loss(rounding) : ""));
  }
  return notes;
}

}  // namespace rondo::convert
