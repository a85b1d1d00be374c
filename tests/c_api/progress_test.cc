// How far a prompt is, asked for while it is evaluated.
#include <atomic>
#include <thread>

#include "tests/c_api/many_sessions.h"

namespace rondo::abi_test::progress_test {
namespace {

struct Progress {
  uint64_t done, total;
  bool operator==(const Progress&) const = default;
};

Progress Of(const Session& session) {
  Progress p = {};
  EXPECT_EQ(rondo_session_progress(session.get(), &p.done, &p.total), RONDO_STATUS_OK);
  return p;
}

TEST(ProgressTest, StepByStep) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Many(2));
  const Session session = Open(engine.get(), Sampled(0));
  EXPECT_EQ(Of(session), (Progress{0, 0}));
  const std::vector<int32_t> ids(100, 5);
  ASSERT_EQ(rondo_session_append(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  rondo_session* const one = session.get();
  for (const uint64_t done : {0, 32, 64, 96, 100}) {
    EXPECT_EQ(Of(session), (Progress{done, 100}));
    if (done == 100) break;
    ASSERT_EQ(rondo_engine_step(engine.get(), &one, 1, nullptr, 0), RONDO_STATUS_OK);
    rondo_event event;
    ASSERT_EQ(Event(one, &event), RONDO_STATUS_OK);
  }
  // Tokens that are generated are no part of the prompt; the next turn is one of its own.
  Generate(session.get(), 5);
  EXPECT_EQ(Of(session), (Progress{100, 100}));
  ASSERT_EQ(rondo_session_append(session.get(), ids.data(), 10), RONDO_STATUS_OK);
  EXPECT_EQ(Of(session), (Progress{0, 10}));
  ASSERT_EQ(rondo_session_undo(session.get(), 5), RONDO_STATUS_OK);
  EXPECT_EQ(Of(session), (Progress{0, 0}));
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), 7), RONDO_STATUS_OK);
  EXPECT_EQ(Of(session), (Progress{7, 7}));
  ASSERT_EQ(rondo_session_cancel(session.get()), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), 9), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(Of(session), (Progress{0, 0}));
  ASSERT_EQ(rondo_session_reset(session.get()), RONDO_STATUS_OK);

  // What the prefix cache has is done at once.
  ASSERT_EQ(rondo_session_append(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  EXPECT_EQ(Of(session), (Progress{0, 100}));
  ASSERT_EQ(rondo_engine_step(engine.get(), &one, 1, nullptr, 0), RONDO_STATUS_OK);
  EXPECT_EQ(Of(session), (Progress{96, 100}));
}

// The header: both are 0 after a call that failed, and what was restored has no prompt under way.
TEST(ProgressTest, AfterFailuresAndRestore) {
  const Model model = OpenTiny();
  rondo_engine_options sliding = Many(2);
  sliding.context_policy = RONDO_POLICY_SLIDE;
  const Engine stops = NewEngine(model.get(), Many(2)), slides = NewEngine(model.get(), sliding);
  const std::vector<int32_t> ids(400, 5), bad = {5, -1};
  const auto row = [](void*, size_t, const float*, size_t) {};
  for (const Engine* engine : {&stops, &slides}) {
    const Session session = Open(engine->get(), Sampled(0));
    rondo_session* const s = session.get();
    const auto after = [&](const char* what, int32_t status, int32_t expected) {
      EXPECT_EQ(status, expected) << what;
      EXPECT_EQ(Of(session), (Progress{0, 0})) << what;
      ASSERT_EQ(rondo_session_reset(s), RONDO_STATUS_OK);
      ASSERT_EQ(rondo_session_prefill(s, ids.data(), 100), RONDO_STATUS_OK);
      ASSERT_EQ(Of(session), (Progress{100, 100}));
    };
    after("reset", rondo_session_reset(s), RONDO_STATUS_OK);
    constexpr int32_t kInvalid = RONDO_STATUS_INVALID_ARGUMENT;
    after("no ids", rondo_session_prefill(s, ids.data(), 0), kInvalid);
    after("null", rondo_session_prefill(s, nullptr, 3), kInvalid);
    after("a bad id", rondo_session_prefill(s, bad.data(), 2), kInvalid);
    after("a bad id, queued", rondo_session_append(s, bad.data(), 2), kInvalid);
    after("null, queued", rondo_session_append(s, nullptr, 3), kInvalid);
    after("no row", rondo_session_prefill_logits(s, ids.data(), 3, nullptr, nullptr), kInvalid);
    after("a bad id, rows", rondo_session_prefill_logits(s, bad.data(), 2, row, nullptr), kInvalid);
    after("too many", rondo_session_append(s, ids.data(), 400), RONDO_STATUS_CONTEXT_FULL);
    EXPECT_EQ(rondo_session_cancel(s), RONDO_STATUS_OK);
    after("cancelled", rondo_session_prefill(s, ids.data(), 9), RONDO_STATUS_CANCELLED);

    std::vector<unsigned char> snapshot(1 << 20);
    size_t bytes = 0;
    ASSERT_EQ(rondo_session_save(s, snapshot.data(), snapshot.size(), &bytes), RONDO_STATUS_OK);
    after("restored", rondo_session_restore(s, snapshot.data(), bytes), RONDO_STATUS_OK);
    // Where a call that appends no prompt fails, the prompt stands.
    EXPECT_EQ(rondo_session_restore(s, snapshot.data(), 9), RONDO_STATUS_CORRUPT);
    EXPECT_EQ(rondo_session_undo(s, 101), kInvalid);
    EXPECT_EQ(rondo_session_accept(s, -1), kInvalid);
    EXPECT_EQ(Of(session), (Progress{100, 100}));

    // A prompt behind one that waits, whose passes are cancelled.
    ASSERT_EQ(rondo_session_append(s, ids.data(), 150), RONDO_STATUS_OK);
    EXPECT_EQ(rondo_session_cancel(s), RONDO_STATUS_OK);
    after("behind one that waits", rondo_session_prefill(s, ids.data(), 6), RONDO_STATUS_CANCELLED);
  }
}

TEST(ProgressTest, FromAnotherThread) {
  const Model model = OpenTiny();
  rondo_engine_options options = Many(1);
  options.context_policy = RONDO_POLICY_SLIDE;  // the prompt goes in pieces of a context
  const Engine engine = NewEngine(model.get(), options);
  const Session session = Open(engine.get(), Sampled(0));
  std::atomic<bool> over{false};
  std::thread watcher([&] {
    uint64_t last = 0;
    while (!over) {
      const Progress p = Of(session);
      if (p.total == 0) continue;
      EXPECT_EQ(p.total, 1000u);
      EXPECT_GE(p.done, last);
      EXPECT_LE(p.done, p.total);
      last = p.done;
    }
  });
  const std::vector<int32_t> ids(1000, 7);
  EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  over = true;
  watcher.join();
  EXPECT_EQ(Of(session), (Progress{1000, 1000}));
}

}  // namespace
}  // namespace rondo::abi_test::progress_test
