// Counts, and refuses, every way to ask the system for memory, by standing before the C library's
// own functions. Defines them: to be included by one file of a test program.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "tests/support/sanitized.h"

// Sanitizers bring their own allocator; elsewhere glibc's own names stand behind ours.
#if defined(__GLIBC__) && !RONDO_SANITIZED
#define RONDO_COUNTS_ALLOCATIONS 1

#include <cerrno>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): one file has it all.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* pointer, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* pointer);
}

namespace {
std::atomic<bool> counting{false};
std::atomic<int> allocations{0};
std::atomic<uint64_t> allocated_bytes{0};
std::atomic<int> first_refused{-1}, last_refused{-1};  // of those that are counted
std::atomic<long> living{0};  // not given back yet; only what it grows by is of use

// Whether the system gives this one.
bool Given(size_t bytes) {
  if (!counting.load(std::memory_order_relaxed)) return true;
  const int number = allocations.fetch_add(1);
  allocated_bytes.fetch_add(bytes);
  if (number < first_refused || number > last_refused) return true;
  errno = ENOMEM;
  return false;
}

void* Live(void* pointer) {
  if (pointer != nullptr) living.fetch_add(1, std::memory_order_relaxed);
  return pointer;
}

void* Aligned(size_t alignment, size_t size) {
  return Given(size) ? Live(__libc_memalign(alignment, size)) : nullptr;
}
}  // namespace

extern "C" {

__attribute__((visibility("default"))) void* malloc(size_t size) {
  return Given(size) ? Live(__libc_malloc(size)) : nullptr;
}
__attribute__((visibility("default"))) void* calloc(size_t count, size_t size) {
  return Given(count * size) ? Live(__libc_calloc(count, size)) : nullptr;
}
__attribute__((visibility("default"))) void* realloc(void* pointer, size_t size) {
  if (!Given(size)) return nullptr;
  void* const moved = __libc_realloc(pointer, size);
  if (pointer == nullptr) return Live(moved);
  if (size == 0) living.fetch_sub(1, std::memory_order_relaxed);
  return moved;
}
__attribute__((visibility("default"))) void* memalign(size_t alignment, size_t size) {
  return Aligned(alignment, size);
}
__attribute__((visibility("default"))) void* aligned_alloc(size_t alignment, size_t size) {
  return Aligned(alignment, size);
}
__attribute__((visibility("default"))) int posix_memalign(void** out, size_t alignment,
                                                          size_t size) {
  *out = Aligned(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
__attribute__((visibility("default"))) void free(void* pointer) {
  if (pointer != nullptr) living.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(pointer);
}
__attribute__((visibility("default"))) void* mmap(void* address, size_t length, int protection,
                                                  int flags, int fd, off_t offset) noexcept {
  if (!Given(length)) return MAP_FAILED;
  const long result = syscall(SYS_mmap, address, length, protection, flags, fd, offset);
  void* const mapped = reinterpret_cast<void*>(result);
  return mapped == MAP_FAILED ? mapped : Live(mapped);
}
__attribute__((visibility("default"))) int munmap(void* address, size_t length) noexcept {
  const long result = syscall(SYS_munmap, address, length);
  if (result == 0) living.fetch_sub(1, std::memory_order_relaxed);
  return static_cast<int>(result);
}

}  // extern "C"
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)

// Counts while it lives, and refuses those from number `first` to `last`; one at a time.
class Counted {
 public:
  explicit Counted(int first = -1, int last = -1) {
    allocations = 0;
    allocated_bytes = 0;
    first_refused = first;
    last_refused = last;
    counting = true;
  }
  ~Counted() { counting = false; }
  int count() const { return allocations; }
  uint64_t bytes() const { return allocated_bytes; }
};

#endif
