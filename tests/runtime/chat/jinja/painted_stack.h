// StackUsedBy: how much of a thread's stack a call takes, to the byte.
#pragma once

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace rondo::testing {

// Runs `call` on a thread that has a stack of `bytes` bytes, with a guard behind it. Returns how
// far down the stack was written to; 0 where no such thread could be had.
template <typename Callable>
size_t StackUsedBy(size_t bytes, Callable call) {
  constexpr int kPaint = 0xA5;
  const auto guard = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* map =
      mmap(nullptr, bytes + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return 0;
  auto* stack = static_cast<uint8_t*>(map) + guard;
  mprotect(map, guard, PROT_NONE);
  std::memset(stack, kPaint, bytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  const auto run = [](void* user) -> void* {
    (*static_cast<Callable*>(user))();
    return nullptr;
  };
  const bool started = pthread_attr_setstack(&attributes, stack, bytes) == 0 &&
                       pthread_create(&thread, &attributes, run, &call) == 0;
  if (started) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const uint8_t* deepest =
      std::find_if(stack, stack + bytes, [](uint8_t byte) { return byte != kPaint; });
  const size_t used = started ? static_cast<size_t>(stack + bytes - deepest) : 0;
  munmap(map, bytes + guard);
  return used;
}

}  // namespace rondo::testing
