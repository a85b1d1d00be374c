// Words in shared memory that threads sleep on. A page's own thread must not.
#pragma once

#include <atomic>
#include <cstdint>

namespace rondo {

using Word = std::atomic<uint32_t>;

// Sleeps where the word has this value, until it is woken, or for no reason; for so many
// nanoseconds at most, and below 0 without end. A function of its own: code of V8's baseline
// compiler (seen in 11.3, node's) goes on behind the wait with other local variables.
[[gnu::noinline]] inline void SleepWhile(Word* word, uint32_t value, int64_t nanoseconds = -1) {
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(word), static_cast<int>(value),
                                      nanoseconds);
}

inline void Wake(Word* word, uint32_t sleepers = UINT32_MAX) {
  __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(word), sleepers);
}

}  // namespace rondo
