// MergedCheckpoint: a checkpoint with a LoRA adapter added to its weights.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/convert/sources/checkpoint.h"
#include "tools/convert/sources/peft/peft_adapter.h"

namespace rondo::convert {

// Weights that the adapter changes are floats, whatever the checkpoint has them in; all others are
// as they are. Everything throws Error.
class MergedCheckpoint final : public Checkpoint {
 public:
  // Every module of the adapter must be there, in its shape.
  MergedCheckpoint(std::shared_ptr<const Checkpoint> base, const std::filesystem::path& adapter);

  void Read(const std::string& name, uint64_t first, std::span<float> out) const override;
  uint32_t BlockOfQ4B(const std::string& name) const override;
  void ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows, uint8_t* data,
               uint16_t* scales) const override;
  uint32_t IntegerBits(const std::string& name) const override;
  float ReadIntegers(const std::string& name, uint64_t row, std::span<int8_t> out) const override;
  const ScaleRounding& scale_rounding() const override { return base_->scale_rounding(); }

 private:
  // What is added to element (row, col): scale * the sum over j < rank of left(row, j) *
  // right(j, col).
  struct Change {
    size_t rank, cols;
    double scale;
    std::vector<float> left, right;  // [rows, rank], [rank, cols]
  };

  std::string Where() const override;
  Change ChangeOf(const PeftAdapter& adapter, const std::string& name,
                  const PeftAdapter::Module& module, const Entry& entry) const;

  std::shared_ptr<const Checkpoint> base_;
  std::map<std::string, Change> changes_;  // by tensor
};

}  // namespace rondo::convert
