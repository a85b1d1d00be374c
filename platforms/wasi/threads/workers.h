// Workers: instances of the module on the same memory, in Web Workers that the package starts. They
// wait here for tasks of the one thread that calls the library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo {

// How many there are.
uint32_t CountWorkers();

// Calls task(context, i, thread) once for each i < count, on the caller's thread, whose number is
// 0, and on the workers with numbers below `threads`; returns when all are done. One call at a
// time.
void RunWithWorkers(uint32_t threads, size_t count, void (*task)(void*, size_t, size_t),
                    void* context);

}  // namespace rondo
