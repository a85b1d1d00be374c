// JoinedCheckpoint: a checkpoint in which several tensors of another one are one tensor.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

struct JoinedTensor {
  enum class Way {
    kRows,    // one behind another
    kFrames,  // [rows, channels, y, x] each: [rows, channels, frames, y, x], a frame of each
  };
  std::string name;
  std::vector<std::string> parts;  // of one shape; where one is not there, none is joined
  Way way = Way::kRows;
};

class JoinedCheckpoint final : public Checkpoint {
 public:
  // Of one part: a tensor by another name.
  JoinedCheckpoint(std::shared_ptr<const Checkpoint> base, std::vector<JoinedTensor> joined);

  void Read(const std::string& name, uint64_t first, std::span<float> out) const override;
  uint32_t BlockOfQ4B(const std::string& name) const override;
  void ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows, uint8_t* data,
               uint16_t* scales) const override;

 private:
  // Its values come from the parts in turn, `run` of each.
  struct Joined {
    std::vector<std::string> parts;
    uint64_t run;
  };
  std::string Where() const override;
  void Join(const JoinedTensor& tensor);

  const std::shared_ptr<const Checkpoint> base_;
  std::map<std::string, Joined> joined_;
};

}  // namespace rondo::convert
