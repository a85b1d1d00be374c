#include "platforms/memory.h"

#include <sys/mman.h>

namespace rondo {

void* MapMemory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
#if defined(MADV_HUGEPAGE)
  madvise(memory, bytes, MADV_HUGEPAGE);  // measured: up to +35 % of decode speed; a wish only
#endif
  return memory;
}

void UnmapMemory(void* memory, size_t bytes) {
  if (memory != nullptr) munmap(memory, bytes);
}

}  // namespace rondo
