// How far a prompt is, asked for while it is evaluated.
#include <atomic>
#include <thread>

#include "tests/c_api/many_sessions.h"

namespace rondo::abi_test {
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
}  // namespace rondo::abi_test
