// Fitting: the bits of a model's weights and the format of its KV cache that suit a number of
// bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace rondo::convert {

struct FitWish {
  uint64_t bytes = 0;    // of an engine's arena, on this machine, weights included
  uint32_t context = 0;  // of its one session
};

struct Fitted {
  int32_t kv_format;  // RONDO_KV_
  uint64_t arena_bytes;
};

// A model as it was written: where, and what of it can have other formats.
struct Draft {
  std::filesystem::path file;
  uint64_t matrix_weights;
  uint64_t matrix_bytes;
};

struct FittedBits {
  int32_t kv_format;
  double bits;  // of a weight in a matrix, on average
};
// What the bytes are spent on, in the order of what it loses least: int8 keys and values while
// weights keep 4.25 bits, values in 4 bits while they keep 3.25, then keys, too. Throws Error where
// not even that leaves 2.25 bits, with the bytes that would.
FittedBits FitBits(const Draft& draft, const FitWish& wish);

// What an engine of the finished file takes; throws Error where that is more than was wished for.
Fitted CheckFit(const std::filesystem::path& file, const FitWish& wish, int32_t kv_format);

}  // namespace rondo::convert
