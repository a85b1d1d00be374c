#include "runtime/text/places.h"

#include <bit>

namespace rondo {

void Places::SetCount(size_t count) {
  free_ = static_cast<uint32_t>((uint64_t{1} << count) - 1);
  served_ = count;
}

size_t Places::Take() {
  MutexLock lock(mutex_);
  const uint64_t number = asked_++;
  if (number >= served_) {
    waiting_.fetch_add(1, std::memory_order_relaxed);
    while (number >= served_) given_back_.Wait(lock);
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  const uint32_t place = static_cast<uint32_t>(std::countr_zero(free_));
  free_ &= ~(1u << place);
  return place;
}

void Places::Give(size_t place) {
  const MutexLock lock(mutex_);
  free_ |= 1u << place;
  ++served_;
  if (wanted()) given_back_.NotifyAll();
}

}  // namespace rondo
