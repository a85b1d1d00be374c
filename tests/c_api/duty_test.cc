// The duty cycle: rest between passes, which changes nothing but the time, and ends when cancelled.
#include <chrono>
#include <thread>

#include "tests/c_api/many_sessions.h"
#include "tests/support/time_limit.h"

namespace rondo::abi_test::duty_test {
namespace {

using Clock = std::chrono::steady_clock;

uint64_t Nanoseconds(Clock::duration d) {
  return static_cast<uint64_t>(std::chrono::nanoseconds(d).count());
}

uint64_t Computed(const rondo_engine* engine) {
  rondo_engine_counters counters = {};
  counters.struct_size = sizeof counters;
  EXPECT_EQ(rondo_engine_stats(engine, &counters), RONDO_STATUS_OK);
  return counters.prefill_ns + counters.decode_ns;
}

TEST(DutyTest, PassesTakeTheirShareAndGiveTheSame) {
  const TimeLimit limit(60);
  const Model model = OpenTiny();
  rondo_engine_options options = Many(2);
  options.duty_percent = 25;
  const Engine engine = NewEngine(model.get(), options);
  const auto begin = Clock::now();
  std::thread threads[2];
  for (size_t i = 0; i < 2; ++i) {  // the share is the engine's, not each thread's
    threads[i] = std::thread([&, i] {
      const Session session = Open(engine.get(), Sampled(i));
      const std::vector<int32_t> ids = Prompt(model.get(), i);
      ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
      ExpectEqual(Generate(session.get()), Alone(model.get(), i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const uint64_t elapsed = Nanoseconds(Clock::now() - begin);
  EXPECT_GT(elapsed, 3 * Computed(engine.get()));  // four times, but for the rest behind the last
}

TEST(DutyTest, CancelEndsTheRest) {
  const TimeLimit limit(60);
  const Model model = OpenTiny();
  rondo_engine_options options = EngineOptions();
  options.max_sessions = 2;
  options.max_rows = 256;
  options.duty_percent = 1;
  const Engine engine = NewEngine(model.get(), options);
  const Session first = Open(engine.get(), Sampled(0));
  const Session second = Open(engine.get(), Sampled(0));
  const std::vector<int32_t> ids(200, 7);
  ASSERT_EQ(rondo_session_prefill(first.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  const uint64_t rest = 99 * Computed(engine.get());
  const auto begin = Clock::now();
  std::thread waiting([&] {
    EXPECT_EQ(rondo_session_prefill(second.get(), ids.data(), ids.size()), RONDO_STATUS_CANCELLED);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // Meanwhile what needs no pass does not wait.
  uint64_t position = 0;
  EXPECT_EQ(rondo_session_position(first.get(), &position), RONDO_STATUS_OK);
  EXPECT_EQ(position, ids.size());
  EXPECT_EQ(rondo_session_undo(first.get(), 1), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_cancel(second.get()), RONDO_STATUS_OK);
  waiting.join();
  EXPECT_LT(Nanoseconds(Clock::now() - begin), std::max<uint64_t>(rest / 2, 300'000'000));
  EXPECT_EQ(rondo_session_position(second.get(), &position), RONDO_STATUS_OK);
  EXPECT_EQ(position, 0u);
}

}  // namespace
}  // namespace rondo::abi_test::duty_test
