// Of a call that fails nothing has happened: what was proposed, what was chosen ahead, events that
// were not taken and cancellations are there as before.
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/test_model.h"

namespace rondo::refused_calls_model_test {
namespace {

const TestModel& Tiny() {
  static const TestModel model(TestData("tiny"), format::TensorFormat::Q8);
  return model;
}

// A session that has a whole KV block and one token behind it, in a pool of two blocks.
class RefusedCalls : public testing::Test {
 protected:
  void SetUp() override {
    EngineOptions options;
    options.context = 256;
    options.max_sessions = 3;
    options.kv_tokens = 128;
    options.threads = 1;
    engine_ = Tiny().NewEngine(options);
    for (int32_t i = 0; i < 64; ++i) prompt_.push_back(5 + i), other_prompt_.push_back(100 + i);
    SessionOptions session_options;
    session_options.ignore_eos = true;
    session_ = NewSession(*engine_, session_options);
    other_ = NewSession(*engine_, session_options);
    ASSERT_TRUE(session_->Prefill(prompt_).ok());
    ASSERT_TRUE(session_->Accept(7).ok());
  }

  // The tokens that come next, of a session of its own.
  std::vector<int32_t> Coming(size_t n) const {
    EngineOptions options;
    options.context = 256;
    options.threads = 1;
    const auto engine = Tiny().NewEngine(options);
    SessionOptions session_options;
    session_options.ignore_eos = true;
    Session* const plain = NewSession(*engine, session_options);
    EXPECT_TRUE(plain->Prefill(prompt_).ok());
    EXPECT_TRUE(plain->Accept(7).ok());
    std::vector<int32_t> tokens;
    while (tokens.size() < n) tokens.push_back(plain->Next()->token);
    return tokens;
  }

  struct Failure {
    const char* name;
    std::function<StatusCode()> call;
    StatusCode code;
    bool computes = false;
  };
  std::vector<Failure> Failures() {
    const auto cancelled = [this](const std::function<Status()>& call) {
      return [this, call] {
        session_->Cancel();
        return call().code();
      };
    };
    // The other session has all blocks that there are, while `call` runs.
    const auto pool_full = [this](const std::function<Status()>& call) {
      return [this, call] {
        EXPECT_TRUE(other_->Prefill(other_prompt_).ok());
        const Status status = call();
        other_->Reset();
        return status.code();
      };
    };
    const auto prefill = [this] { return session_->Prefill(std::vector<int32_t>{9, 8, 7}); };
    const auto logits = [this] { return session_->Logits().status(); };
    const auto next = [this] { return session_->Next().status(); };
    const auto bad = StatusCode::kInvalidArgument;
    static const std::vector<int32_t> wrong = {3, -1}, many(300, 4);
    return {
        {"undo", [this] { return session_->Undo(1000).code(); }, bad},
        {"prefill", [this] { return session_->Prefill(wrong).code(); }, bad},
        {"long prefill", [this] { return session_->Prefill(many).code(); },
         StatusCode::kContextFull},
        {"append", [this] { return session_->Queue(wrong).code(); }, bad},
        {"accept", [this] { return session_->Accept(-1).code(); }, bad},
        {"propose", [this] { return session_->Propose(wrong).code(); }, bad},
        {"restore", [this] { return session_->Restore(std::vector<uint8_t>(9)).code(); }, bad},
        {"cancelled next", cancelled(next), StatusCode::kCancelled},
        {"cancelled logits", cancelled(logits), StatusCode::kCancelled, true},
        {"cancelled prefill", cancelled(prefill), StatusCode::kCancelled, true},
        {"next without blocks", pool_full(next), StatusCode::kKvPoolFull},
        {"logits without blocks", pool_full(logits), StatusCode::kKvPoolFull, true},
        {"prefill without blocks", pool_full(prefill), StatusCode::kKvPoolFull, true},
        {"step beside an event",
         [this] {
           Session* const sessions[] = {session_, other_};
           EXPECT_TRUE(Session::Step(engine_.get(), {&sessions[1], 1}).ok());
           const StatusCode code = Session::Step(engine_.get(), sessions).code();
           EXPECT_FALSE(other_->TakeEvent().ok());
           return code;
         },
         bad},
    };
  }

  std::unique_ptr<Engine> engine_;
  std::vector<int32_t> prompt_, other_prompt_;
  Session* session_ = nullptr;
  Session* other_ = nullptr;
};

TEST_F(RefusedCalls, KeepWhatWasProposed) {
  const std::vector<int32_t> coming = Coming(6);
  for (const Failure& failure : Failures()) {
    session_->Reset();
    ASSERT_TRUE(session_->Prefill(prompt_).ok());
    ASSERT_TRUE(session_->Accept(7).ok());
    ASSERT_TRUE(session_->Propose(std::span(coming).first(5)).ok());
    ASSERT_EQ(failure.call(), failure.code) << failure.name;
    const SequenceStats before = session_->sequence().stats();
    for (const int32_t token : coming) {
      const auto event = session_->Next();
      ASSERT_TRUE(event.ok()) << failure.name << ": " << event.status().message();
      EXPECT_EQ(event->token, token) << failure.name;
    }
    const SequenceStats& after = session_->sequence().stats();
    EXPECT_EQ(after.drafts_proposed - before.drafts_proposed, 5u) << failure.name;
    EXPECT_EQ(after.drafts_accepted - before.drafts_accepted, 5u) << failure.name;
    EXPECT_EQ(after.passes - before.passes, 1u) << failure.name;
  }
}

// Where a call began to compute, one pass makes again what was there.
TEST_F(RefusedCalls, KeepWhatWasChosenAhead) {
  const std::vector<int32_t> coming = Coming(6);
  for (const Failure& failure : Failures()) {
    const bool needs_blocks = failure.code == StatusCode::kKvPoolFull;
    if (failure.name == std::string("next without blocks")) continue;  // it needs none here
    session_->Reset();
    ASSERT_TRUE(session_->Prefill(prompt_).ok());
    ASSERT_TRUE(session_->Accept(7).ok());
    ASSERT_TRUE(session_->Propose(std::span(coming).first(5)).ok());
    EXPECT_EQ(session_->Next()->token, coming[0]);
    if (needs_blocks) continue;  // it has its second block
    ASSERT_EQ(failure.call(), failure.code) << failure.name;
    const uint64_t before = session_->sequence().stats().passes;
    for (size_t i = 1; i < coming.size(); ++i) {
      const auto event = session_->Next();
      ASSERT_TRUE(event.ok()) << failure.name << ": " << event.status().message();
      EXPECT_EQ(event->token, coming[i]) << failure.name;
    }
    EXPECT_EQ(session_->sequence().stats().passes - before, failure.computes ? 1u : 0u)
        << failure.name;
  }
}

// What succeeds forgets them, as it changes the tokens; what only looks keeps them.
TEST_F(RefusedCalls, ProposalsEndWithTheTokensThatTheyFollow) {
  const std::vector<int32_t> wrong = {1, 1, 1};
  const auto verified = [&] {
    const uint64_t before = session_->sequence().stats().drafts_proposed;
    EXPECT_TRUE(session_->Next().ok());
    return session_->sequence().stats().drafts_proposed - before;
  };
  ASSERT_TRUE(session_->Propose(wrong).ok());
  ASSERT_TRUE(session_->Undo(0).ok());
  EXPECT_EQ(verified(), 3u);
  EXPECT_EQ(verified(), 0u);
  ASSERT_TRUE(session_->Propose(wrong).ok());
  ASSERT_TRUE(session_->Undo(1).ok());
  EXPECT_EQ(verified(), 0u);
  ASSERT_TRUE(session_->Propose(wrong).ok());
  ASSERT_TRUE(session_->Accept(9).ok());
  EXPECT_EQ(verified(), 0u);
  ASSERT_TRUE(session_->Propose(wrong).ok());
  ASSERT_TRUE(session_->Queue(std::vector<int32_t>{9}).ok());
  EXPECT_EQ(verified(), 0u);
}

TEST_F(RefusedCalls, ACancelledNextKeepsTheEventOfAccept) {
  session_->Cancel();
  ASSERT_EQ(session_->Next().status().code(), StatusCode::kCancelled);
  const auto event = session_->TakeEvent();
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event->token, 7);
  EXPECT_EQ(event->bytes, event->text);
  EXPECT_NE(event->text, "");
  EXPECT_EQ(session_->TakeEvent()->token, -1) << "once";
}

// A cancellation that a refused step came upon waits for the next call.
TEST_F(RefusedCalls, ARefusedStepKeepsCancellations) {
  ASSERT_TRUE(other_->Prefill(other_prompt_).ok());  // which leaves no block to the session
  Session* const third = NewSession(*engine_);
  ASSERT_TRUE(other_->Undo(1).ok());  // its row runs again in a block that it has
  Session* const sessions[] = {session_, other_};
  other_->Cancel();
  ASSERT_EQ(Session::Step(engine_.get(), sessions).code(), StatusCode::kKvPoolFull);
  EXPECT_EQ(other_->Next().status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(other_->Next().ok());
  engine_->CloseSession(third);
}

}  // namespace
}  // namespace rondo::refused_calls_model_test
