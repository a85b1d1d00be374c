// Counters of 64 bits, where the CPU exchanges 32 at a time: there is one thread, and interrupt
// handlers only cancel, which is a flag of one byte.
#if defined(__ARM_ARCH) && __ARM_ARCH_PROFILE == 'M'

#include <stdint.h>

extern "C" {

uint64_t __atomic_load_8(const volatile void* at, int /*order*/) {
  return *static_cast<const volatile uint64_t*>(at);
}

void __atomic_store_8(volatile void* at, uint64_t value, int /*order*/) {
  *static_cast<volatile uint64_t*>(at) = value;
}

uint64_t __atomic_fetch_add_8(volatile void* at, uint64_t value, int /*order*/) {
  auto* const counter = static_cast<volatile uint64_t*>(at);
  const uint64_t before = *counter;
  *counter = before + value;
  return before;
}

uint64_t __atomic_fetch_sub_8(volatile void* at, uint64_t value, int order) {
  return __atomic_fetch_add_8(at, 0 - value, order);
}

bool __atomic_compare_exchange_8(volatile void* at, void* expected, uint64_t desired, bool /*weak*/,
                                 int /*success*/, int /*failure*/) {
  auto* const counter = static_cast<volatile uint64_t*>(at);
  auto* const wanted = static_cast<uint64_t*>(expected);
  if (*counter == *wanted) {
    *counter = desired;
    return true;
  }
  *wanted = *counter;
  return false;
}

}  // extern "C"

#endif
