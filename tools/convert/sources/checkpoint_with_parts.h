// CheckpointWithParts: a checkpoint with the tensors of folders beside it, as modules behind a
// model have theirs.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

class CheckpointWithParts final : public Checkpoint {
 public:
  explicit CheckpointWithParts(std::shared_ptr<const Checkpoint> base);

  // The tensors of `part`, each by its name behind `prefix`.
  void AddPart(const std::string& prefix, std::shared_ptr<const Checkpoint> part);

  void Read(const std::string& name, uint64_t first, std::span<float> out) const override;
  const ScaleRounding& scale_rounding() const override { return base_->scale_rounding(); }
  uint32_t BlockOfQ4B(const std::string& name) const override;
  void ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows, uint8_t* data,
               uint16_t* scales) const override;
  uint32_t IntegerBits(const std::string& name) const override;
  float ReadIntegers(const std::string& name, uint64_t row, std::span<int8_t> out) const override;

 private:
  std::string Where() const override;
  // Whose tensor it is, and what that one calls it.
  std::pair<const Checkpoint*, std::string> Find(const std::string& name) const;

  const std::shared_ptr<const Checkpoint> base_;
  std::map<std::string, std::shared_ptr<const Checkpoint>> parts_;  // by prefix
};

}  // namespace rondo::convert
