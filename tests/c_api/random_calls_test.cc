// Calls in any order with any arguments: every answer is a known status and the position is always
// what the successful calls made it. Threads: sessions of one engine do not disturb each other.
#include <random>
#include <thread>

#include "tests/c_api/random_calls.h"
#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test {
namespace {

TEST(RandomCallsTest, PositionsAreWhatSuccessfulCallsMadeThem) {
  const Model model = OpenTiny();
  rondo_model_facts facts = {};
  facts.struct_size = sizeof facts;
  ASSERT_EQ(rondo_model_info(model.get(), &facts), RONDO_STATUS_OK);
  for (const int32_t policy : {RONDO_POLICY_STOP, RONDO_POLICY_SLIDE}) {
    rondo_engine_options options = EngineOptions();
    // Cancelling may keep a part of a prompt under SLIDE, but only of one longer than its chunks.
    options.max_rows = 128;
    options.max_sessions = 2;
    options.context_policy = policy;
    const Engine engine = NewEngine(model.get(), options);
    rondo_session_options session_options = SessionOptions();
    session_options.temperature = 1.5f;
    session_options.repetition_penalty = 1.2f;
    const Session a = NewSession(engine.get(), session_options);
    session_options.max_tokens = 20;
    const Session b = NewSession(engine.get(), session_options);
    RandomCalls calls_a(engine.get(), a.get(), facts.vocab_size, std::mt19937(1));
    RandomCalls calls_b(engine.get(), b.get(), facts.vocab_size, std::mt19937(2));
    for (int i = 0; i < 500 && !HasFatalFailure(); ++i) {
      calls_a.Step();
      calls_b.Step();
    }
  }
}

TEST(RandomCallsTest, SessionsOnTheirOwnThreads) {
  const Model model = OpenTiny();
  rondo_engine_options options = EngineOptions();
  options.max_sessions = 3;
  const Engine engine = NewEngine(model.get(), options);
  const char* prompts[] = {"Once upon a time", "Today's weather is so", "The little dog"};
  std::string alone[3];
  std::string together[3];
  const auto run = [&](int i, std::string* text) {
    rondo_session_options session_options = SessionOptions();
    session_options.max_tokens = 30;
    session_options.temperature = 0.7f;
    const Session session = NewSession(engine.get(), session_options);
    const std::vector<int32_t> ids = Ids(model.get(), prompts[i]);
    EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
    *text = Generate(session.get()).text;
  };
  for (int i = 0; i < 3; ++i) run(i, &alone[i]);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(run, i, &together[i]);
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(together[i], alone[i]);
}

}  // namespace
}  // namespace rondo::abi_test
