// CarryOver: what becomes of tensors that the source has quantised already, for the report's notes.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rondo_generated.h"
#include "tools/convert/output/tensor_writer.h"

namespace rondo::convert {

class CarryOver {
 public:
  // A tensor that is written in this encoding. Of each of its parts whose source is quantised: what
  // that does to it is to be counted in what is returned; null for the others.
  RoundingErrors Count(const TensorRecipe& recipe, const Encoding& encoding,
                       const Checkpoint& checkpoint);
  // A sentence for each type and what became of it; none for float types. `rounding`: the
  // checkpoint's, of the blocks that were taken over.
  std::vector<std::string> Notes(const Checkpoint::ScaleRounding& rounding) const;

 private:
  struct Fate {
    uint64_t tensors = 0;  // of the source
    RoundingError error;
  };
  // By type and what became of it.
  std::map<std::pair<std::string, std::string>, Fate> fates_;
};

}  // namespace rondo::convert
