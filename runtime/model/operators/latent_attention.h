// The matrices of latent attention by name.
#pragma once

#include <cstddef>

namespace rondo {

struct LatentAttentionMatrix {
  enum : size_t { kQDown, kQ, kKvDown, kOutput, kHeads };
  // Of the first head; those of the others follow.
  static constexpr size_t KeyUp() { return kHeads; }
  static constexpr size_t ValueUp(size_t n_heads) { return kHeads + n_heads; }
};

}  // namespace rondo
