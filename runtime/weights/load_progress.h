// LoadProgress: how the caller hears of a long load, and stops it.
#pragma once

#include <cstdint>

namespace rondo {

// Told how far a load is, in bytes of the file, on the thread that asked for the load. Nonzero
// cancels it.
struct LoadProgress {
  int32_t (*report)(void* user, uint64_t done, uint64_t total) = nullptr;  // may be null
  void* user = nullptr;
};

}  // namespace rondo
