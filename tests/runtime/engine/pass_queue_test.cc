// Who runs whose pass: requests that wait at once are served in one run, those that run alone on
// their own thread, and what had no room in time.
#include "runtime/engine/pass_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "platforms/this_thread.h"
#include "tests/support/time_limit.h"

namespace rondo {
namespace {

using std::chrono::milliseconds;

size_t Count(const PassRequest* requests) {
  size_t n = 0;
  for (; requests != nullptr; requests = requests->next) ++n;
  return n;
}

void ServeAll(PassRequest* requests) {
  for (; requests != nullptr; requests = requests->next) {
    requests->served = true;
    requests->in_pass = 1;
  }
}

// Passes of one slice: `run` says what becomes of the requests.
template <typename Run>
struct Runner {
  const Run& run;
  bool Begin(PassRequest* requests) {
    run(requests);
    return true;
  }
  bool Continue(PassRequest*) { return false; }
  int report() { return 0; }
  void Tell(int) {}
};

template <typename Run>
void Serve(PassQueue* queue, PassRequest* request, const Run& run) {
  Runner<Run> runner{run};
  queue->Serve(request, &runner);
}

PassRequest NewRequest(bool alone = false) {
  PassRequest request{};
  request.alone = alone;
  return request;
}

TEST(PassQueueTest, OneCallerIsServedAtOnce) {
  PassQueue queue;
  for (int i = 0; i < 3; ++i) {
    PassRequest request = NewRequest();
    size_t runs = 0;
    Serve(&queue, &request, [&](PassRequest* requests) {
      ++runs;
      EXPECT_EQ(requests, &request);
      EXPECT_EQ(Count(requests), 1u);
      ServeAll(requests);
    });
    EXPECT_EQ(runs, 1u);
  }
}

TEST(PassQueueTest, OneThatHadNoRoomWaitsForTheNextRun) {
  PassQueue queue;
  PassRequest request = NewRequest();
  size_t runs = 0;
  Serve(&queue, &request, [&](PassRequest* requests) { requests->served = ++runs == 3; });
  EXPECT_EQ(runs, 3u);
}

// While one run is under way, others come; the next run has them all.
TEST(PassQueueTest, ThoseThatWaitAreServedTogether) {
  const TimeLimit limit(60);
  constexpr size_t kThreads = 4;
  PassQueue queue;
  std::atomic<bool> running{false};
  std::atomic<size_t> most{0};
  std::atomic<size_t> served{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        PassRequest request = NewRequest();
        Serve(&queue, &request, [&](PassRequest* requests) {
          EXPECT_FALSE(running.exchange(true)) << "two runs at once";
          std::this_thread::sleep_for(milliseconds(2));
          most = std::max<size_t>(most, Count(requests));
          served += Count(requests);
          ServeAll(requests);
          running = false;
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(served, kThreads * 50);
  EXPECT_GE(most, kThreads - 1);
}

// The thread that runs a pass goes when its request is over; another one ends the pass.
TEST(PassQueueTest, AnotherGoesOnWithThePass) {
  const TimeLimit limit(60);
  struct Slices {
    PassRequest* leaves;  // after the first slice
    const std::atomic<bool>* left;
    std::atomic<int> slices{0};
    std::vector<uint64_t> threads;

    bool Begin(PassRequest* requests) {
      ServeAll(requests);
      return true;
    }
    bool Continue(PassRequest*) {
      threads.push_back(ThisThread());
      if (++slices == 1) leaves->in_pass = 0;
      while (slices == 3 && !*left) std::this_thread::yield();
      return slices < 4;
    }
    int report() { return 0; }
    void Tell(int) {}
  };
  PassQueue queue;
  std::atomic<bool> left{false};
  PassRequest first = NewRequest(), second = NewRequest();
  PassRequest before = NewRequest();
  Slices slices{&first, &left, {}, {}};
  std::vector<std::thread> threads;
  // Both come while a pass for another one runs, and so are in the next one together.
  std::atomic<int> come{0};
  Serve(&queue, &before, [&](PassRequest* requests) {
    for (PassRequest* request : {&first, &second}) {
      threads.emplace_back([&, request] {
        ++come;
        queue.Serve(request, &slices);
        if (request == &first) left = true;
      });
    }
    while (come < 2) std::this_thread::yield();
    std::this_thread::sleep_for(milliseconds(100));
    ServeAll(requests);
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(first.done && second.done);
  ASSERT_EQ(slices.threads.size(), 4u);
  for (size_t i = 1; i < 4; ++i) EXPECT_EQ(slices.threads[i], second.thread);
}

TEST(PassQueueTest, OneThatRunsAloneRunsOnItsThread) {
  const TimeLimit limit(60);
  PassQueue queue;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 30; ++round) {
        PassRequest mine = NewRequest(/*alone=*/i < 2);
        Serve(&queue, &mine, [&](PassRequest* requests) {
          for (PassRequest* r = requests; r != nullptr; r = r->next) {
            if (!r->alone) continue;
            EXPECT_EQ(r->thread, ThisThread());
            EXPECT_EQ(Count(requests), 1u);
          }
          std::this_thread::sleep_for(milliseconds(1));
          ServeAll(requests);
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace rondo
