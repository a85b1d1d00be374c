// TensorView: one tensor of a ModelFile as the packers read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/model/model_file.h"
#include "runtime/model/tensor_format.h"

namespace rondo {

// Layouts are those of format::TensorFormat. Views into the file's bytes; valid as long as these.
struct TensorView {
  const char* name;  // printable ASCII
  format::TensorFormat format;
  size_t rows;         // output channels
  size_t cols;         // inputs
  size_t block;        // Q4B: columns per scale; else 0
  size_t padded_cols;  // FormatRule::Padded
  std::span<const uint8_t> data;
  std::span<const uint8_t> scales;
  std::span<const uint8_t> tables;
  // How `data` holds values and scales and a bias; nullptr: as rows, like TensorFormat says.
  const PackedLayout* packed;

  const FormatRule& rule() const { return RuleOf(format); }

  // The typed views of `data` and `scales` of what is not packed; each for the formats named.
  std::span<const float> f32() const;            // F32: [rows, cols]
  std::span<const int8_t> q8() const;            // Q8: [rows, cols]
  std::span<const float> row_scales() const;     // Q8, codes: [rows]
  std::span<const uint16_t> q4b_scales() const;  // Q4B: bfloat16 [rows, padded_cols / block]
};

// `index` < file.tensors().size(), as every index of an opened file is.
TensorView ViewTensor(const ModelFile& file, uint32_t index);

// Compares the checksums of the tensor's sections, as before its first use. Error: kCorrupt.
Status VerifyTensor(const ModelFile& file, uint32_t index);

// The float values that the tensor is made of are finite: an F32 tensor's own, else the scales; of
// a packed one all floats of its tiles; and CheckLevels. Error: kCorrupt, naming the tensor and the
// index of the first that is wrong.
Status CheckValues(const TensorView& tensor);
// The floats of rows [begin, end) of a tensor that is not packed.
Status CheckValues(const TensorView& tensor, size_t begin, size_t end);
// No level of a tensor's tables is -128: kernels may take a level's magnitude, which int8 must
// have.
Status CheckLevels(const TensorView& tensor);

}  // namespace rondo
