// Many sessions of one engine: steps, threads and forks.
// Whatever goes on beside it, each session generates what it generates alone.
#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "tests/c_api/many_sessions.h"
#include "tests/support/time_limit.h"

namespace rondo::abi_test::many_sessions_test {
namespace {

constexpr unsigned kSeconds = 120;  // far more than any of these takes

// Adds an event to what was generated; true when that is over.
bool Take(rondo_session* session, Generated* out) {
  rondo_event event;
  EXPECT_EQ(Event(session, &event), RONDO_STATUS_OK) << rondo_session_last_error(session);
  if (event.token >= 0) out->tokens.push_back(event.token);
  out->text.append(event.text, event.text_bytes);
  out->reason = event.reason;
  return event.reason != RONDO_REASON_NONE;
}

TEST(ManySessionsTest, StepsGiveEachWhatItGetsAlone) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Many(8));
  std::vector<Session> sessions;
  std::vector<Generated> generated(8);
  std::vector<size_t> running;
  char why[256];
  // A new one joins every third step.
  for (size_t step = 0; step < 2000 && (sessions.size() < 8 || !running.empty()); ++step) {
    if (step % 3 == 0 && sessions.size() < 8) {
      running.push_back(sessions.size());
      sessions.push_back(Open(engine.get(), Sampled(sessions.size())));
      const std::vector<int32_t> ids = Prompt(model.get(), running.back());
      ASSERT_EQ(rondo_session_append(sessions.back().get(), ids.data(), ids.size()),
                RONDO_STATUS_OK);
    }
    std::vector<rondo_session*> batch;
    for (const size_t i : running) batch.push_back(sessions[i].get());
    ASSERT_EQ(rondo_engine_step(engine.get(), batch.data(), batch.size(), why, sizeof why),
              RONDO_STATUS_OK)
        << why;
    std::erase_if(running, [&](size_t i) { return Take(sessions[i].get(), &generated[i]); });
  }
  ASSERT_TRUE(running.empty());
  for (size_t i = 0; i < 8; ++i) ExpectEqual(generated[i], Alone(model.get(), i));
}

TEST(ManySessionsTest, ThreadsGiveEachWhatItGetsAlone) {
  const TimeLimit limit(kSeconds);
  const Model model = OpenTiny();
  for (const uint32_t pool_threads : {1u, 2u}) {
    rondo_engine_options options = Many(6);
    options.threads = pool_threads;
    const Engine engine = NewEngine(model.get(), options);
    std::vector<Generated> generated(6);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 6; ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < 2; ++round) {
          const Session session = Open(engine.get(), Sampled(i));
          const std::vector<int32_t> ids = Prompt(model.get(), i);
          ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
          if (i % 3 == 2) {  // its rows are handed to this thread, whoever else waits
            const auto row = [](void* user, size_t, const float*, size_t) {
              EXPECT_EQ(*static_cast<std::thread::id*>(user), std::this_thread::get_id());
            };
            std::thread::id me = std::this_thread::get_id();
            ASSERT_EQ(rondo_session_undo(session.get(), ids.size()), RONDO_STATUS_OK);
            ASSERT_EQ(rondo_session_prefill_logits(session.get(), ids.data(), ids.size(), row, &me),
                      RONDO_STATUS_OK);
          }
          generated[i] = Generate(session.get());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < 6; ++i) ExpectEqual(generated[i], Alone(model.get(), i));
  }
}

// Calls of several threads beside steps, forks, cancels and closes.
TEST(ManySessionsTest, ThreadsBesideStepsForksAndCancels) {
  const TimeLimit limit(kSeconds);
  const Model model = OpenTiny();
  rondo_engine_options options = Many(8);
  options.threads = 2;
  const Engine engine = NewEngine(model.get(), options);
  const Generated expected[] = {Alone(model.get(), 0), Alone(model.get(), 1)};
  std::atomic<bool> over{false};
  std::thread disturber([&] {
    std::mt19937 random(1);
    while (!over) {
      Session session = Open(engine.get(), Sampled(random()));
      const std::vector<int32_t> ids = Prompt(model.get(), random() % 8);
      ASSERT_EQ(rondo_session_append(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
      rondo_session* fork = nullptr;
      const rondo_session_options fork_options = Sampled(random());
      ASSERT_EQ(rondo_session_fork(session.get(), &fork_options, &fork, nullptr, 0),
                RONDO_STATUS_OK);
      const Session forked(fork);
      std::thread canceller([&] { rondo_session_cancel(fork); });
      rondo_session* const both[] = {session.get(), fork};
      for (int i = 0; i < 8; ++i) {
        ASSERT_EQ(rondo_engine_step(engine.get(), both, 2, nullptr, 0), RONDO_STATUS_OK);
        rondo_event event;
        for (rondo_session* each : both) {
          const int32_t status = Event(each, &event);
          EXPECT_TRUE(status == RONDO_STATUS_OK || status == RONDO_STATUS_CANCELLED) << status;
        }
      }
      canceller.join();
    }
  });
  std::thread readers[2];
  for (size_t i = 0; i < 2; ++i) {
    readers[i] = std::thread([&, i] {
      for (int round = 0; round < 6; ++round) {
        const Session session = Open(engine.get(), Sampled(i));
        const std::vector<int32_t> ids = Prompt(model.get(), i);
        ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
        ExpectEqual(Generate(session.get()), expected[i]);
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  over = true;
  disturber.join();
}

TEST(ManySessionsTest, AForkGoesOnWithOptionsOfItsOwn) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Many(3));
  const std::vector<int32_t> ids = Prompt(model.get(), 8);
  Session session = Open(engine.get(), Sampled(2));
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  rondo_session* fork = nullptr;
  char why[256] = "";
  const rondo_session_options options = Sampled(5, 12);
  ASSERT_EQ(rondo_session_fork(session.get(), &options, &fork, why, sizeof why), RONDO_STATUS_OK);
  const Session forked(fork);
  const Generated first = Generate(session.get());
  session.reset();
  const Generated second = Generate(fork);
  EXPECT_EQ(second.tokens.size(), 12u);

  const Engine other = NewEngine(model.get(), Many(1));
  const Session alone = Open(other.get(), options);
  ASSERT_EQ(rondo_session_prefill(alone.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  ExpectEqual(second, Generate(alone.get()));
  EXPECT_NE(second.tokens, first.tokens);

  // No place is left; a fork of nothing; bad options.
  const Session third = Open(engine.get(), options);
  const Session fourth = Open(engine.get(), options);
  EXPECT_EQ(rondo_session_fork(fork, &options, &fork, why, sizeof why), RONDO_STATUS_BUSY);
  EXPECT_EQ(fork, nullptr);
  EXPECT_STRNE(why, "");
  EXPECT_EQ(rondo_session_fork(nullptr, &options, &fork, why, sizeof why),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_session_fork(forked.get(), nullptr, &fork, why, sizeof why),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_session_fork(forked.get(), &options, nullptr, why, sizeof why),
            RONDO_STATUS_INVALID_ARGUMENT);
}

// While a long prompt is evaluated, a session that decodes gets a token in every step.
TEST(ManySessionsTest, DecodingGoesFirst) {
  const Model model = OpenTiny();
  rondo_engine_options options = Many(2);
  options.rows_per_step = 5;
  const Engine engine = NewEngine(model.get(), options);
  const Session decoding = Open(engine.get(), Sampled(0, 100));
  std::vector<int32_t> ids = Prompt(model.get(), 1);
  ASSERT_EQ(rondo_session_prefill(decoding.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  const Session prompt = Open(engine.get(), Sampled(1));
  ids = Prompt(model.get(), 8);
  ASSERT_EQ(rondo_session_append(prompt.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  rondo_session* const both[] = {prompt.get(), decoding.get()};
  uint64_t pending = ids.size();
  for (int step = 0; pending > 0; ++step) {
    ASSERT_EQ(rondo_engine_step(engine.get(), both, 2, nullptr, 0), RONDO_STATUS_OK);
    rondo_event event;
    ASSERT_EQ(Event(decoding.get(), &event), RONDO_STATUS_OK);
    EXPECT_GE(event.token, 0) << "step " << step;
    ASSERT_EQ(Event(prompt.get(), &event), RONDO_STATUS_OK);
    // In the first step nobody decodes yet: the other's logits are there, and no rows are needed.
    EXPECT_EQ(pending - event.pending, std::min<uint64_t>(pending, step == 0 ? 32 : 4));
    EXPECT_EQ(event.token >= 0, event.pending == 0);
    pending = event.pending;
  }
}

TEST(ManySessionsTest, StepsThatAreRefused) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Many(3));
  const Engine other = NewEngine(model.get(), Many(1));
  const Session a = Open(engine.get(), Sampled(0));
  const Session b = Open(engine.get(), Sampled(1));
  const Session foreign = Open(other.get(), Sampled(0));
  const std::vector<int32_t> ids = Prompt(model.get(), 0);
  ASSERT_EQ(rondo_session_append(a.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  char why[256];
  const auto step = [&](std::vector<rondo_session*> sessions) {
    return rondo_engine_step(engine.get(), sessions.data(), sessions.size(), why, sizeof why);
  };
  EXPECT_EQ(step({a.get(), a.get()}), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(why, "twice"), nullptr);
  EXPECT_EQ(step({a.get(), foreign.get()}), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(why, "another engine"), nullptr);
  EXPECT_EQ(step({a.get(), nullptr}), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(step(std::vector<rondo_session*>(65, a.get())), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_engine_step(nullptr, nullptr, 0, why, sizeof why), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_engine_step(engine.get(), nullptr, 1, why, sizeof why),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(step({}), RONDO_STATUS_OK);

  // Nothing has happened: the whole prompt waits. One without a prompt does not disturb it.
  rondo_event event;
  ASSERT_EQ(Event(a.get(), &event), RONDO_STATUS_OK);
  EXPECT_EQ(event.pending, ids.size());
  ASSERT_EQ(step({b.get(), a.get()}), RONDO_STATUS_OK) << why;
  EXPECT_EQ(Event(b.get(), &event), RONDO_STATUS_NO_LOGITS);
  EXPECT_EQ(Event(b.get(), &event), RONDO_STATUS_OK);  // handed out once
  EXPECT_EQ(event.token, -1);

  // What was not taken is not lost: the next step is refused, and rondo_session_next has it.
  while (event.token < 0) {
    ASSERT_EQ(Event(a.get(), &event), RONDO_STATUS_OK);
    if (event.token < 0) {
      ASSERT_EQ(step({a.get()}), RONDO_STATUS_OK);
    }
  }
  ASSERT_EQ(step({a.get()}), RONDO_STATUS_OK);
  EXPECT_EQ(step({a.get()}), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(why, "not taken"), nullptr);
  Generated generated;
  generated.tokens.push_back(event.token);
  const Generated rest = Generate(a.get());
  generated.tokens.insert(generated.tokens.end(), rest.tokens.begin(), rest.tokens.end());
  EXPECT_EQ(generated.tokens, Alone(model.get(), 0).tokens);

  // After the end the reason comes again, in steps, too.
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(step({a.get()}), RONDO_STATUS_OK);
    ASSERT_EQ(Event(a.get(), &event), RONDO_STATUS_OK);
    EXPECT_EQ(event.token, -1);
    EXPECT_EQ(event.reason, rest.reason);
  }
}

// Calls from inside of a callback are refused, whatever they are.
TEST(ManySessionsTest, StepsInsideOfACallback) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Many(2));
  const Session a = Open(engine.get(), Sampled(0));
  const Session b = Open(engine.get(), Sampled(1));
  struct Both {
    rondo_engine* engine;
    rondo_session* session;
    rondo_session* running;
    int busy = 0;
  } both = {engine.get(), b.get(), a.get()};
  const auto row = [](void* user, size_t, const float*, size_t) {
    auto* call = static_cast<Both*>(user);
    const int32_t id = 5;
    rondo_session* fork = nullptr;
    const rondo_session_options options = Sampled(1);
    call->busy += rondo_session_append(call->session, &id, 1) == RONDO_STATUS_BUSY;
    call->busy +=
        rondo_engine_step(call->engine, &call->session, 1, nullptr, 0) == RONDO_STATUS_BUSY;
    call->busy +=
        rondo_session_fork(call->session, &options, &fork, nullptr, 0) == RONDO_STATUS_BUSY;
    // From another thread, too: one of its sessions is in the call that this is inside of.
    std::thread([call] {
      rondo_session* const two[] = {call->session, call->running};
      call->busy += rondo_engine_step(call->engine, two, 2, nullptr, 0) == RONDO_STATUS_BUSY;
    }).join();
  };
  const int32_t ids[] = {1, 2, 3};
  ASSERT_EQ(rondo_session_prefill_logits(a.get(), ids, 3, row, &both), RONDO_STATUS_OK);
  EXPECT_EQ(both.busy, 12);
}

}  // namespace
}  // namespace rondo::abi_test::many_sessions_test
