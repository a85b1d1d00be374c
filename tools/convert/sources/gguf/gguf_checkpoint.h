// GgufCheckpoint: a GGUF file's tensors as those of the Hugging Face checkpoint that it was made
// from.
#pragma once

#include <memory>

#include "tools/convert/sources/checkpoint.h"
#include "tools/convert/sources/gguf/channel_order.h"
#include "tools/convert/sources/gguf/keys.h"
#include "tools/convert/sources/gguf/tensor_names.h"

namespace rondo::convert {

// A tensor whose name no rule knows keeps its name. Holds a tensor as floats where the checkpoint
// has it transposed (gpt2), one at a time. Tensors of layers behind the model's, which predict more
// tokens than one, are called "mtp." and their name.
class GgufCheckpoint final : public Checkpoint {
 public:
  // `keys` and its file must outlive it. `rules`: of its architecture.
  GgufCheckpoint(const GgufKeys& keys, const NameRules& rules);

  void Read(const std::string& name, uint64_t first, std::span<float> out) const override;
  uint32_t BlockOfQ4B(const std::string& name) const override;
  void ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows, uint8_t* data,
               uint16_t* scales) const override;

 private:
  enum class Value { kAsItIs, kLessOne, kLogOfMinus };

  // A Hugging Face tensor, made of rows of one of the file's. A vector has rows of one element.
  struct View {
    std::string source;
    const GgufFile::Tensor* tensor;
    uint64_t first_row;  // in the source
    uint64_t rows, cols;
    ChannelOrder row_order = {}, col_order = {};
    Value value = Value::kAsItIs;
    bool transposed = false;
    bool keeps_blocks = true;  // those of Q4_0 are whole in the Hugging Face tensor
    float scale = 1;           // of all its values
  };

  std::string Where() const override { return file_.path(); }
  void AddTensor(const GgufKeys& keys, const std::string& name, const GgufFile::Tensor& tensor,
                 const NameRules& rules);
  void AddStack(const GgufKeys& keys, const ParsedName& parsed, const NameRule& rule, View view,
                std::span<const float> scales);
  void AddFusedQkv(const GgufKeys& keys, const ParsedName& parsed, const NameRule& rule, View view);
  // `shape`: the file's, and then the checkpoint's.
  void Undo(const GgufKeys& keys, Change change, View& view, std::vector<uint64_t>& shape) const;
  void AddView(const std::string& name, View view, std::vector<uint64_t> shape);
  void ReadUnscaled(const View& view, uint64_t first, std::span<float> out) const;
  void ReadTransposed(const View& view, uint64_t first, std::span<float> out) const;
  void ReadReordered(const View& view, uint64_t first, std::span<float> out) const;
  [[noreturn]] void Refuse(const View& view, const std::string& problem) const;

  const GgufFile& file_;
  std::map<std::string, View> views_;
  mutable const View* transposed_of_ = nullptr;
  mutable std::vector<float> transposed_;
};

}  // namespace rondo::convert
