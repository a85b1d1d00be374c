// Whole pages straight from the operating system, for arenas.
#pragma once

#include <cstddef>

namespace rondo {

// Zeroed, page-aligned memory, in large pages where the system gives them; nullptr where it
// refuses. Give it back with UnmapMemory and the same size.
void* MapMemory(size_t bytes);
void UnmapMemory(void* memory, size_t bytes);

}  // namespace rondo
