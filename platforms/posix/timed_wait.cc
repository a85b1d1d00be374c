// Waiting until a time of the clock that never jumps, which POSIX's conditions can be made for.
#include <pthread.h>
#include <time.h>

#include <new>

#include "platforms/sync.h"

namespace rondo {

Condition::Condition() {
  static_assert(sizeof(pthread_cond_t) <= sizeof system_);
  auto* const condition = new (system_) pthread_cond_t;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

void Condition::WaitUntil(MutexLock& lock, Nanoseconds time) {
  timespec until;
  until.tv_sec = static_cast<time_t>(time / 1'000'000'000);
  until.tv_nsec = static_cast<long>(time % 1'000'000'000);
  pthread_cond_timedwait(reinterpret_cast<pthread_cond_t*>(system_),
                         reinterpret_cast<pthread_mutex_t*>(lock.mutex().system_), &until);
}

}  // namespace rondo
