// From a recipe to the tensor's sections in the file, a few rows at a time.
#pragma once

#include <functional>
#include <vector>

#include "tools/convert/output/file_writer.h"
#include "tools/convert/output/metadata.h"
#include "tools/convert/output/taken.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// What quantising anew did to a tensor's weights.
struct RoundingError {
  double squares = 0;  // of the errors
  double weights = 0;  // squares of what was rounded
};

// Where that of each of a tensor's parts is added up, null: nowhere; empty: of none.
using RoundingErrors = std::vector<RoundingError*>;

// Reads the parts of `recipe`, which must have the shapes it says, and writes them: those that are
// IsTaken() as they are (-128 as -127 in Q8), the others quantised, codes with the default tables.
// Holds some rows as floats and, while it runs, the tensor's scales. `progress` is told the source
// bytes read with each step. Throws Error.
StoredTensor WriteTensor(const TensorRecipe& recipe, const Encoding& encoding,
                         const Checkpoint& checkpoint, FileWriter& writer,
                         const std::function<void(uint64_t)>& progress,
                         const RoundingErrors& errors = {});

}  // namespace rondo::convert
