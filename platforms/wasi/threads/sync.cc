// Tasks of workers take locks, too: that of a grammar which sessions share.
#include "platforms/sync.h"

#include <new>

#include "platforms/wasi/threads/word.h"

namespace rondo {
namespace {

// What a mutex's word says.
constexpr uint32_t kFree = 0;
constexpr uint32_t kHeld = 1;
constexpr uint32_t kAwaited = 2;  // held, and somebody may sleep

Word* WordIn(std::byte* system) { return std::launder(reinterpret_cast<Word*>(system)); }

}  // namespace

Mutex::Mutex() { new (system_) Word(kFree); }
Mutex::~Mutex() = default;

void Mutex::Lock() {
  Word* const word = WordIn(system_);
  uint32_t was = kFree;
  if (word->compare_exchange_strong(was, kHeld)) return;
  while (word->exchange(kAwaited) != kFree) SleepWhile(word, kAwaited);
}

void Mutex::Unlock() {
  Word* const word = WordIn(system_);
  if (word->exchange(kFree) == kAwaited) Wake(word, 1);
}

// Its word counts notifications, so that none is missed between giving up the lock and sleeping.
Condition::Condition() { new (system_) Word(0); }
Condition::~Condition() = default;

void Condition::Wait(MutexLock& lock) {
  const uint32_t seen = WordIn(system_)->load();
  lock.Unlock();
  SleepWhile(WordIn(system_), seen);
  lock.Lock();
}

void Condition::WaitUntil(MutexLock& lock, Nanoseconds time) {
  const uint32_t seen = WordIn(system_)->load();
  lock.Unlock();
  const Nanoseconds now = Now();
  if (now < time) SleepWhile(WordIn(system_), seen, static_cast<int64_t>(time - now));
  lock.Lock();
}

void Condition::NotifyAll() {
  WordIn(system_)->fetch_add(1);
  Wake(WordIn(system_));
}

void YieldThread() {}

}  // namespace rondo
