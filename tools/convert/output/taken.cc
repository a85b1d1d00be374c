#include "tools/convert/output/taken.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "runtime/model/tensor_format.h"

namespace rondo::convert {
namespace {

using format::TensorFormat;

// A power of two, by which scales of blocks, which were float16, stay exact as bfloat16.
bool IsExactFactor(float factor) {
  int exponent = 0;
  return std::frexp(factor, &exponent) == 0.5f && std::abs(exponent) < 64;
}

// Rows of the checkpoint, or as many pieces of each.
bool AreInRows(const TensorRecipe& recipe, const TensorRecipe::Part& part) {
  return !recipe.transposed && part.row_step == 1 && recipe.IsOnlyScaled() && !recipe.IsChanged() &&
         !part.source.empty() && recipe.SourceShape(part).back() % recipe.cols == 0;
}

// Of this part, those of a row of integers that can be taken; else 0.
uint32_t IntegerBits(const TensorRecipe& recipe, const TensorRecipe::Part& part,
                     const Checkpoint& checkpoint) {
  const bool fits = AreInRows(recipe, part) && recipe.ScaleOf(part) > 0;
  return fits ? checkpoint.IntegerBits(part.source) : 0;
}

// Of Q4B's blocks of this part that can be taken, the columns; else 0.
uint32_t Block(const TensorRecipe& recipe, const TensorRecipe::Part& part,
               const Checkpoint& checkpoint) {
  const bool fits = AreInRows(recipe, part) && recipe.SourceShape(part).back() == recipe.cols &&
                    IsExactFactor(recipe.ScaleOf(part));
  return fits ? checkpoint.BlockOfQ4B(part.source) : 0;
}

// Bits of a weight in the file, of the part that has most; 0: a part is floats.
uint64_t StoredBits(const TensorRecipe& recipe, const Checkpoint& checkpoint) {
  uint64_t most = 0;
  for (const TensorRecipe::Part& part : recipe.parts) {
    if (part.source.empty()) continue;
    const auto found = checkpoint.tensors().find(part.source);
    if (found == checkpoint.tensors().end() || IsFloat(found->second)) return 0;
    most =
        std::max(most, found->second.bytes * 8 / std::max<uint64_t>(1, found->second.elements()));
  }
  return most;
}

}  // namespace

bool IsFloat(const Checkpoint::Entry& entry) {
  return entry.type == "F32" || entry.type == "F16" || entry.type == "BF16";
}

bool IsTaken(const TensorRecipe& recipe, const TensorRecipe::Part& part, const Encoding& encoding,
             const Checkpoint& checkpoint) {
  switch (encoding.format) {
    case TensorFormat::Q4B:
      return Block(recipe, part, checkpoint) == encoding.block;
    case TensorFormat::Q8:
      return IntegerBits(recipe, part, checkpoint) != 0;
    case TensorFormat::Q4:
    case TensorFormat::Q3:
    case TensorFormat::Q2:
      return std::ranges::all_of(recipe.parts, [&](const TensorRecipe::Part& any) {
        const uint32_t bits = IntegerBits(recipe, any, checkpoint);
        return bits != 0 && bits <= RuleOf(encoding.format).bits;
      });
    default:
      return false;
  }
}

std::optional<Encoding> Kept(const TensorRecipe& recipe, const Checkpoint& checkpoint) {
  const uint64_t stored_bits = StoredBits(recipe, checkpoint);
  if (stored_bits == 0) return std::nullopt;
  for (const Encoding encoding : {Encoding{TensorFormat::Q2, 0},
                                  {TensorFormat::Q3, 0},
                                  {TensorFormat::Q4, 0},
                                  {TensorFormat::Q4B, 32},
                                  {TensorFormat::Q4B, 64},
                                  {TensorFormat::Q4B, 128},
                                  {TensorFormat::Q8, 0}}) {
    if (std::ranges::all_of(recipe.parts, [&](const TensorRecipe::Part& part) {
          return IsTaken(recipe, part, encoding, checkpoint);
        })) {
      return encoding;
    }
  }
  // Fewer than 4 bits would lose much: no grid of such a file is one of ours.
  constexpr uint64_t kMostOfQ4 = 5;  // scales included
  return Encoding{stored_bits <= kMostOfQ4 ? TensorFormat::Q4 : TensorFormat::Q8, 0};
}

}  // namespace rondo::convert
