// Waiting until a time of the clock that never jumps: Apple's conditions know the wall's clock
// alone, and how long to wait.
#include <pthread.h>
#include <time.h>

#include <new>

#include "platforms/sync.h"

namespace rondo {

Condition::Condition() {
  static_assert(sizeof(pthread_cond_t) <= sizeof system_);
  pthread_cond_init(new (system_) pthread_cond_t, nullptr);
}

void Condition::WaitUntil(MutexLock& lock, Nanoseconds time) {
  const Nanoseconds now = Now();
  if (time <= now) return;
  timespec left;
  left.tv_sec = static_cast<time_t>((time - now) / 1'000'000'000);
  left.tv_nsec = static_cast<long>((time - now) % 1'000'000'000);
  pthread_cond_timedwait_relative_np(reinterpret_cast<pthread_cond_t*>(system_),
                                     reinterpret_cast<pthread_mutex_t*>(lock.mutex().system_),
                                     &left);
}

}  // namespace rondo
