// PartReader: the rows of one part of a tensor, some at a time, as its recipe wants them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// Holds what does not come row by row: a factor, scales of rows, or the whole of a part that is
// transposed, or whose columns are turned. Everything throws Error.
class PartReader {
 public:
  // All three outlive this; `part` is one of the recipe's. Refuses a tensor that does not have the
  // shape that the recipe says.
  PartReader(const TensorRecipe& recipe, const TensorRecipe::Part& part,
             const Checkpoint& checkpoint);

  uint64_t RowBytes() const;  // in the checkpoint

  // out = rows [row, row + out.size() / cols) of the part. Refuses values that are not finite
  // behind what the recipe does to them, by the tensor's name and their place.
  void Read(uint64_t row, std::span<float> out);

 private:
  void ReadPadded(uint64_t row, std::span<float> out);
  void ReadMade(uint64_t row, std::span<float> out);
  void ReadRows(uint64_t row, std::span<float> out);  // as the checkpoint has them
  void ReadFactor();
  void ReadMultiplied(uint64_t first, std::span<float> out);
  void Change(uint64_t row, std::span<float> out) const;
  void CheckFinite(uint64_t row, std::span<const float> out) const;

  const TensorRecipe& recipe_;
  const TensorRecipe::Part& part_;
  const Checkpoint& checkpoint_;
  const Checkpoint::Entry* const entry_;  // null: no tensor of the checkpoint
  const uint64_t cols_;                   // in the checkpoint
  uint64_t first_ = 0;                    // of the recipe's rows, that of the part
  std::vector<float> whole_, between_, narrow_;
  std::vector<float> factor_;      // [inner, cols]
  std::vector<float> row_scales_;  // of all the recipe's rows; empty: all are 1
  std::vector<float> turned_;      // all rows, where columns are turned
};

// All rows of this part of `recipe`. Throws Error.
std::vector<float> ReadPart(const TensorRecipe& recipe, const TensorRecipe::Part& part,
                            const Checkpoint& checkpoint);

}  // namespace rondo::convert
