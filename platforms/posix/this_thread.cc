#include "platforms/this_thread.h"

#include <pthread.h>
#include <unistd.h>

namespace rondo {

// A pointer where pthread_t is one (glibc, musl, bionic, Darwin): the compiler refuses others.
uint64_t ThisThread() {
  return uint64_t{(uintptr_t)pthread_self()};  // NOLINT(google-readability-casting): either cast
}

uint64_t ThisProcess() { return static_cast<uint64_t>(getpid()); }

}  // namespace rondo
