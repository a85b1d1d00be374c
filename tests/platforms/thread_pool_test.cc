#include "platforms/thread_pool.h"

#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#endif

#include <atomic>
#include <ctime>
#include <memory>
#include <thread>
#include <vector>

#include "platforms/cmake/pthreadpool_spin.h"

namespace rondo {
namespace {

struct Destroy {
  void operator()(ThreadPool* pool) const { ThreadPool::Destroy(pool); }
};
using OwnedPool = std::unique_ptr<ThreadPool, Destroy>;

#if !defined(_WIN32)
sem_t stopped;
sem_t released;
std::atomic<bool> in_time;

// Keeps the thread that it is sent to from all work, as a busy core does; for ten seconds at most.
void Stop(int) {
  sem_post(&stopped);
  timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 10;
  in_time = sem_timedwait(&released, &end) == 0;
}

// A worker's thread, which takes a task as soon as the caller has one that waits for it.
pthread_t Worker(ThreadPool& pool) {
  std::atomic<bool> taken = false;
  pthread_t worker = pthread_self();
  pool.For(2, [&](size_t, size_t thread) {
    if (thread != 0) {
      worker = pthread_self();
      taken = true;
    }
    while (!taken) std::this_thread::yield();
  });
  return worker;
}
#endif

// However little a look costs: on most ARM cores a pause is none.
TEST(ThreadPoolTest, ThreadsStayAwakeByTheClock) {
  const uint64_t begun = rondo_now();
  uint64_t until = 0;
  for (uint32_t looks = 0; rondo_stays_awake(looks, &until);) ++looks;
  EXPECT_GE(rondo_now() - begun, 50'000u);
}

TEST(ThreadPoolTest, AWorkerThatDoesNotRunIsNotWaitedFor) {
#if defined(_WIN32)
  GTEST_SKIP() << "no signal keeps a thread from running here";
#else
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "stopped within an atomic access, the worker keeps the sanitizer's lock on it";
#endif
  sem_init(&stopped, 0, 0);
  sem_init(&released, 0, 0);
  struct sigaction action = {};
  struct sigaction before;
  action.sa_handler = Stop;
  sigaction(SIGTRAP, &action, &before);
  const OwnedPool pool(ThreadPool::Create(2));
  ASSERT_EQ(pool->threads(), 2u);

  for (int round = 0; round < 3; ++round) {
    const pthread_t worker = Worker(*pool);
    ASSERT_EQ(pthread_kill(worker, SIGTRAP), 0);
    sem_wait(&stopped);
    for (int run = 0; run < 5; ++run) {
      std::vector<int> done(100);
      pool->For(done.size(), [&](size_t i, size_t thread) {
        EXPECT_EQ(thread, 0u);
        ++done[i];
      });
      EXPECT_EQ(done, std::vector<int>(100, 1));
    }
    sem_post(&released);
    Worker(*pool);  // has come back
    EXPECT_TRUE(in_time) << "the caller waited for the worker";
  }
  sigaction(SIGTRAP, &before, nullptr);
#endif
}

// Commands of unlike sizes one after another, with workers that come late to any of them.
TEST(ThreadPoolTest, EachTaskRunsOnceHoweverLateWorkersAre) {
  const OwnedPool pool(ThreadPool::Create(4));
  std::vector<std::atomic<int>> done(64);
  for (size_t round = 1; round <= 5000; ++round) {
    const size_t count = 2 + round % (done.size() - 1);
    pool->For(
        count, [&](size_t i, size_t) { done[i].fetch_add(1, std::memory_order_relaxed); },
        round % 7 == 0);
    for (size_t i = 0; i < done.size(); ++i) {
      ASSERT_EQ(done[i].exchange(0, std::memory_order_relaxed), i < count ? 1 : 0) << round;
    }
  }
}

}  // namespace
}  // namespace rondo
