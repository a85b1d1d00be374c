// From a recipe to the tensor's sections in the file, a few rows at a time.
#pragma once

#include <functional>

#include "tools/convert/checkpoint.h"
#include "tools/convert/file_writer.h"
#include "tools/convert/metadata.h"

namespace rondo::convert {

// Reads the parts of `recipe`, which must have the shapes it says, and writes them in `format`
// (with `block` columns per scale for Q4). Holds some rows as floats and, while it runs, the
// tensor's scales. `progress` is told the source bytes read with each step. Throws Error.
StoredTensor WriteTensor(const TensorRecipe& recipe, format::TensorFormat format, uint32_t block,
                         const Checkpoint& checkpoint, FileWriter& writer,
                         const std::function<void(uint64_t)>& progress);

}  // namespace rondo::convert
