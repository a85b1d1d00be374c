// FormatRule: what a format of weights is in a file: how tools call it, what it takes as rows and
// in tiles, and where its floats lie. What is computed with it, kernels/formats/ says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rondo_generated.h"
#include "runtime/base/checked.h"
#include "runtime/model/packed_layout.h"

namespace rondo {

struct FormatRule {
  format::TensorFormat format;
  const char* name;           // "q8": as tools take and print it
  uint32_t bits;              // of a value, scales apart
  uint32_t padding = 1;       // inputs are padded to a multiple of it; with blocks, of a block
  bool has_blocks = false;    // a scale for every `block` inputs: 32, 64 or 128; else block is 0
  uint32_t scale_bytes = 4;   // 4: float32; 2: bfloat16; 0: the values themselves are float32
  uint32_t tables_bytes = 0;  // of what codes stand for
  // Values of one row that is not packed, in bytes. `k`: inputs, padded.
  CheckedSize (*row_bytes)(uint64_t k);
  // The tiles in a layout, and the bytes of one.
  PackedLayout::Tile (*tile)(const PackedLayout& layout);
  CheckedSize (*tile_bytes)(PackedLayout::Tile tile, uint64_t k, uint64_t block);
  // Whether all floats of a tile of nr channels are finite numbers.
  bool (*is_finite)(std::span<const uint8_t> tile, size_t nr, size_t block);

  bool is_float() const { return scale_bytes == 0; }
  bool is_codes() const { return tables_bytes > 0; }
  bool TakesBlock(uint64_t block) const {
    return has_blocks ? block == 32 || block == 64 || block == 128 : block == 0;
  }
  CheckedSize Padded(uint64_t inputs, uint64_t block) const {
    return CheckedSize(inputs).AlignUp(has_blocks ? block : padding);
  }
  // Scales of one row that is not packed, in bytes.
  uint64_t RowScaleBytes(uint64_t k, uint64_t block) const {
    return (has_blocks ? k / block : 1) * scale_bytes;
  }
  uint32_t TileChannels(const PackedLayout& layout) const { return tile(layout).nr; }
  CheckedSize TileBytes(const PackedLayout& layout, uint64_t k, uint64_t block) const {
    return tile_bytes(tile(layout), k, block);
  }
  // Of a whole matrix of n channels.
  CheckedSize PackedBytes(const PackedLayout& layout, uint64_t n, uint64_t k,
                          uint64_t block) const {
    return CheckedSize(CeilDiv<uint64_t>(n, TileChannels(layout))) * TileBytes(layout, k, block);
  }
};

// All of them, in the order in which tools list them.
std::span<const FormatRule> FormatRules();

// Null: this version of Rondo does not have it.
const FormatRule* FindFormat(format::TensorFormat format);

// Of a tensor of an opened file.
inline const FormatRule& RuleOf(format::TensorFormat format) { return *FindFormat(format); }

}  // namespace rondo
