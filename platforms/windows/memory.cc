#include "platforms/memory.h"

#include <windows.h>

namespace rondo {

void* MapMemory(size_t bytes) {
  return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void UnmapMemory(void* memory, size_t /*bytes*/) {
  if (memory != nullptr) VirtualFree(memory, 0, MEM_RELEASE);
}

}  // namespace rondo
