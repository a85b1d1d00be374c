// MergedCheckpoint: a checkpoint with a LoRA adapter added to its weights.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tools/convert/sources/checkpoint.h"
#include "tools/convert/sources/peft/peft_adapter.h"

namespace rondo::convert {

// What the model's architecture says of the checkpoint's tensors.
struct MergeFacts {
  // Where the head is the embedding: that tensor, and what a head of its own would be called.
  std::string embedding, head;
  // Tensors whose matrices are [inputs, outputs]. PEFT asks the module for that, too: what an
  // adapter's fan_in_fan_out says otherwise it sets right.
  std::set<std::string> inputs_first;
};

// Weights that the adapter changes are floats, whatever the checkpoint has them in; all others are
// as they are. Where it changes the embedding alone, or the head that is tied to it, the head is
// there by itself. Everything throws Error.
class MergedCheckpoint final : public Checkpoint {
 public:
  // Every module of the adapter must be there, in its shape.
  MergedCheckpoint(std::shared_ptr<const Checkpoint> base, const std::filesystem::path& adapter,
                   const MergeFacts& facts);

  // What was left out, a sentence each.
  const std::vector<std::string>& notes() const { return adapter_.notes(); }

  void Read(const std::string& name, uint64_t first, std::span<float> out) const override;
  uint32_t BlockOfQ4B(const std::string& name) const override;
  void ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows, uint8_t* data,
               uint16_t* scales) const override;
  uint32_t IntegerBits(const std::string& name) const override;
  float ReadIntegers(const std::string& name, uint64_t row, std::span<int8_t> out) const override;
  const ScaleRounding& scale_rounding() const override { return base_->scale_rounding(); }

 private:
  // What is added to element (row, col): scale * the sum over j < rank of left(row, j) *
  // right(row / rows, j, col).
  struct Change {
    size_t rank, cols, rows;
    double scale;
    std::vector<float> left, right;  // [all rows, rank], [all rows / rows, rank, cols]
  };
  using Module = PeftAdapter::Module;

  // Of a module, as the adapter has them.
  struct Values {
    std::vector<float> down, up;
  };
  // Some outputs of some experts.
  struct Piece {
    uint64_t first_expert, n_experts, first_output, n_outputs;
  };

  std::string Where() const override;
  // The tensor of this name, or of one that differs in what a class's names begin with; empty: it
  // is not there.
  std::string Found(const std::string& tensor) const;
  // The base's tensor that `name` is: another one for a head that was tied.
  const std::string& Origin(const std::string& name) const;
  bool IsChanged(const std::string& name) const;

  void Untie(const MergeFacts& facts);
  void TakeWhole();
  void AddChanges(const MergeFacts& facts);
  // To the tensors of single experts that make up a parameter of all; false: there are none.
  bool AddToExperts(const std::string& name, const Module& module, const Values& values);
  void AddChange(const std::string& name, const std::string& tensor, const Module& module,
                 Change change, const std::vector<uint64_t>& shape);
  static Change ChangeOf(const Module& module, const Values& values, bool inputs_first,
                         const Piece& piece);

  const std::shared_ptr<const Checkpoint> base_;
  const PeftAdapter adapter_;
  std::map<std::string, std::string> names_;         // of tensors, by their bare names; empty: many
  std::map<std::string, Change> changes_;            // by tensor
  std::map<std::string, PeftAdapter::Whole> whole_;  // by tensor
  std::string head_, embedding_;  // a head that is there by itself, and what it was tied to
};

}  // namespace rondo::convert
