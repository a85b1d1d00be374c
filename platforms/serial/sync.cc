// Where there is one thread: nothing to lock, and waiting lets time pass.
#include "platforms/sync.h"

namespace rondo {

Mutex::Mutex() = default;
Mutex::~Mutex() = default;
void Mutex::Lock() {}
void Mutex::Unlock() {}

Condition::Condition() = default;
Condition::~Condition() = default;
void Condition::Wait(MutexLock& /*lock*/) {}
void Condition::WaitUntil(MutexLock& /*lock*/, Nanoseconds time) {
  while (Now() < time) {
  }
}
void Condition::NotifyAll() {}

void YieldThread() {}

}  // namespace rondo
