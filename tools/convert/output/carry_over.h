// CarryOver: what becomes of tensors that the source has quantised already, for the report's notes.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rondo_generated.h"
#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// True where the checkpoint holds all of the tensor in 4-bit blocks of 32 columns.
bool HoldsQ4B(const TensorRecipe& recipe, const Checkpoint& checkpoint);

class CarryOver {
 public:
  // A tensor that is written in this format, with `block` columns per scale for Q4B.
  void Count(const TensorRecipe& recipe, format::TensorFormat format, uint32_t block,
             const Checkpoint& checkpoint);
  // True where a tensor's blocks were taken over as they are.
  bool any_taken() const { return any_taken_; }
  // A sentence for each type and what became of it; none for float types. `rounding`: the
  // checkpoint's, of the blocks that were taken over.
  std::vector<std::string> Notes(const Checkpoint::ScaleRounding& rounding) const;

 private:
  // (type, what became of it) -> tensors of the source
  std::map<std::pair<std::string, std::string>, uint64_t> counts_;
  bool any_taken_ = false;
};

}  // namespace rondo::convert
