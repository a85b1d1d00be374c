#include "platforms/memory.h"

#include <cstdlib>
#include <cstring>

namespace rondo {

// Memory of a module grows and never shrinks: what is given back serves the next who asks.
void* MapMemory(size_t bytes) {
  constexpr size_t kAlignment = 4096;
  if (bytes > SIZE_MAX - kAlignment) return nullptr;
  void* const memory =
      std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (memory != nullptr) std::memset(memory, 0, bytes);
  return memory;
}

void UnmapMemory(void* memory, size_t /*bytes*/) { std::free(memory); }

}  // namespace rondo
