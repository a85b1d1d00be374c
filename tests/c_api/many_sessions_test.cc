// Many sessions of one engine: steps, threads, forks, shared prefixes and a pool that is too small.
// Whatever goes on beside it, each session generates what it generates alone.
#include <atomic>
#include <cstring>
#include <random>
#include <thread>

#include "tests/c_api/tiny_model.h"
#include "tests/support/time_limit.h"

namespace rondo::abi_test {
namespace {

constexpr unsigned kSeconds = 120;  // far more than any of these takes

rondo_engine_options Many(uint32_t sessions) {
  rondo_engine_options options = EngineOptions();
  options.max_sessions = sessions;
  options.max_rows = 32;
  return options;
}

rondo_session_options Sampled(uint64_t seed, uint64_t max_tokens = 40) {
  rondo_session_options options = SessionOptions();
  options.temperature = seed % 2 == 0 ? 0.0f : 0.9f;
  options.seed = seed;
  options.max_tokens = max_tokens;
  return options;
}

std::vector<int32_t> Prompt(const rondo_model* model, size_t i) {
  static const char* const kTexts[] = {
      "Once upon a time, there was a little girl who lived in a big house near the old forest",
      "The cat", "Tom and his dog went to the park. They saw a red ball and ran to it", "Rain"};
  std::vector<int32_t> ids = Ids(model, kTexts[i % 4]);
  const std::vector<int32_t> once = ids;
  for (size_t n = 0; n < i / 4; ++n) ids.insert(ids.end(), once.begin(), once.end());
  return ids;
}

Session Open(rondo_engine* engine, const rondo_session_options& options) {
  return NewSession(engine, options);
}

Generated Alone(const rondo_model* model, size_t i) {
  const Engine engine = NewEngine(const_cast<rondo_model*>(model), Many(1));
  const Session session = Open(engine.get(), Sampled(i));
  const std::vector<int32_t> ids = Prompt(model, i);
  EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  return Generate(session.get());
}

int32_t Event(rondo_session* session, rondo_event* event) {
  *event = {};
  event->struct_size = sizeof *event;
  return rondo_session_event(session, event);
}

// Adds an event to what was generated; true when that is over.
bool Take(rondo_session* session, Generated* out) {
  rondo_event event;
  EXPECT_EQ(Event(session, &event), RONDO_STATUS_OK) << rondo_session_last_error(session);
  if (event.token >= 0) out->tokens.push_back(event.token);
  out->text.append(event.text, event.text_bytes);
  out->reason = event.reason;
  return event.reason != RONDO_REASON_NONE;
}

void ExpectEqual(const Generated& a, const Generated& b) {
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.reason, b.reason);
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

TEST(ManySessionsTest, ALaterSessionTakesOverWhatAnEarlierOneComputed) {
  const Model model = OpenTiny();
  std::vector<int32_t> ids = Prompt(model.get(), 12);
  ASSERT_GT(ids.size(), 70u);
  const uint64_t whole = (ids.size() - 1) / 64 * 64;
  for (const uint32_t off : {0u, 1u}) {
    rondo_engine_options options = Many(2);
    options.no_prefix_cache = off;
    const Engine engine = NewEngine(model.get(), options);
    Generated first;
    for (int round = 0; round < 2; ++round) {
      const Session session = Open(engine.get(), Sampled(3));
      ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
      rondo_event event;
      ASSERT_EQ(Event(session.get(), &event), RONDO_STATUS_OK);
      EXPECT_EQ(event.token, -1);
      EXPECT_EQ(event.taken_over, round == 1 && off == 0 ? whole : 0);
      const Generated generated = Generate(session.get());
      if (round == 0) first = generated;
      ExpectEqual(generated, first);
    }
    rondo_engine_counters counters = {};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(rondo_engine_stats(engine.get(), &counters), RONDO_STATUS_OK);
    EXPECT_EQ(counters.tokens_taken_over, off == 0 ? whole : 0);
    EXPECT_EQ(counters.tokens_prefilled, 2 * ids.size());
  }
}

// Sixty-four sessions on a pool for two: who gets no room is told so, and the others do not notice.
TEST(ManySessionsTest, APoolForFewerThanAreOpen) {
  const Model model = OpenTiny();
  rondo_engine_options options = Many(64);
  options.kv_tokens = 2 * 64;
  options.context = 64;
  const Engine engine = NewEngine(model.get(), options);
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  ASSERT_EQ(rondo_engine_memory(engine.get(), &plan), RONDO_STATUS_OK);
  EXPECT_EQ(plan.kv_tokens, 128u);
  std::vector<Session> sessions;
  size_t refused = 0;
  for (size_t i = 0; i < 64; ++i) {
    sessions.push_back(Open(engine.get(), Sampled(i % 2, 10)));
    const std::vector<int32_t> ids = Prompt(model.get(), i % 2);
    const int32_t status = rondo_session_prefill(sessions[i].get(), ids.data(), ids.size());
    uint64_t position = 0;
    ASSERT_EQ(rondo_session_position(sessions[i].get(), &position), RONDO_STATUS_OK);
    if (status == RONDO_STATUS_OK) {
      EXPECT_EQ(position, ids.size());
      continue;
    }
    EXPECT_EQ(status, RONDO_STATUS_KV_POOL_FULL);
    EXPECT_NE(std::strstr(rondo_session_last_error(sessions[i].get()), "kv_tokens"), nullptr);
    EXPECT_EQ(position, 0u);
    ++refused;
  }
  EXPECT_EQ(refused, 62u);
  for (size_t i = 0; i < 2; ++i) {
    Generated expected = Alone(model.get(), i);
    expected.tokens.resize(10);
    EXPECT_EQ(Generate(sessions[i].get()).tokens, expected.tokens);
  }
  // A step that holds one of the refused fails whole; without it, it goes on.
  const std::vector<int32_t> ids = Prompt(model.get(), 1);
  ASSERT_EQ(rondo_session_reset(sessions[0].get()), RONDO_STATUS_OK);
  rondo_session* trio[] = {sessions[0].get(), sessions[2].get(), sessions[3].get()};
  for (rondo_session* session : trio) {
    ASSERT_EQ(rondo_session_append(session, ids.data(), ids.size()), RONDO_STATUS_OK);
  }
  char why[256];
  EXPECT_EQ(rondo_engine_step(engine.get(), trio, 3, why, sizeof why), RONDO_STATUS_KV_POOL_FULL);
  EXPECT_STRNE(why, "");
  EXPECT_EQ(rondo_engine_step(engine.get(), trio, 1, why, sizeof why), RONDO_STATUS_OK);
  rondo_event event;
  EXPECT_EQ(Event(trio[0], &event), RONDO_STATUS_OK);
  EXPECT_GE(event.token, 0);
}

TEST(ManySessionsTest, APoolOfOneBlock) {
  const Model model = OpenTiny();
  rondo_engine_options options = Many(1);
  options.kv_tokens = 1;
  const Engine engine = NewEngine(model.get(), options);
  rondo_session_options endless = Sampled(0, 200);
  endless.ignore_eos = 1;
  const Session session = Open(engine.get(), endless);
  const std::vector<int32_t> ids = Prompt(model.get(), 1);
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  std::vector<int32_t> tokens;
  rondo_event event = {};
  event.struct_size = sizeof event;
  int32_t status;
  while ((status = rondo_session_next(session.get(), &event)) == RONDO_STATUS_OK) {
    ASSERT_LT(tokens.size(), 100u);
    ASSERT_EQ(event.reason, RONDO_REASON_NONE);
    tokens.push_back(event.token);
  }
  EXPECT_EQ(status, RONDO_STATUS_KV_POOL_FULL);
  EXPECT_EQ(ids.size() + tokens.size(), 65u);  // the 65th waits for a block
  const Engine roomy = NewEngine(model.get(), Many(1));
  const Session alone = Open(roomy.get(), endless);
  ASSERT_EQ(rondo_session_prefill(alone.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  EXPECT_EQ(Generate(alone.get(), tokens.size()).tokens, tokens);
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
}  // namespace rondo::abi_test
