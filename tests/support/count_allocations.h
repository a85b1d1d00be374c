// Counts every way to ask the system for memory, by standing before the C library's own functions.
// Defines them: to be included by one file of a test program.
#pragma once

#include <atomic>
#include <cstdlib>

#include "tests/support/sanitized.h"

// Sanitizers bring their own allocator; elsewhere glibc's own names stand behind ours.
#if defined(__GLIBC__) && !RONDO_SANITIZED
#define RONDO_COUNTS_ALLOCATIONS 1

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): one file has it all.
namespace {
std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

void Count() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1);
}
}  // namespace

extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* pointer, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

__attribute__((visibility("default"))) void* malloc(size_t size) {
  Count();
  return __libc_malloc(size);
}
__attribute__((visibility("default"))) void* calloc(size_t count, size_t size) {
  Count();
  return __libc_calloc(count, size);
}
__attribute__((visibility("default"))) void* realloc(void* pointer, size_t size) {
  Count();
  return __libc_realloc(pointer, size);
}
__attribute__((visibility("default"))) void* memalign(size_t alignment, size_t size) {
  Count();
  return __libc_memalign(alignment, size);
}
__attribute__((visibility("default"))) void* aligned_alloc(size_t alignment, size_t size) {
  Count();
  return __libc_memalign(alignment, size);
}
__attribute__((visibility("default"))) int posix_memalign(void** out, size_t alignment,
                                                          size_t size) {
  Count();
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? 12 : 0;
}
__attribute__((visibility("default"))) void* mmap(void* address, size_t length, int protection,
                                                  int flags, int fd, off_t offset) noexcept {
  Count();
  const long result = syscall(SYS_mmap, address, length, protection, flags, fd, offset);
  return reinterpret_cast<void*>(result);
}

}  // extern "C"
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)

// Counts while it lives; one at a time.
class Counted {
 public:
  Counted() {
    allocations = 0;
    counting = true;
  }
  ~Counted() { counting = false; }
  int count() const { return allocations; }
};

#endif
