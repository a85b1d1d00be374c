// StackUsedBy: how much of a thread's stack a call takes.
#pragma once

#if defined(_WIN32)
#include <windows.h>
#elif !defined(__wasi__)
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace rondo::test {

constexpr int kPaint = 0xA5;

// Runs `call` on a thread that has a stack of `bytes` bytes, with a guard behind it. Returns how
// far down the stack was used; 0 where no such thread could be had.

#if defined(_WIN32) || defined(__wasi__)

// A call that finds the stack below it painted.
template <typename Callable>
struct PaintedCall {
  Callable* call;
  size_t bytes;
  uintptr_t bottom = 0;
  size_t used = 0;

  // The stack grows page by page, as a large frame of a function lets it.
  [[gnu::noinline]] void Paint() {
    auto* const frame = static_cast<uint8_t*>(__builtin_alloca(bytes));
    std::memset(frame, kPaint, bytes);
    bottom = reinterpret_cast<uintptr_t>(frame);
    __asm__ volatile("" : : "r"(frame) : "memory");
  }
  void Run() {
    Paint();
    (*call)();
    const auto* const stack = reinterpret_cast<const uint8_t*>(bottom);
    used = static_cast<size_t>(stack + bytes - std::find_if(stack, stack + bytes, [](uint8_t byte) {
                                 return byte != kPaint;
                               }));
  }
};

#endif

#if defined(__wasi__)

// On the only thread, whose stack the linker made larger. To the byte.
template <typename Callable>
size_t StackUsedBy(size_t bytes, Callable call) {
  PaintedCall<Callable> run = {&call, bytes};
  run.Run();
  return run.used;
}

#elif defined(_WIN32)

// Below what a thread's own beginning takes, to the byte.
template <typename Callable>
size_t StackUsedBy(size_t bytes, Callable call) {
  constexpr size_t kOwn = 32 << 10;  // the thread's beginning, and the guard
  PaintedCall<Callable> run = {&call, bytes - kOwn};
  const auto begin = [](void* user) -> DWORD {
    static_cast<PaintedCall<Callable>*>(user)->Run();
    return 0;
  };
  const HANDLE thread =
      CreateThread(nullptr, bytes, begin, &run, STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (thread == nullptr) return 0;
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
  return run.used;
}

#else

// To the byte.
template <typename Callable>
size_t StackUsedBy(size_t bytes, Callable call) {
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

#endif

}  // namespace rondo::test
