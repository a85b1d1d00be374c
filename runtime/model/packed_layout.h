// PackedLayout: how weight matrices lie in memory for the kernels of one instruction set. Plain
// data: any machine can say how large a matrix is in the layout of any other.
//
// A packed matrix is a row of tiles, each of nr output channels; the last one is filled up with
// channels of zeros. With inputs in groups of kr (the last one filled up with zeros), a tile holds
//   F32: float bias[nr]; for each input float [nr]
//   Q8:  int32 -sum[nr]; for each group int8 [nr][kr]; float scale[nr]; float bias[nr]
//   Q4B:  float -sum[nr]; for each block (for each two groups uint8 [nr][kr], the first group in
//   the
//        low nibbles, the second in the high ones, both signed; bfloat16 scale / 16 [nr]);
//        float bias[nr]
// where sum is that of a channel's weights: of the integers for Q8, of the real values for Q4B.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rondo_generated.h"
#include "runtime/base/checked.h"

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

// Bytes of one tile. `k`: inputs, for Q4B a multiple of `block`.
constexpr CheckedSize PackedTileBytes(const PackedLayout& layout, format::TensorFormat format,
                                      uint64_t k, uint64_t block) {
  switch (format) {
    case format::TensorFormat::F32:
      return CheckedSize(layout.f32.nr) * ((CheckedSize(k) + 1) * sizeof(float));
    case format::TensorFormat::Q8:
      return CheckedSize(layout.q8.nr) *
             (CheckedSize(k).AlignUp(layout.q8.kr) + sizeof(int32_t) + 2 * sizeof(float));
    default:
      return CheckedSize(layout.q4b.nr) *
             (CheckedSize(k / block) * (block / 2 + sizeof(uint16_t)) + 2 * sizeof(float));
  }
}
constexpr uint32_t PackedTileChannels(const PackedLayout& layout, format::TensorFormat format) {
  return format == format::TensorFormat::F32  ? layout.f32.nr
         : format == format::TensorFormat::Q8 ? layout.q8.nr
                                              : layout.q4b.nr;
}
// Bytes of a whole matrix of n channels.
constexpr CheckedSize PackedBytes(const PackedLayout& layout, format::TensorFormat format,
                                  uint64_t n, uint64_t k, uint64_t block) {
  const uint64_t nr = PackedTileChannels(layout, format);
  return CheckedSize(n / nr + (n % nr != 0)) * PackedTileBytes(layout, format, k, block);
}

// The kernels may read, but do not use, so many bytes behind a packed matrix.
inline constexpr uint64_t kPackedOverRead = 128;

// "rondo-1/q8:16x8/q4b:16x8/f32:16": nr and kr by format. The first part changes when tiles of the
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
