// What engines and sessions tell of what they have done.
#include <chrono>

#include "tests/c_api/many_sessions.h"

namespace rondo::abi_test::stats_test {
namespace {

rondo_engine_counters Of(const rondo_engine* engine) {
  rondo_engine_counters counters = {};
  counters.struct_size = sizeof counters;
  EXPECT_EQ(rondo_engine_stats(engine, &counters), RONDO_STATUS_OK);
  return counters;
}

rondo_session_counters Of(const Session& session) {
  rondo_session_counters counters = {};
  counters.struct_size = sizeof counters;
  EXPECT_EQ(rondo_session_stats(session.get(), &counters), RONDO_STATUS_OK);
  return counters;
}

TEST(StatsTest, TokensPassesAndTimes) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Many(2));
  const auto begin = std::chrono::steady_clock::now();
  const Session session = Open(engine.get(), Sampled(1));
  const std::vector<int32_t> ids = Prompt(model.get(), 4);
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  const uint64_t passes = (ids.size() + 31) / 32;
  rondo_session_counters s = Of(session);
  EXPECT_EQ(s.tokens_prefilled, ids.size());
  EXPECT_EQ(s.tokens_generated, 0u);
  EXPECT_EQ(s.passes, passes);
  EXPECT_EQ(s.rows, ids.size());
  EXPECT_GT(s.prefill_ns, 0u);
  EXPECT_EQ(s.decode_ns, ids.size() % 32 == 1 ? s.decode_ns : 0);
  EXPECT_EQ(s.sample_ns, 0u);

  const size_t tokens = Generate(session.get(), 10).tokens.size();
  s = Of(session);
  EXPECT_EQ(s.tokens_generated, tokens);
  EXPECT_EQ(s.passes, passes + tokens - 1);  // the first comes from the prompt's logits
  EXPECT_EQ(s.rows, ids.size() + tokens - 1);
  EXPECT_GT(s.decode_ns, 0u);
  EXPECT_GT(s.sample_ns, 0u);
  const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(s.prefill_ns + s.decode_ns + s.sample_ns, static_cast<uint64_t>(elapsed.count()));

  rondo_engine_counters e = Of(engine.get());
  EXPECT_EQ(e.passes, s.passes);
  EXPECT_EQ(e.rows, s.rows);
  EXPECT_EQ(e.prefill_ns, s.prefill_ns);
  EXPECT_EQ(e.decode_ns, s.decode_ns);
  EXPECT_EQ(e.sample_ns, s.sample_ns);
  EXPECT_EQ(e.tokens_prefilled, s.tokens_prefilled);
  EXPECT_EQ(e.tokens_generated, s.tokens_generated);

  // What is cancelled before its pass begins computes nothing.
  ASSERT_EQ(rondo_session_cancel(session.get()), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(Of(session).rows, s.rows);
  EXPECT_EQ(Of(engine.get()).rows, e.rows);
  EXPECT_EQ(Of(engine.get()).passes, e.passes);

  // What was done stays done.
  ASSERT_EQ(rondo_session_reset(session.get()), RONDO_STATUS_OK);
  EXPECT_EQ(Of(session).rows, s.rows);
  rondo_session_counters bad = {};
  EXPECT_EQ(rondo_session_stats(session.get(), &bad), RONDO_STATUS_VERSION_MISMATCH);
}

TEST(StatsTest, KvThatIsHeldAndShared) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Many(3));
  const uint64_t total = Of(engine.get()).kv_bytes_total;
  EXPECT_GT(total, 0u);
  EXPECT_EQ(Of(engine.get()).kv_bytes_used, 0u);
  Session session = Open(engine.get(), Sampled(0));
  EXPECT_EQ(Of(session).kv_bytes_held, 0u);
  const std::vector<int32_t> ids(100, 5);  // two blocks
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  const uint64_t held = Of(session).kv_bytes_held;
  EXPECT_EQ(held, total / 3 / 4 * 2);  // of three contexts of four blocks
  EXPECT_EQ(Of(engine.get()).kv_bytes_used, held);

  rondo_session* opened = nullptr;
  const rondo_session_options options = Sampled(1);
  ASSERT_EQ(rondo_session_fork(session.get(), &options, &opened, nullptr, 0), RONDO_STATUS_OK);
  Session fork(opened);
  EXPECT_EQ(Of(fork).kv_bytes_held, held);
  EXPECT_EQ(Of(fork).rows, 0u);
  EXPECT_EQ(Of(engine.get()).kv_bytes_used, held);
  Generate(fork.get(), 2);  // writes to the second block
  EXPECT_EQ(Of(engine.get()).kv_bytes_used, held + held / 2);
  session.reset();
  fork.reset();
  EXPECT_EQ(Of(engine.get()).kv_bytes_used, 0u);

  session = Open(engine.get(), Sampled(0));
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  EXPECT_EQ(Of(session).prefix_hits, 1u);
  EXPECT_EQ(Of(session).tokens_taken_over, 64u);
  EXPECT_EQ(Of(session).rows, 36u);
  EXPECT_EQ(Of(engine.get()).prefix_hits, 1u);
  EXPECT_EQ(Of(engine.get()).tokens_taken_over, 64u);
}

TEST(StatsTest, TokensThatMadeRoom) {
  const Model model = OpenTiny();
  rondo_engine_options options = Many(1);
  options.context_policy = RONDO_POLICY_SLIDE;
  const Engine engine = NewEngine(model.get(), options);
  rondo_session_options session_options = Sampled(0, 400);
  session_options.ignore_eos = 1;
  const Session session = Open(engine.get(), session_options);
  const std::vector<int32_t> ids = Prompt(model.get(), 0);
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  EXPECT_EQ(Of(session).tokens_evicted, 0u);
  Generate(session.get());
  const float* logits = nullptr;
  size_t count = 0;
  ASSERT_EQ(rondo_session_logits(session.get(), &logits, &count), RONDO_STATUS_OK);
  uint64_t begin = 0, end = 0;
  ASSERT_EQ(rondo_session_evicted(session.get(), &begin, &end), RONDO_STATUS_OK);
  EXPECT_GT(end, begin);
  EXPECT_EQ(Of(session).tokens_evicted, end - begin);
  EXPECT_EQ(Of(engine.get()).tokens_evicted, end - begin);
}

}  // namespace
}  // namespace rondo::abi_test::stats_test
