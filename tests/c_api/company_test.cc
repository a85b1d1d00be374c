// Sessions served together: whoever is cancelled goes at once, nobody starves, and closing waits
// for no pass.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include "tests/c_api/many_sessions.h"
#include "tests/support/time_limit.h"

namespace rondo::abi_test::company_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kSeconds = 120;  // far more than any of these takes

// A pool that cancels a session in the middle of a pass, and then lets the engine compute no more
// than two layers before the cancelled call has returned.
class Gate {
 public:
  static void ParallelFor(void* self, size_t count, rondo_task task, void* context) {
    static_cast<Gate*>(self)->Pass();
    for (size_t i = 0; i < count; ++i) task(context, i);
  }
  void CancelAfter(size_t calls, rondo_session* session, size_t calls_of_two_layers) {
    const std::lock_guard lock(mutex_);
    cancel_in_ = calls;
    session_ = session;
    allowed_ = calls_of_two_layers;
    cancelled_ = returned_ = false;
  }
  void Returned() {
    const std::lock_guard lock(mutex_);
    returned_ = true;
    changed_.notify_all();
  }
  size_t calls() const { return calls_; }
  bool cancelled() const { return cancelled_; }
  std::thread::id canceller() const { return canceller_; }
  size_t late() const { return late_; }  // times that the call had not returned for a long time

 private:
  void Pass() {
    std::unique_lock lock(mutex_);
    ++calls_;
    if (session_ == nullptr || returned_) return;
    if (!cancelled_) {
      if (cancel_in_-- > 0) return;
      cancelled_ = true;
      canceller_ = std::this_thread::get_id();
      EXPECT_EQ(rondo_session_cancel(session_), RONDO_STATUS_OK);
      return;
    }
    if (allowed_ > 0) {
      --allowed_;
      return;
    }
    if (changed_.wait_for(lock, std::chrono::seconds(5), [&] { return returned_.load(); })) return;
    ++late_;
    returned_ = true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t cancel_in_ = 0, allowed_ = 0;
  std::atomic<size_t> calls_{0}, late_{0};
  rondo_session* session_ = nullptr;
  std::atomic<bool> cancelled_{false}, returned_{false};
  std::thread::id canceller_;
};

rondo_engine_options With(Gate* gate) {
  rondo_engine_options options = Many(3);
  options.threads = 2;
  options.context = 4096;
  options.context_policy = RONDO_POLICY_SLIDE;
  options.max_rows = 64;
  options.no_prefix_cache = 1;
  options.parallel_for = Gate::ParallelFor;
  options.parallel_user = gate;
  return options;
}

size_t CallsOfALayer(const rondo_model* model, rondo_engine* engine, const Gate& gate) {
  rondo_model_facts facts = {};
  facts.struct_size = sizeof facts;
  EXPECT_EQ(rondo_model_info(model, &facts), RONDO_STATUS_OK);
  const Session session = Open(engine, Sampled(0));
  const std::vector<int32_t> ids(64, 7);
  const size_t before = gate.calls();
  EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  return (gate.calls() - before) / facts.n_layers + 1;
}

// Two prompts of many passes at once. The cancelled one's thread runs the pass, or another does.
TEST(CompanyTest, CancelledInASharedPass) {
  const TimeLimit limit(600);  // twelve rounds take a minute under a sanitizer that has two cores
  const Model model = OpenTiny();
  Gate gate;
  const Engine engine = NewEngine(model.get(), With(&gate));
  const size_t layer = CallsOfALayer(model.get(), engine.get(), gate);
  const std::vector<int32_t> ids(1500, 7);
  std::mt19937 random(1);
  size_t by_runner = 0, by_waiting = 0;
  for (int round = 0; round < 200 && (round < 12 || by_runner == 0 || by_waiting == 0); ++round) {
    const Session cancelled = Open(engine.get(), Sampled(0));
    const Session other = Open(engine.get(), Sampled(0));
    const size_t moment = 4 * layer + random() % (12 * layer);
    gate.CancelAfter(moment, cancelled.get(), 2 * layer);
    std::thread goes_on([&] {
      EXPECT_EQ(rondo_session_prefill(other.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
    });
    std::thread::id its_thread;
    std::thread goes([&] {
      its_thread = std::this_thread::get_id();
      EXPECT_EQ(rondo_session_prefill(cancelled.get(), ids.data(), ids.size()),
                RONDO_STATUS_CANCELLED);
      gate.Returned();
      // It stands as before, and may be used while the pass that it was in goes on.
      uint64_t position = 1;
      EXPECT_EQ(rondo_session_position(cancelled.get(), &position), RONDO_STATUS_OK);
      EXPECT_EQ(position, 0u);
      EXPECT_EQ(rondo_session_reset(cancelled.get()), RONDO_STATUS_OK);
      const std::vector<int32_t> prompt = Prompt(model.get(), 1);
      EXPECT_EQ(rondo_session_prefill(cancelled.get(), prompt.data(), prompt.size()),
                RONDO_STATUS_OK);
    });
    goes.join();
    goes_on.join();
    ++(gate.canceller() == its_thread ? by_runner : by_waiting);
  }
  EXPECT_EQ(gate.late(), 0u);
  EXPECT_GT(by_runner, 0u);
  EXPECT_GT(by_waiting, 0u);
}

// One computes alone, and hands out logits; the other waits for its turn.
TEST(CompanyTest, CancelledInTheQueue) {
  const TimeLimit limit(kSeconds);
  const Model model = OpenTiny();
  Gate gate;
  const Engine engine = NewEngine(model.get(), With(&gate));
  const size_t layer = CallsOfALayer(model.get(), engine.get(), gate);
  const std::vector<int32_t> ids(64, 7);
  for (int round = 0; round < 5; ++round) {
    const Session alone = Open(engine.get(), Sampled(0));
    const Session waiting = Open(engine.get(), Sampled(0));
    std::atomic<bool> waits{false};
    std::thread computes;
    gate.CancelAfter(SIZE_MAX / 2, waiting.get(), 2 * layer);
    std::thread queues([&] {
      while (!waits) std::this_thread::yield();
      EXPECT_EQ(rondo_session_prefill(waiting.get(), ids.data(), ids.size()),
                RONDO_STATUS_CANCELLED);
      gate.Returned();
    });
    computes = std::thread([&] {
      struct Rows {
        std::atomic<bool>* waits;
        Gate* gate;
        rondo_session* session;
        size_t layer;
      } rows = {&waits, &gate, waiting.get(), layer};
      // The other comes while the first rows are handed out; it is cancelled in the next pass.
      const auto row = [](void* self, size_t index, const float*, size_t) {
        auto* const r = static_cast<Rows*>(self);
        if (index != 0) return;
        *r->waits = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        r->gate->CancelAfter(1, r->session, 2 * r->layer);
      };
      const std::vector<int32_t> many(640, 7);
      EXPECT_EQ(rondo_session_prefill_logits(alone.get(), many.data(), many.size(), row, &rows),
                RONDO_STATUS_OK);
    });
    queues.join();
    computes.join();
  }
  EXPECT_EQ(gate.late(), 0u);
}

TEST(CompanyTest, OneOfAStepIsCancelledInTheRest) {
  const TimeLimit limit(kSeconds);
  const Model model = OpenTiny();
  rondo_engine_options options = Many(2);
  options.max_rows = 256;
  options.duty_percent = 1;
  const Engine engine = NewEngine(model.get(), options);
  const Session a = Open(engine.get(), Sampled(0));
  const Session b = Open(engine.get(), Sampled(0));
  const std::vector<int32_t> ids(200, 7);
  const auto begin = Clock::now();
  ASSERT_EQ(rondo_session_prefill(a.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  const auto rest = 99 * (Clock::now() - begin);
  ASSERT_EQ(rondo_session_append(a.get(), ids.data(), 10), RONDO_STATUS_OK);
  ASSERT_EQ(rondo_session_append(b.get(), ids.data(), 10), RONDO_STATUS_OK);
  const auto asked = Clock::now();
  std::thread cancels([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(rondo_session_cancel(a.get()), RONDO_STATUS_OK);
  });
  rondo_session* const both[] = {a.get(), b.get()};
  EXPECT_EQ(rondo_engine_step(engine.get(), both, 2, nullptr, 0), RONDO_STATUS_OK);
  EXPECT_LT(Clock::now() - asked,
            std::max<Clock::duration>(rest / 2, std::chrono::milliseconds(300)));
  cancels.join();
  rondo_event event;
  EXPECT_EQ(Event(a.get(), &event), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(Event(b.get(), &event), RONDO_STATUS_OK);
  EXPECT_EQ(event.token, -1);
  EXPECT_EQ(event.pending, 10u);
}

// What rondo_engine_step promises, for few rows and many sessions that decode or have prompts.
TEST(CompanyTest, NobodyStarves) {
  const Model model = OpenTiny();
  for (uint32_t seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    const size_t n = 3 + random() % 10;
    rondo_engine_options options = Many(static_cast<uint32_t>(n));
    options.max_rows = 1 + random() % 4;
    options.rows_per_step = 1 + random() % options.max_rows;
    options.context_policy = RONDO_POLICY_SLIDE;
    const Engine engine = NewEngine(model.get(), options);
    std::vector<Session> sessions;
    std::vector<rondo_session*> all;
    std::vector<size_t> waits(n, 0);
    const size_t prompts = 1 + random() % (n - 1);
    for (size_t i = 0; i < n; ++i) {
      rondo_session_options sampled = Sampled(i, 0);
      sampled.ignore_eos = 1;
      sessions.push_back(Open(engine.get(), sampled));
      all.push_back(sessions.back().get());
      const std::vector<int32_t> ids(i < prompts ? 200 : 1, static_cast<int32_t>(5 + i));
      ASSERT_EQ(rondo_session_append(all[i], ids.data(), ids.size()), RONDO_STATUS_OK);
    }
    std::vector<uint64_t> pending(n, 0);
    for (size_t i = 0; i < n; ++i) pending[i] = i < prompts ? 200 : 1;
    for (int step = 0; step < 150; ++step) {
      ASSERT_EQ(rondo_engine_step(engine.get(), all.data(), n, nullptr, 0), RONDO_STATUS_OK);
      for (size_t i = 0; i < n; ++i) {
        rondo_event event;
        ASSERT_EQ(Event(all[i], &event), RONDO_STATUS_OK);
        const bool moved = event.token >= 0 || event.pending < pending[i];
        waits[i] = moved ? 0 : waits[i] + 1;
        EXPECT_LE(waits[i], 16 + n) << "session " << i << " of " << n << ", seed " << seed;
        pending[i] = event.token >= 0 ? 1 : event.pending;
        if (i < prompts && event.token >= 0) {  // the next prompt
          const std::vector<int32_t> ids(150, 9);
          ASSERT_EQ(rondo_session_append(all[i], ids.data(), ids.size()), RONDO_STATUS_OK);
          pending[i] = 151;
        }
      }
    }
  }
}

// Threads that decode leave a prompt its rows, and so does one that computes alone.
TEST(CompanyTest, NobodyStarvesOnThreads) {
  const TimeLimit limit(kSeconds);
  const Model model = OpenTiny();
  rondo_engine_options options = Many(5);
  options.max_rows = 2;
  options.context_policy = RONDO_POLICY_SLIDE;
  const Engine engine = NewEngine(model.get(), options);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      rondo_session_options sampled = Sampled(i, 0);
      sampled.ignore_eos = 1;
      const Session session = Open(engine.get(), sampled);
      const int32_t id = 5;
      ASSERT_EQ(rondo_session_prefill(session.get(), &id, 1), RONDO_STATUS_OK);
      rondo_event event = {};
      event.struct_size = sizeof event;
      while (!stop) ASSERT_EQ(rondo_session_next(session.get(), &event), RONDO_STATUS_OK);
    });
  }
  const std::vector<int32_t> ids(60, 7);
  std::thread alone([&] {
    const Session session = Open(engine.get(), Sampled(9));
    const auto row = [](void*, size_t, const float*, size_t) {};
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(rondo_session_prefill_logits(session.get(), ids.data(), ids.size(), row, nullptr),
                RONDO_STATUS_OK);
    }
  });
  const Session prompt = Open(engine.get(), Sampled(8));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(rondo_session_prefill(prompt.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  }
  alone.join();
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

// In a callback of a pass the host waits for a thread that opens and closes sessions.
TEST(CompanyTest, ClosingWaitsForNoPass) {
  const TimeLimit limit(kSeconds);
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Many(3));
  const Session running = Open(engine.get(), Sampled(0));
  struct Both {
    rondo_engine* engine;
    rondo_session* session;
  } both = {engine.get(), Open(engine.get(), Sampled(1)).release()};
  const auto row = [](void* self, size_t index, const float*, size_t) {
    auto* const b = static_cast<Both*>(self);
    if (index != 0) return;
    std::thread([b] {
      rondo_session_close(b->session);
      const Session opened = Open(b->engine, Sampled(2));
      EXPECT_EQ(rondo_session_reset(opened.get()), RONDO_STATUS_OK);
    }).join();
  };
  const int32_t ids[] = {1, 2, 3};
  EXPECT_EQ(rondo_session_prefill_logits(running.get(), ids, 3, row, &both), RONDO_STATUS_OK);
}

// A session that two threads call in turn is waited for as one that comes back.
TEST(CompanyTest, ASessionMayChangeThreads) {
  const TimeLimit limit(kSeconds);
  const Model model = OpenTiny();
  struct Slow {
    std::atomic<bool> begun{false};
    Clock::time_point begin;
    static void ParallelFor(void* self, size_t count, rondo_task task, void* context) {
      auto* const slow = static_cast<Slow*>(self);
      if (!slow->begun.exchange(true)) {
        slow->begin = Clock::now();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // a pass of 100 ms
      }
      for (size_t i = 0; i < count; ++i) task(context, i);
    }
  } slow;
  rondo_engine_options options = Many(1);
  options.threads = 2;
  options.parallel_for = Slow::ParallelFor;
  options.parallel_user = &slow;
  const Engine engine = NewEngine(model.get(), options);
  const Session session = Open(engine.get(), Sampled(0));
  const std::vector<int32_t> ids(20, 7);
  std::vector<Clock::duration> waits;
  for (int i = 0; i < 9; ++i) {
    std::thread([&] {
      slow.begun = false;
      const auto asked = Clock::now();
      ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
      waits.push_back(slow.begin - asked);
    }).join();
  }
  std::sort(waits.begin(), waits.end());
  EXPECT_LT(waits[waits.size() / 2], std::chrono::milliseconds(6));  // 10 for one that is missed
}

TEST(CompanyTest, EveryPassIsLogged) {
  const TimeLimit limit(kSeconds);
  const Model model = OpenTiny();
  std::atomic<uint64_t> told{0};
  rondo_engine_options options = Many(4);
  options.max_rows = 1;
  options.log_level = RONDO_LOG_DEBUG;
  options.log_user = &told;
  options.log = [](void* user, int32_t, const char* message) {
    if (std::string(message).find("pass: ") == 0) ++*static_cast<std::atomic<uint64_t>*>(user);
  };
  const Engine engine = NewEngine(model.get(), options);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const Session session = Open(engine.get(), Sampled(i));
      const std::vector<int32_t> ids = Prompt(model.get(), i);
      ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
      Generate(session.get());
    });
  }
  for (std::thread& thread : threads) thread.join();
  rondo_engine_counters counters = {};
  counters.struct_size = sizeof counters;
  ASSERT_EQ(rondo_engine_stats(engine.get(), &counters), RONDO_STATUS_OK);
  EXPECT_EQ(told, counters.passes);
}

}  // namespace
}  // namespace rondo::abi_test::company_test
