// Threads that share something: a mutex, and waiting for a change. Where the system has no threads
// nothing is locked, and waiting only lets time pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platforms/clock.h"

namespace rondo {

// Not recursive. Neither it nor Condition moves.
class Mutex {
 public:
  Mutex();
  ~Mutex();
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock();
  void Unlock();

 private:
  friend class Condition;
  [[maybe_unused]] alignas(8) std::byte system_[64];  // what the system's own takes, at most
};

// Holds a mutex from its beginning to its end, but where Unlock says so.
class MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) : mutex_(mutex) { Lock(); }
  ~MutexLock() {
    if (held_) Unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Lock() {
    mutex_.Lock();
    held_ = true;
  }
  void Unlock() {
    held_ = false;
    mutex_.Unlock();
  }
  Mutex& mutex() const { return mutex_; }

 private:
  Mutex& mutex_;
  bool held_ = false;
};

class Condition {
 public:
  Condition();
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  // The lock is given up while this waits for NotifyAll, or for no reason; the latter at `time`,
  // as Now tells it, at the latest.
  void Wait(MutexLock& lock);
  void WaitUntil(MutexLock& lock, Nanoseconds time);
  void NotifyAll();

 private:
  [[maybe_unused]] alignas(8) std::byte system_[64];
};

// Lets other threads run first.
void YieldThread();

}  // namespace rondo
