// Calls that are cancelled by their numbers.
#include <atomic>
#include <functional>
#include <thread>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test {
namespace {

class CallNumberTest : public testing::Test {
 protected:
  uint64_t Number(const rondo_session* session) {
    uint64_t number = UINT64_MAX;
    EXPECT_EQ(rondo_session_call(session, &number), RONDO_STATUS_OK);
    return number;
  }
  uint64_t Number() { return Number(session_.get()); }
  int32_t CancelNext(uint64_t behind = 0) {
    return rondo_session_cancel_call(session_.get(), Number() + behind);
  }
  int32_t Prefill() { return rondo_session_prefill(session_.get(), ids_.data(), ids_.size()); }
  int32_t Next() {
    rondo_event event = {};
    event.struct_size = sizeof event;
    return rondo_session_next(session_.get(), &event);
  }
  int32_t Logits() {
    const float* logits;
    size_t count;
    return rondo_session_logits(session_.get(), &logits, &count);
  }
  int32_t Step() {
    rondo_session* const session = session_.get();
    EXPECT_EQ(rondo_engine_step(engine_.get(), &session, 1, nullptr, 0), RONDO_STATUS_OK);
    rondo_event event = {};
    event.struct_size = sizeof event;
    return rondo_session_event(session, &event);
  }

  static rondo_engine_options ForTwo() {
    rondo_engine_options options = EngineOptions();
    options.max_sessions = 2;
    return options;
  }

  const Model model_ = OpenTiny();
  const Engine engine_ = NewEngine(model_.get(), ForTwo());
  const Session session_ = NewSession(engine_.get());
  const std::vector<int32_t> ids_ = Ids(model_.get(), "Once upon a time");
};

TEST_F(CallNumberTest, CallsThatComputeTakeOne) {
  const uint64_t first = Number();
  EXPECT_EQ(Prefill(), RONDO_STATUS_OK);
  EXPECT_EQ(Number(), first + 1);
  EXPECT_EQ(Next(), RONDO_STATUS_OK);
  EXPECT_EQ(Logits(), RONDO_STATUS_OK);
  EXPECT_EQ(Step(), RONDO_STATUS_OK);
  EXPECT_EQ(Number(), first + 4);
  EXPECT_EQ(rondo_session_append(session_.get(), ids_.data(), 1), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_accept(session_.get(), 5), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_undo(session_.get(), 1), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_reset(session_.get()), RONDO_STATUS_OK);
  EXPECT_EQ(Number(), first + 4);
  EXPECT_EQ(Next(), RONDO_STATUS_NO_LOGITS);
  EXPECT_EQ(Number(), first + 5) << "whatever it returns";
}

// One that needs no pass, too: behind a prefill the logits are there.
TEST_F(CallNumberTest, TheNextOneIsCancelledWhateverItNeeds) {
  ASSERT_EQ(CancelNext(), RONDO_STATUS_OK);
  EXPECT_EQ(Prefill(), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(Prefill(), RONDO_STATUS_OK);
  const std::function<int32_t()> calls[] = {[this] { return Next(); }, [this] { return Logits(); },
                                            [this] { return Step(); }};
  for (const auto& call : calls) {
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(CancelNext(), RONDO_STATUS_OK);
      EXPECT_EQ(call(), RONDO_STATUS_CANCELLED);
      EXPECT_EQ(call(), RONDO_STATUS_OK);
    }
  }
  const Session other = NewSession(engine_.get());
  ASSERT_EQ(rondo_session_prefill(other.get(), ids_.data(), ids_.size()), RONDO_STATUS_OK);
  const Generated out = Generate(other.get(), 9);
  ASSERT_EQ(rondo_session_undo(session_.get(), 6), RONDO_STATUS_OK);
  EXPECT_EQ(Generate(session_.get(), 9).tokens, out.tokens) << "nothing has happened";
}

TEST_F(CallNumberTest, TheNextOneIsCancelledWhereAnEventWaits) {
  ASSERT_EQ(Prefill(), RONDO_STATUS_OK);
  rondo_session* const session = session_.get();
  ASSERT_EQ(rondo_engine_step(engine_.get(), &session, 1, nullptr, 0), RONDO_STATUS_OK);
  ASSERT_EQ(CancelNext(), RONDO_STATUS_OK);
  EXPECT_EQ(Next(), RONDO_STATUS_CANCELLED);
  rondo_event event = {};
  event.struct_size = sizeof event;
  ASSERT_EQ(rondo_session_event(session, &event), RONDO_STATUS_OK);
  EXPECT_GE(event.token, 0) << "the event waited on";
}

TEST_F(CallNumberTest, OneThatIsOverCancelsNothing) {
  const uint64_t number = Number();
  EXPECT_EQ(Prefill(), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_cancel_call(session_.get(), number), RONDO_STATUS_OK);
  EXPECT_EQ(Next(), RONDO_STATUS_OK);
  EXPECT_EQ(Next(), RONDO_STATUS_OK);
}

TEST_F(CallNumberTest, OneBehindTheNextIsRefused) {
  EXPECT_EQ(CancelNext(1), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(CancelNext(UINT64_MAX >> 2), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Prefill(), RONDO_STATUS_OK);
}

TEST_F(CallNumberTest, WaitsBehindCallsThatOnlyQueue) {
  ASSERT_EQ(CancelNext(), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_append(session_.get(), ids_.data(), ids_.size()), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_accept(session_.get(), 5), RONDO_STATUS_OK);
  rondo_session* fork = nullptr;
  const rondo_session_options options = SessionOptions();
  ASSERT_EQ(rondo_session_fork(session_.get(), &options, &fork, nullptr, 0), RONDO_STATUS_OK);
  const Session forked(fork);
  rondo_event event = {};
  event.struct_size = sizeof event;
  EXPECT_EQ(rondo_session_next(fork, &event), RONDO_STATUS_OK) << "a fork has none of it";
  EXPECT_EQ(Next(), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(Next(), RONDO_STATUS_OK);
  ASSERT_EQ(CancelNext(), RONDO_STATUS_OK);
  ASSERT_EQ(rondo_session_reset(session_.get()), RONDO_STATUS_OK);
  EXPECT_EQ(Prefill(), RONDO_STATUS_OK);
}

// The rows' callback stands inside of the call.
TEST_F(CallNumberTest, OneUnderWayAndTheNextBehindIt) {
  struct Cancels {
    rondo_session* session;
    uint64_t number, behind;
    static void Row(void* user, size_t index, const float*, size_t) {
      const auto* self = static_cast<const Cancels*>(user);
      if (index > 0) return;
      uint64_t number = 0;
      EXPECT_EQ(rondo_session_call(self->session, &number), RONDO_STATUS_OK);
      EXPECT_EQ(number, self->number);
      EXPECT_EQ(rondo_session_cancel_call(self->session, number + self->behind), RONDO_STATUS_OK);
      EXPECT_EQ(rondo_session_cancel_call(self->session, number + 2),
                RONDO_STATUS_INVALID_ARGUMENT);
    }
  };
  const std::vector<int32_t> many(200, 7);
  for (const uint64_t behind : {0, 1}) {
    Cancels cancels = {session_.get(), Number(), behind};
    EXPECT_EQ(rondo_session_prefill_logits(session_.get(), many.data(), many.size(), Cancels::Row,
                                           &cancels),
              behind == 0 ? RONDO_STATUS_CANCELLED : RONDO_STATUS_OK);
  }
  EXPECT_EQ(Next(), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(Next(), RONDO_STATUS_OK);
}

// However late a cancellation comes, it ends no other call than that which was meant.
TEST_F(CallNumberTest, ALateOneNeverEndsAnother) {
  ASSERT_EQ(Prefill(), RONDO_STATUS_OK);
  std::atomic<bool> over = false;
  std::thread canceller([&] {
    while (!over) {
      const uint64_t number = Number();
      if (number % 2 == 0) {
        EXPECT_EQ(rondo_session_cancel_call(session_.get(), number), RONDO_STATUS_OK);
      }
    }
  });
  for (int i = 0; i < 400; ++i) {
    const bool may_be = Number() % 2 == 0;
    const int32_t status = Next();
    EXPECT_TRUE(status == RONDO_STATUS_OK || (may_be && status == RONDO_STATUS_CANCELLED))
        << status;
    if (i % 100 == 99) {
      ASSERT_EQ(rondo_session_undo(session_.get(), 10), RONDO_STATUS_OK);
    }
  }
  over = true;
  canceller.join();
}

}  // namespace
}  // namespace rondo::abi_test
