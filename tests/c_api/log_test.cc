// The host's log: what it is told, at which level, and that it may call the library.
#include <algorithm>
#include <mutex>
#include <utility>

#include "tests/c_api/many_sessions.h"
#include "tests/support/time_limit.h"

namespace rondo::abi_test::log_test {
namespace {

struct Heard {
  std::mutex mutex;
  std::vector<std::pair<int32_t, std::string>> messages;

  static void Hear(void* self, int32_t level, const char* message) {
    auto* const heard = static_cast<Heard*>(self);
    const std::lock_guard lock(heard->mutex);
    heard->messages.emplace_back(level, message);
  }
  size_t Count(int32_t level, const std::string& part) const {
    return static_cast<size_t>(
        std::count_if(messages.begin(), messages.end(), [&](const auto& message) {
          return message.first == level && message.second.find(part) != std::string::npos;
        }));
  }
};

rondo_engine_options Logged(Heard* heard, int32_t level) {
  rondo_engine_options options = Many(3);
  options.log = Heard::Hear;
  options.log_user = heard;
  options.log_level = level;
  return options;
}

void Tell(const rondo_model* model, rondo_engine* engine) {
  const Session session = Open(engine, Sampled(1));
  const std::vector<int32_t> ids = Prompt(model, 4);
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  Generate(session.get(), 3);
}

TEST(LogTest, LevelsAreWhatWasAskedFor) {
  const Model model = OpenTiny();
  for (const int32_t level : {RONDO_LOG_WARNING, RONDO_LOG_INFO, RONDO_LOG_DEBUG}) {
    Heard heard;
    const Engine engine = NewEngine(model.get(), Logged(&heard, level));
    Tell(model.get(), engine.get());
    EXPECT_EQ(heard.Count(RONDO_LOG_WARNING, ""), 0u);
    EXPECT_EQ(heard.Count(RONDO_LOG_INFO, "engine: kernels "), level >= RONDO_LOG_INFO ? 1 : 0);
    EXPECT_EQ(heard.Count(RONDO_LOG_DEBUG, "pass: 1 rows of 1 sessions in "),
              level >= RONDO_LOG_DEBUG ? 2 : 0);
    for (const auto& [about, message] : heard.messages) {
      EXPECT_LE(about, level);
      EXPECT_EQ(message.find('\n'), std::string::npos);
      EXPECT_LE(message.size(), 255u);
    }
  }
}

TEST(LogTest, WarnsOfWhatTheHostShouldSeeTo) {
  const Model model = OpenTiny();
  Heard heard;
  rondo_engine_options options = Logged(&heard, RONDO_LOG_WARNING);
  options.kv_tokens = 64;
  options.context = 64;
  options.threads = 2;
  struct Left {
    rondo_task task;
    void* context;
    size_t index;
  };
  std::vector<Left> left;
  options.parallel_user = &left;
  options.parallel_for = [](void* user, size_t count, rondo_task task, void* context) {
    for (size_t i = 0; i < count; ++i) {
      static_cast<std::vector<Left>*>(user)->push_back({task, context, i});
    }
  };
  const Engine engine = NewEngine(model.get(), options);
  const Session a = Open(engine.get(), Sampled(0));
  const Session b = Open(engine.get(), Sampled(0));
  const std::vector<int32_t> ids(10, 5);
  ASSERT_EQ(rondo_session_prefill(a.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_prefill(b.get(), ids.data(), ids.size()), RONDO_STATUS_KV_POOL_FULL);
  Generate(a.get(), 3);
  EXPECT_EQ(heard.Count(RONDO_LOG_WARNING, "parallel_for left"), 1u);  // and not in every pass
  EXPECT_EQ(heard.Count(RONDO_LOG_WARNING, "the pool of KV blocks has too few"), 1u);
  EXPECT_EQ(heard.messages.size(), 2u);
  for (const Left& late : left) late.task(late.context, late.index);  // or they would be waited for
}

TEST(LogTest, AContextThatSlides) {
  const Model model = OpenTiny();
  Heard heard;
  rondo_engine_options options = Logged(&heard, RONDO_LOG_INFO);
  options.context_policy = RONDO_POLICY_SLIDE;
  const Engine engine = NewEngine(model.get(), options);
  rondo_session_options session_options = Sampled(0, 400);
  session_options.ignore_eos = 1;
  const Session session = Open(engine.get(), session_options);
  const int32_t id = 5;
  ASSERT_EQ(rondo_session_prefill(session.get(), &id, 1), RONDO_STATUS_OK);
  Generate(session.get(), 100);
  EXPECT_EQ(heard.Count(RONDO_LOG_INFO, "make room"), 0u);
  Generate(session.get());
  EXPECT_EQ(heard.Count(RONDO_LOG_INFO, "make room"), 1u);
}

// Inside of it no lock is held: other sessions compute, open and close.
TEST(LogTest, MayCallTheLibrary) {
  const TimeLimit limit(60);
  const Model model = OpenTiny();
  struct Nested {
    rondo_engine* engine = nullptr;
    rondo_session* running = nullptr;
    rondo_session* other = nullptr;
    int calls = 0, busy = 0, ok = 0;
  } nested;
  rondo_engine_options options = Many(3);
  options.log_level = RONDO_LOG_DEBUG;
  options.log_user = &nested;
  options.log = [](void* user, int32_t level, const char*) {
    auto* const n = static_cast<Nested*>(user);
    if (level != RONDO_LOG_DEBUG || n->calls++ > 0) return;
    const int32_t ids[] = {1, 2, 3};
    rondo_event event = {};
    event.struct_size = sizeof event;
    n->busy += rondo_session_next(n->running, &event) == RONDO_STATUS_BUSY;
    n->ok += rondo_session_prefill(n->other, ids, 3) == RONDO_STATUS_OK;
    n->ok += rondo_session_next(n->other, &event) == RONDO_STATUS_OK;
    n->ok += rondo_engine_step(n->engine, &n->other, 1, nullptr, 0) == RONDO_STATUS_OK;
    Open(n->engine, SessionOptions());
    rondo_session_close(n->other);
    rondo_engine_close(n->engine);  // the session that runs keeps it
  };
  nested.engine = NewEngine(model.get(), options).release();
  nested.other = Open(nested.engine, Sampled(0)).release();
  const Session session = Open(nested.engine, Sampled(0));
  nested.running = session.get();
  const std::vector<int32_t> ids = Prompt(model.get(), 0);
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  EXPECT_EQ(nested.busy, 1);
  EXPECT_EQ(nested.ok, 3);
  ExpectEqual(Generate(session.get()), Alone(model.get(), 0));
}

}  // namespace
}  // namespace rondo::abi_test::log_test
