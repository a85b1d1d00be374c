#include "tools/convert/output/carry_over.h"

#include <cmath>
#include <iomanip>
#include <sstream>

#include "runtime/model/tensor_format.h"
#include "tools/convert/output/metadata.h"

namespace rondo::convert {
namespace {

using format::TensorFormat;

std::string NameOf(const Encoding& encoding) {
  std::string name = FormatFact(encoding.format, encoding.block);
  if (encoding.format == TensorFormat::Q8) name += " (a scale per channel)";
  if (RuleOf(encoding.format).is_codes()) name += " (codes)";
  return name;
}

const std::string kTaken = "taken over as they are, as ";
const std::string kAnew = "dequantised and quantised anew, as ";

std::string Percent(double share) {
  std::ostringstream text;
  text << std::setprecision(2) << 100 * share << " % (root mean square)";
  return text.str();
}

// Of blocks whose scales were rounded to bfloat16.
std::string Loss(const Checkpoint::ScaleRounding& rounding) {
  if (rounding.rounded == 0) return ", without loss: bfloat16 holds their scales exactly";
  return ", but for " + std::to_string(rounding.rounded) + " of " +
         std::to_string(rounding.scales) + " scales that bfloat16 rounds, by " +
         Percent(std::sqrt(rounding.squares / static_cast<double>(rounding.rounded)));
}

}  // namespace

RoundingErrors CarryOver::Count(const TensorRecipe& recipe, const Encoding& encoding,
                                const Checkpoint& checkpoint) {
  RoundingErrors errors;
  const auto count = [&](const std::string& source, const std::string& fate) -> Fate* {
    const Checkpoint::Entry& entry = checkpoint.tensors().at(source);
    if (IsFloat(entry)) return nullptr;
    Fate& found = fates_[{entry.type, fate}];
    ++found.tensors;
    return &found;
  };
  const bool is_float = RuleOf(encoding.format).is_float();
  const std::string anew = is_float ? "dequantised" : kAnew + NameOf(encoding);
  for (const TensorRecipe::Part& part : recipe.parts) {
    RoundingError*& error = errors.emplace_back(nullptr);
    if (part.source.empty()) continue;
    const bool taken = IsTaken(recipe, part, encoding, checkpoint);
    Fate* const fate = count(part.source, taken ? kTaken + NameOf(encoding) : anew);
    if (fate != nullptr && !is_float) error = &fate->error;
  }
  if (recipe.factor) count(recipe.factor->source, anew);
  return errors;
}

std::vector<std::string> CarryOver::Notes(const Checkpoint::ScaleRounding& rounding) const {
  std::vector<std::string> notes;
  for (const auto& [key, fate] : fates_) {
    std::string note =
        "tensors of " + key.first + " (" + std::to_string(fate.tensors) + ") were " + key.second;
    if (key.second.starts_with(kTaken + RuleOf(TensorFormat::Q4B).name)) note += Loss(rounding);
    if (fate.error.squares > 0) {
      note +=
          ", which moved them by " + Percent(std::sqrt(fate.error.squares / fate.error.weights));
    }
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace rondo::convert
