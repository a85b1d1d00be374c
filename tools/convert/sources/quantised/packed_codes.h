// Rows of unsigned numbers of a few bits, and what makes weights of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/convert/sources/quantised/quantised_matrix.h"

namespace rondo::convert {

// Number `index` of those of `bits` (1 to 8) bits, one behind the other from the low bit of the
// first byte on.
inline uint32_t BitsAt(std::span<const uint8_t> bytes, uint64_t index, uint32_t bits) {
  const uint64_t at = index * bits / 8;
  const auto shift = static_cast<uint32_t>(index * bits % 8);
  uint32_t value = bytes[at];
  if (shift + bits > 8) value |= uint32_t{bytes[at + 1]} << 8;
  return value >> shift & ((1u << bits) - 1);
}

// The bytes of a row, until the next one is asked for.
using RowBytes = std::function<std::span<const uint8_t>(uint64_t row)>;
// Of a tensor in which rows stand one behind the other: read when they are asked for.
RowBytes RowsOf(const FolderTensors& tensors, const std::string& name, uint64_t rows);
RowBytes RowsOf(std::vector<uint8_t> bytes, uint64_t rows);

// Rows of words of 32 bits as columns.
std::vector<uint8_t> Transposed(std::span<const uint8_t> words, uint64_t rows, uint64_t cols);

// weight = (code - zero) * scale + bias, these three by row and group of columns.
struct ScaledRows {
  RowBytes codes;
  uint32_t bits = 8;
  uint64_t groups = 1;             // of a row
  uint64_t group_size = 0;         // columns; the last group may have fewer. 0: all have as many
  std::vector<uint32_t> group_of;  // of each column; empty: one group behind the other
  std::vector<float> scales;       // [row][group]
  std::vector<float> zeros;        // [row][group]; empty: `zero`
  float zero = 0;
  std::vector<float> biases;  // [row][group]; empty: none

  void operator()(uint64_t row, std::span<float> out) const;
};

// Of tensors in which rows stand one behind the other.
ScaledRows ScaledRowsOf(const FolderTensors& tensors, const std::string& codes,
                        const std::string& scales, uint64_t rows, uint64_t groups, uint32_t bits);

// Where words of 32 bits hold only whole codes, the first from the low bit on, and what is left of
// each is empty: those of a row, `count`, one behind the other.
std::vector<uint8_t> WithoutGaps(std::span<const uint8_t> words, uint64_t count, uint32_t bits);
RowBytes WithoutGaps(RowBytes words, uint64_t count, uint32_t bits);

// Of such a matrix with `zero` everywhere, no biases and groups one behind the other.
ReadIntegersOfRow IntegersOf(ScaledRows matrix);

// Of FP4 (E2M1) two in a byte, the first in the low nibble: weight = value * scale, which is what
// `scale_of` makes of the byte of its group of columns.
ReadRow Fp4Rows(const RowBytes& codes, const RowBytes& scales,
                const std::function<float(uint8_t)>& scale_of);

// [a][b] as [b][a].
std::vector<float> Transposed(const std::vector<float>& values, uint64_t a, uint64_t b);

// Which group each column of a matrix is in, as the tensor of I32 `indices` says. Empty: one behind
// the other, for which makers write -1, too.
std::vector<uint32_t> ReadGroups(const FolderTensors& tensors, const std::string& indices,
                                 uint64_t groups);
// They are in groups of this size, one behind the other.
bool AreInOrder(const std::vector<uint32_t>& group_of, uint64_t group_size);

// How many of `cols` columns share a scale, as `config` says by `key`; nothing where it does not.
std::optional<uint64_t> GroupSize(const Config& config, const char* key, uint64_t cols);
// Columns of a group, of which the tensor `scales` has as many as its first size. Refuses those
// that do not fit the config or, where it names none and `any` is false, do not divide the columns.
uint64_t CheckGroups(const FolderTensors& tensors, const std::string& scales, const Config& config,
                     const char* key, uint64_t cols, bool any);

}  // namespace rondo::convert
