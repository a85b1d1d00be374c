// What of a quantised checkpoint can be written without loss.
#pragma once

#include <optional>

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// A format, and for Q4B the columns that share a scale.
struct Encoding {
  format::TensorFormat format;
  uint32_t block;
};

// True where `checkpoint` holds this part of `recipe` so that it can be written in this format as
// it is, but for a factor of the scales. Codes are so only where all parts are.
bool IsTaken(const TensorRecipe& recipe, const TensorRecipe::Part& part, const Encoding& encoding,
             const Checkpoint& checkpoint);

// What all parts of a quantised tensor can be written in as they are, with the fewest bits; else
// the nearest format of ours, by the file's bits for a weight. Nothing where floats are in the
// file.
std::optional<Encoding> Kept(const TensorRecipe& recipe, const Checkpoint& checkpoint);
// Its type says that it is floats.
bool IsFloat(const Checkpoint::Entry& entry);

}  // namespace rondo::convert
