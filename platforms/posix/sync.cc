#include "platforms/sync.h"

#include <pthread.h>
#include <sched.h>

#include <new>

namespace rondo {

namespace {

pthread_mutex_t* Of(std::byte* memory) { return reinterpret_cast<pthread_mutex_t*>(memory); }
pthread_cond_t* ConditionOf(std::byte* memory) { return reinterpret_cast<pthread_cond_t*>(memory); }

}  // namespace

// None of these fails where it is used as it must be: the results tell of errors of the program.
Mutex::Mutex() {
  static_assert(sizeof(pthread_mutex_t) <= sizeof system_);
  new (system_) pthread_mutex_t;
  pthread_mutex_init(Of(system_), nullptr);
}
Mutex::~Mutex() { pthread_mutex_destroy(Of(system_)); }
void Mutex::Lock() { pthread_mutex_lock(Of(system_)); }
void Mutex::Unlock() { pthread_mutex_unlock(Of(system_)); }

Condition::~Condition() { pthread_cond_destroy(ConditionOf(system_)); }

void Condition::Wait(MutexLock& lock) {
  pthread_cond_wait(ConditionOf(system_), Of(lock.mutex().system_));
}

void Condition::NotifyAll() { pthread_cond_broadcast(ConditionOf(system_)); }

void YieldThread() { sched_yield(); }

}  // namespace rondo
