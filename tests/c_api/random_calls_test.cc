// Calls in any order with any arguments: every answer is a known status and the position is always
// what the successful calls made it. Threads: sessions of one engine do not disturb each other.
#include <algorithm>
#include <random>
#include <thread>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test {
namespace {

class RandomCalls {
 public:
  RandomCalls(rondo_session* session, uint32_t vocab_size, uint32_t seed)
      : session_(session), vocab_size_(vocab_size), random_(seed) {}

  void Step() {
    switch (random_() % 10) {
      case 0: {
        std::vector<int32_t> ids(random_() % 90);
        for (int32_t& id : ids) id = AnyId();
        const int32_t status = rondo_session_prefill(session_, ids.data(), ids.size());
        if (status == RONDO_STATUS_OK) position_ += ids.size();
        Expect(status, {RONDO_STATUS_OK, RONDO_STATUS_INVALID_ARGUMENT, RONDO_STATUS_CONTEXT_FULL,
                        RONDO_STATUS_CANCELLED});
        break;
      }
      case 1:
      case 2:
      case 3: {
        rondo_event event = {};
        event.struct_size = random_() % 20 == 0 ? 12 : sizeof event;
        const int32_t status = rondo_session_next(session_, &event);
        if (status == RONDO_STATUS_OK && event.token >= 0 && event.reason != RONDO_REASON_EOS) {
          ++position_;
        }
        Expect(status, {RONDO_STATUS_OK, RONDO_STATUS_NO_LOGITS, RONDO_STATUS_CANCELLED,
                        RONDO_STATUS_VERSION_MISMATCH});
        break;
      }
      case 4: {
        const int32_t status = rondo_session_accept(session_, AnyId());
        if (status == RONDO_STATUS_OK) ++position_;
        Expect(status, {RONDO_STATUS_OK, RONDO_STATUS_INVALID_ARGUMENT, RONDO_STATUS_CONTEXT_FULL,
                        RONDO_STATUS_CANCELLED});
        break;
      }
      case 5:
      case 6: {
        const uint64_t n = random_() % 50 == 0 ? UINT64_MAX - random_() % 3 : random_() % 40;
        const int32_t status = rondo_session_undo(session_, n);
        if (status == RONDO_STATUS_OK) position_ -= n;
        Expect(status, {RONDO_STATUS_OK, RONDO_STATUS_INVALID_ARGUMENT});
        break;
      }
      case 7: {
        const float* logits = nullptr;
        size_t count = 0;
        const int32_t status = rondo_session_logits(session_, &logits, &count);
        EXPECT_EQ(count, status == RONDO_STATUS_OK ? vocab_size_ : 0);
        Expect(status, {RONDO_STATUS_OK, RONDO_STATUS_NO_LOGITS, RONDO_STATUS_CANCELLED});
        break;
      }
      case 8:
        if (random_() % 4 == 0) Expect(rondo_session_cancel(session_), {RONDO_STATUS_OK});
        break;
      default:
        if (random_() % 8 == 0) {
          Expect(rondo_session_reset(session_), {RONDO_STATUS_OK});
          position_ = 0;
        }
        break;
    }
    uint64_t position = 0;
    ASSERT_EQ(rondo_session_position(session_, &position), RONDO_STATUS_OK);
    ASSERT_EQ(position, position_);
  }

 private:
  int32_t AnyId() {
    return random_() % 200 == 0 ? static_cast<int32_t>(random_())
                                : static_cast<int32_t>(random_() % vocab_size_);
  }
  void Expect(int32_t status, std::initializer_list<int32_t> known) {
    EXPECT_NE(std::find(known.begin(), known.end(), status), known.end())
        << rondo_status_string(status) << ": " << rondo_session_last_error(session_);
  }

  rondo_session* session_;
  uint32_t vocab_size_;
  std::mt19937 random_;
  uint64_t position_ = 0;
};

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
    RandomCalls calls_a(a.get(), facts.vocab_size, 1);
    RandomCalls calls_b(b.get(), facts.vocab_size, 2);
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
