#include "platforms/sync.h"

#include <windows.h>

#include <algorithm>
#include <new>

namespace rondo {

namespace {

SRWLOCK* Of(std::byte* memory) { return reinterpret_cast<SRWLOCK*>(memory); }
CONDITION_VARIABLE* ConditionOf(std::byte* memory) {
  return reinterpret_cast<CONDITION_VARIABLE*>(memory);
}

}  // namespace

Mutex::Mutex() {
  static_assert(sizeof(SRWLOCK) <= sizeof system_);
  InitializeSRWLock(new (system_) SRWLOCK);
}
Mutex::~Mutex() = default;  // the system keeps nothing of one
void Mutex::Lock() { AcquireSRWLockExclusive(Of(system_)); }
void Mutex::Unlock() { ReleaseSRWLockExclusive(Of(system_)); }

Condition::Condition() {
  static_assert(sizeof(CONDITION_VARIABLE) <= sizeof system_);
  InitializeConditionVariable(new (system_) CONDITION_VARIABLE);
}
Condition::~Condition() = default;

void Condition::Wait(MutexLock& lock) {
  SleepConditionVariableSRW(ConditionOf(system_), Of(lock.mutex().system_), INFINITE, 0);
}

void Condition::WaitUntil(MutexLock& lock, Nanoseconds time) {
  const Nanoseconds now = Now(), left = time > now ? time - now : 0;
  const auto milliseconds = static_cast<DWORD>(
      std::min<Nanoseconds>((left + kMillisecond - 1) / kMillisecond, 1'000'000));
  SleepConditionVariableSRW(ConditionOf(system_), Of(lock.mutex().system_), milliseconds, 0);
}

void Condition::NotifyAll() { WakeAllConditionVariable(ConditionOf(system_)); }

void YieldThread() { SwitchToThread(); }

}  // namespace rondo
