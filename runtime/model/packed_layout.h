// PackedLayout: how weight matrices lie in memory for the kernels of one instruction set. Plain
// data: any machine can say how large a matrix is in the layout of any other.
//
// A packed matrix is a row of tiles, each of nr output channels; the last one is filled up with
// channels of zeros. With inputs in groups of kr (the last one filled up with zeros), a tile holds
//   F32: float bias[nr]; for each input float [nr]
//   Q8:  int32 -sum[nr]; for each group int8 [nr][kr]; float scale[nr]; float bias[nr]
//   Q4B: float -sum[nr]; for each block (for each two groups uint8 [nr][kr], the first group in
//        the low nibbles, the second in the high ones, both signed; bfloat16 scale / 16 [nr]);
//        float bias[nr]
// where sum is that of a channel's weights: of the integers for Q8, of the real values for Q4B.
//
// Q4, Q3 and Q2 lie in the same way for all kernels, their tables apart: tiles of 16 channels, each
//   int32 -sum[16]; for each group of 128 inputs, of which the last may have fewer blocks of 16,
//     (for each block uint8 selectors[8]; zeros up to 64 bytes; for each block its codes);
//   float scale[16]; float bias[16]
// selectors[i] is channel c's in the low nibble, c + 2's in the high one, c = FirstSelected(i).
// The codes of a block of Q4 are uint8 pairs[8][16]: pairs[i] has channel 2i in the low nibbles and
// 2i + 1 in the high ones. Q3 has uint8 low[4][16] and high[2][16], of which the pairs are made,
// and Q2 only low[4][16]: PairOfCodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rondo {

struct PackedLayout {
  struct Tile {
    uint32_t nr;  // output channels
    uint32_t kr;  // inputs of a channel that lie side by side
    friend bool operator==(const Tile&, const Tile&) = default;
  };
  Tile q8;
  Tile q4b;
  Tile f32;  // kr is 1
  friend bool operator==(const PackedLayout&, const PackedLayout&) = default;
};

// Of codes.
inline constexpr uint32_t kCodeChannels = 16;  // of a tile
inline constexpr uint32_t kCodeBlock = 16;     // inputs that share a selector
inline constexpr uint32_t kCodeGroup = 128;    // inputs whose selectors lie together
inline constexpr uint32_t kCodePadding = 32;   // inputs are padded to a multiple of this
inline constexpr uint32_t kCodeTablesBytes = 256;
inline constexpr uint32_t kBlockSelectors = kCodeChannels / 2;  // bytes of a block
inline constexpr uint32_t kGroupSelectors = 64;                 // bytes of a group
// Bytes of a block's codes in a tile.
constexpr uint32_t BlockCodes(uint32_t bits) { return kCodeChannels * kCodeBlock * bits / 8; }
// Bytes of the codes of a row that is not packed, and of the row: selectors follow. `k`: inputs,
// padded.
constexpr uint64_t RowCodes(uint64_t k, uint32_t bits) { return k / 8 * bits; }
constexpr uint64_t CodeRowBytes(uint64_t k, uint32_t bits) {
  return RowCodes(k, bits) + k / kCodeBlock / 2;
}
constexpr uint32_t FirstSelected(uint32_t i) { return i / 4 * 8 + i % 2 * 4 + i / 2 % 2; }
// Code i of a row that is not packed.
constexpr uint8_t CodeOfRow(const uint8_t* row, uint64_t k, uint32_t bits, uint64_t i) {
  if (bits == 4) return row[i / 2] >> i % 2 * 4 & 15;
  const uint8_t low = row[i / 4] >> i % 4 * 2 & 3;
  if (bits == 2) return low;
  return static_cast<uint8_t>(low | (row[k / 4 + i / 8] >> i % 8 & 1) << 2);
}
// The codes of channels 2 * pair and 2 * pair + 1 for one input of a block in a tile.
constexpr uint8_t PairOfCodes(const uint8_t* block, uint32_t bits, uint64_t pair, uint64_t input) {
  if (bits == 4) return block[pair * kCodeBlock + input];
  const uint8_t low = block[pair % 4 * kCodeBlock + input] >> pair / 4 * 2 & 0x33;
  if (bits == 2) return low;
  const uint8_t* high = block + 4 * kCodeBlock;
  return static_cast<uint8_t>(low | (high[pair % 2 * kCodeBlock + input] >> pair / 2 & 0x11) << 2);
}

// The kernels may read, but do not use, so many bytes behind a packed matrix.
inline constexpr uint64_t kPackedOverRead = 128;

// "rondo-1/q8:16x8/q4b:16x8/f:16": nr and kr by format. The first part changes when tiles of the
// same nr and kr are to mean something else.
struct LayoutId {
  char text[64];  // zero-terminated
};
LayoutId IdOf(const PackedLayout& layout);

// The layouts of all kernel sets there are, whatever CPU this is compiled for. Several sets may
// have the same one.
struct NamedLayout {
  const char* kernels;  // the kernel set's name
  PackedLayout layout;
};
std::span<const NamedLayout> NamedLayouts();

// The one of NamedLayouts with this id, else nullptr.
const PackedLayout* FindLayout(std::string_view id);

}  // namespace rondo
