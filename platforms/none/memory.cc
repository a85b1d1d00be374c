#include "platforms/memory.h"

namespace rondo {

// The arena is the host's.
void* MapMemory(size_t /*bytes*/) { return nullptr; }
void UnmapMemory(void* /*memory*/, size_t /*bytes*/) {}

}  // namespace rondo
