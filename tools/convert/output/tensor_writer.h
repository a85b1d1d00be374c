// From a recipe to the tensor's sections in the file, a few rows at a time.
#pragma once

#include <functional>
#include <vector>

#include "tools/convert/output/file_writer.h"
#include "tools/convert/output/metadata.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// True where `checkpoint` holds this part of `recipe` in 4-bit blocks of 32 columns that can be
// written as they are, but for a factor of theirs that is a power of two.
bool HoldsQ4B(const TensorRecipe& recipe, const TensorRecipe::Part& part,
              const Checkpoint& checkpoint);

// True where this part of `recipe` is integers with a scale for each row that can be written as Q8
// as they are, but for a factor of the scales.
bool HoldsQ8(const TensorRecipe& recipe, const TensorRecipe::Part& part,
             const Checkpoint& checkpoint);

// The values of this part of `recipe`, row by row, as the recipe wants them. Throws Error.
std::vector<float> ReadPart(const TensorRecipe& recipe, const TensorRecipe::Part& part,
                            const Checkpoint& checkpoint);

// Reads the parts of `recipe`, which must have the shapes it says, and writes them in `format`
// (with `block` columns per scale for Q4B; parts that HoldsQ4B() are taken as they are in blocks of
// 32, those that HoldsQ8() in Q8; codes with the default tables). Holds some rows as floats and,
// while it runs, the tensor's scales. `progress` is told the source bytes read with each step.
// Throws Error.
StoredTensor WriteTensor(const TensorRecipe& recipe, format::TensorFormat format, uint32_t block,
                         const Checkpoint& checkpoint, FileWriter& writer,
                         const std::function<void(uint64_t)>& progress);

}  // namespace rondo::convert
