// Mutual exclusion, waiting and time as the runtime has them of the system.
#include "platforms/sync.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace rondo {
namespace {

TEST(Sync, OneAtATime) {
  Mutex mutex;
  int64_t count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) {
        const MutexLock lock(mutex);
        count = count + 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 80000);
}

TEST(Sync, WaitsForAChange) {
  Mutex mutex;
  Condition changed;
  int turn = 0;
  const auto take_turns = [&](int own) {
    MutexLock lock(mutex);
    for (int i = 0; i < 2000; ++i) {
      while (turn % 3 != own) changed.Wait(lock);
      ++turn;
      changed.NotifyAll();
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) threads.emplace_back(take_turns, t);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(turn, 6000);
}

TEST(Sync, WaitsUntilATime) {
  Mutex mutex;
  Condition changed;
  MutexLock lock(mutex);
  for (const Nanoseconds wait : {Nanoseconds{0}, kMillisecond, 20 * kMillisecond}) {
    const Nanoseconds until = Now() + wait;
    while (Now() < until) changed.WaitUntil(lock, until);
    EXPECT_GE(Now(), until);
  }
  changed.WaitUntil(lock, 0);  // which is over
}

TEST(Sync, GivesTheLockUpAndTakesItBack) {
  Mutex mutex;
  MutexLock lock(mutex);
  bool seen = false;
  std::thread other([&] {
    const MutexLock its(mutex);
    seen = true;
  });
  lock.Unlock();
  other.join();
  lock.Lock();
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace rondo
