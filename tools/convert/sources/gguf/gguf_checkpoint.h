// GgufCheckpoint: a GGUF file's tensors as those of the Hugging Face checkpoint that it was made
// from.
#pragma once

#include <memory>

#include "tools/convert/sources/checkpoint.h"
#include "tools/convert/sources/gguf/keys.h"
#include "tools/convert/sources/gguf/tensor_names.h"

namespace rondo::convert {

// A tensor whose name no rule knows keeps its name. Holds a tensor as floats where the checkpoint
// has it transposed (gpt2), one at a time.
class GgufCheckpoint final : public Checkpoint {
 public:
  // `keys` and its file must outlive it.
  explicit GgufCheckpoint(const GgufKeys& keys);

  void Read(const std::string& name, uint64_t first, std::span<float> out) const override;
  bool HoldsQ4B(const std::string& name) const override;
  void ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows, uint8_t* data,
               uint16_t* scales) const override;

 private:
  // A Hugging Face tensor, made of rows of one of the file's. A vector has rows of one element.
  struct View {
    std::string source;
    const GgufFile::Tensor* tensor;
    uint64_t first_row;  // in the source
    uint64_t rows, cols;
    Change change;      // of those, kPairedHeads, kPlusOne, kTransposed and kSplitByThird
    uint64_t head_dim;  // for kPairedHeads and kSplitByThird
    float scale;        // of all its values
  };

  std::string Where() const override { return file_.path(); }
  void AddTensor(const GgufKeys& keys, const std::string& name, const GgufFile::Tensor& tensor,
                 const NameRules& rules);
  void AddView(const std::string& name, View view, std::vector<uint64_t> shape);
  uint64_t SourceRow(const View& view, uint64_t row) const;
  void ReadUnscaled(const View& view, uint64_t first, std::span<float> out) const;
  void ReadTransposed(const View& view, uint64_t first, std::span<float> out) const;

  const GgufFile& file_;
  std::map<std::string, View> views_;
  mutable const View* transposed_of_ = nullptr;
  mutable std::vector<float> transposed_;
};

}  // namespace rondo::convert
