// The host's thread pool in place of the engine's own threads: the same bits, and no harm by a pool
// that does not do what it must.
#include <limits.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "tests/c_api/many_sessions.h"
#include "tests/support/time_limit.h"

namespace rondo::abi_test::host_pool_test {
namespace {

constexpr unsigned kSeconds = 60;  // far more than any of these takes

// A pool as `run` has it.
struct Pool {
  std::function<void(size_t count, rondo_task task, void* context)> run;
  size_t calls = 0;
  size_t most = 0;

  static void ParallelFor(void* self, size_t count, rondo_task task, void* context) {
    auto* const pool = static_cast<Pool*>(self);
    ++pool->calls;
    pool->most = std::max(pool->most, count);
    pool->run(count, task, context);
  }
};

void InOrder(size_t count, rondo_task task, void* context) {
  for (size_t i = 0; i < count; ++i) task(context, i);
}

struct Part {
  rondo_task task;
  void* context;
  size_t index;
};

// What a pool was given and did not call.
struct Left {
  std::vector<Part> parts;

  void ComeOne() {
    if (parts.empty()) return;
    const Part part = parts.back();
    parts.pop_back();
    part.task(part.context, part.index);
  }
  void ComeAll() {
    while (!parts.empty()) ComeOne();
  }
};

// On threads with no more stack than the header asks for, or the system allows.
void OnThreads(size_t count, rondo_task task, void* context) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  const size_t stack = std::max<size_t>(PTHREAD_STACK_MIN, size_t{64} << 10);
  EXPECT_EQ(pthread_attr_setstacksize(&attributes, stack), 0);
  std::vector<pthread_t> threads(count);
  std::vector<Part> parts;
  for (size_t i = 0; i < count; ++i) parts.push_back({task, context, i});
  for (size_t i = 0; i < count; ++i) {
    const auto run = [](void* self) -> void* {
      const Part& part = *static_cast<Part*>(self);
      part.task(part.context, part.index);
      return nullptr;
    };
    EXPECT_EQ(pthread_create(&threads[i], &attributes, run, &parts[i]), 0);
  }
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

rondo_engine_options With(Pool* pool, uint32_t threads = 3) {
  rondo_engine_options options = Many(2);
  options.threads = threads;
  options.parallel_for = pool == nullptr ? nullptr : Pool::ParallelFor;
  options.parallel_user = pool;
  return options;
}

rondo_engine_counters Counters(const rondo_engine* engine) {
  rondo_engine_counters counters = {};
  counters.struct_size = sizeof counters;
  EXPECT_EQ(rondo_engine_stats(engine, &counters), RONDO_STATUS_OK);
  return counters;
}

// The logits after each token of a prompt of several passes, and after some tokens more.
std::vector<float> Logits(rondo_engine* engine, const rondo_model* model) {
  const Session session = Open(engine, Sampled(0));
  std::vector<float> all;
  const auto row = [](void* user, size_t, const float* logits, size_t count) {
    auto* rows = static_cast<std::vector<float>*>(user);
    rows->insert(rows->end(), logits, logits + count);
  };
  const std::vector<int32_t> ids = Prompt(model, 4);
  EXPECT_EQ(rondo_session_prefill_logits(session.get(), ids.data(), ids.size(), row, &all),
            RONDO_STATUS_OK);
  Generate(session.get(), 5);
  const float* logits = nullptr;
  size_t count = 0;
  EXPECT_EQ(rondo_session_logits(session.get(), &logits, &count), RONDO_STATUS_OK);
  all.insert(all.end(), logits, logits + count);
  return all;
}

class HostPoolTest : public testing::Test {
 protected:
  std::vector<float> LogitsWith(Pool* pool, uint64_t* faults, uint32_t threads = 3) {
    const Engine engine = NewEngine(model_.get(), With(pool, threads));
    std::vector<float> logits = Logits(engine.get(), model_.get());
    *faults = Counters(engine.get()).parallel_faults;
    return logits;
  }
  void ExpectSame(Pool* pool, bool faulty, uint32_t threads = 3) {
    uint64_t faults = 0;
    const std::vector<float> logits = LogitsWith(pool, &faults, threads);
    ASSERT_EQ(logits.size(), expected_.size());
    EXPECT_EQ(std::memcmp(logits.data(), expected_.data(), logits.size() * sizeof(float)), 0);
    EXPECT_EQ(faults > 0, faulty) << faults;
    EXPECT_EQ(pool->calls > 0, threads > 1);
    EXPECT_LE(pool->most, threads);
  }

  const TimeLimit limit_{kSeconds};
  Model model_ = OpenTiny();
  uint64_t none_ = 0;
  std::vector<float> expected_ = LogitsWith(nullptr, &none_);
};

TEST_F(HostPoolTest, TheSameBitsWhateverRunsFirst) {
  EXPECT_EQ(none_, 0u);
  Pool in_order{InOrder}, on_threads{OnThreads};
  Pool backwards{[](size_t count, rondo_task task, void* context) {
    for (size_t i = count; i-- > 0;) task(context, i);
  }};
  for (const uint32_t threads : {1u, 2u, 7u, 256u}) ExpectSame(&in_order, false, threads);
  ExpectSame(&backwards, false);
  if (!kSanitized) ExpectSame(&on_threads, false);
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  const Engine engine = NewEngine(model_.get(), With(&in_order, 5));
  ASSERT_EQ(rondo_engine_memory(engine.get(), &plan), RONDO_STATUS_OK);
  EXPECT_EQ(plan.threads, 5u);
}

// What a pool left out may come at any time, once: it does nothing, also behind the engine's end,
// and what it looks at is freed with the last of it, which a sanitizer sees.
TEST_F(HostPoolTest, ATaskThatComesAfterTheEngineWasClosed) {
  for (const uint32_t threads : {2u, 7u}) {
    Left left;
    size_t calls = 0;
    Pool some{[&](size_t count, rondo_task task, void* context) {
      for (size_t i = 0; i < count; ++i) {
        if (i % 2 == 0) {
          task(context, i);
        } else {
          left.parts.push_back({task, context, i});
        }
      }
      if (calls++ % 4 == 0) left.ComeOne();  // in the middle of another call
    }};
    ExpectSame(&some, true, threads);
    ASSERT_GT(left.parts.size(), 10u);
    const size_t engines = left.parts.size();
    ExpectSame(&some, true, threads);  // beside what is left of one that is closed
    EXPECT_GT(left.parts.size(), engines);
    left.ComeAll();
  }
}

TEST_F(HostPoolTest, TasksThatComeFromManyThreadsWhileTheEngineIsClosed) {
  std::vector<std::thread> threads;
  Pool late{[&](size_t count, rondo_task task, void* context) {
    for (size_t i = 0; i < count; ++i) {
      if (i == 0 || threads.size() >= 64) {
        task(context, i);
        continue;
      }
      threads.emplace_back([=] {
        std::this_thread::sleep_for(std::chrono::milliseconds(i));
        task(context, i);
      });
    }
  }};
  ExpectSame(&late, true);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(HostPoolTest, APoolThatDoesNotDoWhatItMust) {
  Left left;
  Pool none{[&](size_t count, rondo_task task, void* context) {
    for (size_t i = 0; i < count; ++i) left.parts.push_back({task, context, i});
  }};
  Pool one{[&](size_t count, rondo_task task, void* context) {
    for (size_t i = 0; i < count; ++i) {
      if (i != 1) left.parts.push_back({task, context, i});
    }
    task(context, 1);
  }};
  Pool twice{[](size_t count, rondo_task task, void* context) {
    InOrder(count, task, context);
    InOrder(count, task, context);
  }};
  Pool beyond{[](size_t count, rondo_task task, void* context) {
    InOrder(count, task, context);
    for (const size_t i : {count, size_t{1} << 20, SIZE_MAX}) task(context, i);
  }};
  for (Pool* pool : {&none, &one, &twice, &beyond}) ExpectSame(pool, true);
  left.ComeAll();
}

// It returns while its threads still work, and some come when nobody waits for them any more.
TEST_F(HostPoolTest, APoolThatReturnsTooEarly) {
  std::vector<std::thread> threads;
  Pool early{[&](size_t count, rondo_task task, void* context) {
    for (std::thread& thread : threads) thread.join();  // of the call before
    threads.clear();
    for (size_t i = 0; i < count; ++i) {
      threads.emplace_back([=] {
        if (i % 2 == 1) std::this_thread::yield();
        task(context, i);
      });
    }
  }};
  const Engine engine = NewEngine(model_.get(), With(&early));
  const std::vector<float> logits = Logits(engine.get(), model_.get());
  for (std::thread& thread : threads) thread.join();  // before the engine is closed
  EXPECT_EQ(std::memcmp(logits.data(), expected_.data(), logits.size() * sizeof(float)), 0);
  EXPECT_GT(Counters(engine.get()).parallel_faults, 0u);
}

// While it waits, a pool does other work, which may call the library.
TEST_F(HostPoolTest, CallsFromInsideOfIt) {
  rondo_session* running = nullptr;
  rondo_session* other = nullptr;
  rondo_engine* engine_inside = nullptr;
  int busy = 0, calls = 0;
  Pool pool{[&](size_t count, rondo_task task, void* context) {
    InOrder(count, task, context);
    if (running == nullptr || calls++ > 0) return;
    const int32_t id = 1;
    rondo_session* opened = nullptr;
    const rondo_session_options options = SessionOptions();
    busy += rondo_session_prefill(running, &id, 1) == RONDO_STATUS_BUSY;
    busy += rondo_session_prefill(other, &id, 1) == RONDO_STATUS_BUSY;
    busy += rondo_engine_step(engine_inside, &other, 1, nullptr, 0) == RONDO_STATUS_BUSY;
    busy += rondo_session_open(engine_inside, &options, &opened, nullptr, 0) == RONDO_STATUS_BUSY;
    rondo_session_close(other);  // its place becomes free when the running call is over
  }};
  const Engine engine = NewEngine(model_.get(), With(&pool));
  engine_inside = engine.get();
  other = Open(engine.get(), Sampled(0)).release();
  const Session session = Open(engine.get(), Sampled(0));
  running = session.get();
  const std::vector<int32_t> ids = Prompt(model_.get(), 0);
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  EXPECT_EQ(busy, 4);
  EXPECT_EQ(Counters(engine.get()).sessions_open, 1u);
  Open(engine.get(), Sampled(0));
}

// Two engines on one pool, which serves one of them at a time or both.
TEST_F(HostPoolTest, SeveralEnginesAndSessions) {
  Pool pools[2] = {{InOrder}, {InOrder}};
  std::thread threads[2];
  for (int i = 0; i < 2; ++i) {
    threads[i] = std::thread([&, i] {
      const Engine engine = NewEngine(model_.get(), With(&pools[i]));
      std::thread both[2];
      for (size_t k = 0; k < 2; ++k) {
        both[k] = std::thread([&, k] {
          const Session session = Open(engine.get(), Sampled(k));
          const std::vector<int32_t> ids = Prompt(model_.get(), k);
          ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
          ExpectEqual(Generate(session.get()), Alone(model_.get(), k));
        });
      }
      for (std::thread& thread : both) thread.join();
      EXPECT_EQ(Counters(engine.get()).parallel_faults, 0u);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// At whatever point of a pass it is cancelled, in an arena that was full of NaNs: nothing of what
// was left out is found later.
TEST_F(HostPoolTest, CancelledAtEveryPoint) {
  rondo_session* cancelled = nullptr;
  size_t left = 0;
  Pool pool{[&](size_t count, rondo_task task, void* context) {
    if (cancelled != nullptr && left-- == 0) rondo_session_cancel(cancelled);
    InOrder(count, task, context);
  }};
  rondo_engine_options options = With(&pool, 2);
  options.kv_format = RONDO_KV_FLOAT32;  // keeps what it is given, NaNs too
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  ASSERT_EQ(rondo_plan(model_.get(), &options, &plan, nullptr, 0), RONDO_STATUS_OK);
  const std::unique_ptr<void, decltype(&std::free)> arena(
      std::aligned_alloc(plan.arena_alignment, plan.arena_bytes), std::free);
  const std::vector<int32_t> ids = Prompt(model_.get(), 4);
  ASSERT_GT(ids.size(), options.max_rows);
  const size_t first = 3;  // what follows begins in their block
  // The logits after a prompt; its first attempt is to be cancelled at this point, and then the
  // tokens come one by one, beside what that attempt left behind them. `*status`: the attempt's.
  const auto logits = [&](bool cancel, size_t at, int32_t* status) {
    std::memset(arena.get(), 0xff, plan.arena_bytes);
    rondo_engine* made = nullptr;
    EXPECT_EQ(rondo_engine_create(model_.get(), &options, arena.get(), plan.arena_bytes, &made,
                                  nullptr, 0),
              RONDO_STATUS_OK);
    const Engine engine(made);
    const Session session = Open(engine.get(), Sampled(0));
    EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), first), RONDO_STATUS_OK);
    left = at;
    cancelled = cancel ? session.get() : nullptr;
    *status = rondo_session_prefill(session.get(), ids.data() + first, ids.size() - first);
    cancelled = nullptr;
    uint64_t position = 0;
    EXPECT_EQ(rondo_session_position(session.get(), &position), RONDO_STATUS_OK);
    EXPECT_EQ(position, *status == RONDO_STATUS_OK ? ids.size() : first);
    for (; position < ids.size(); ++position) {
      EXPECT_EQ(rondo_session_prefill(session.get(), &ids[position], 1), RONDO_STATUS_OK);
    }
    const float* last = nullptr;
    size_t count = 0;
    EXPECT_EQ(rondo_session_logits(session.get(), &last, &count), RONDO_STATUS_OK);
    return std::vector<float>(last, last + count);
  };
  int32_t status = RONDO_STATUS_CANCELLED;
  const std::vector<float> expected = logits(false, 0, &status);
  EXPECT_EQ(status, RONDO_STATUS_OK);
  size_t points = 0;
  do {
    const std::vector<float> got = logits(true, points++ * (kSanitized ? 17 : 1), &status);
    ASSERT_EQ(got.size(), expected.size());
    ASSERT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0) << points;
  } while (status == RONDO_STATUS_CANCELLED);
  EXPECT_EQ(status, RONDO_STATUS_OK);
  EXPECT_GT(points, kSanitized ? 3u : 50u);
}

}  // namespace
}  // namespace rondo::abi_test::host_pool_test
