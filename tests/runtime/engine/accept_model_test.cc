// A token that the caller chose is one like those that the session chose: its text is in an event,
// and the generation ends where it would.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/test_model.h"

namespace rondo::accept_model_test {
namespace {

const TestModel& Tiny() {
  static const TestModel model(TestData("tiny"), format::TensorFormat::Q8);
  return model;
}

std::unique_ptr<Engine> NewEngine(uint32_t context = 256) {
  EngineOptions options;
  options.context = context;
  options.max_rows = 32;
  options.max_sessions = 3;
  options.threads = 1;
  return Tiny().NewEngine(options);
}

const std::vector<int32_t> kPrompt = {0, 400, 401};

struct Event {
  int32_t token;
  std::string bytes, text;
  FinishReason reason;
  bool operator==(const Event&) const = default;
};

Event Of(const Result<TokenEvent>& event) {
  EXPECT_TRUE(event.ok()) << event.status().message();
  if (!event.ok()) return {};
  return {event->token, std::string(event->bytes), std::string(event->text), event->reason};
}

Event Accept(Session* session, int32_t token) {
  const Status status = session->Accept(token);
  EXPECT_TRUE(status.ok()) << status.message();
  return Of(session->TakeEvent());
}

class AcceptTest : public testing::Test {
 protected:
  Session* New(const SessionOptions& options) {
    Session* const session = NewSession(*engine_, options);
    EXPECT_TRUE(session->Prefill(kPrompt).ok());
    return session;
  }
  // One session that chooses, and one whose caller chooses the same.
  void ExpectTheSameEvents(const SessionOptions& options, FinishReason reason) {
    Session* const next = New(options);
    Session* const accept = New(options);
    Event expected = {};
    for (int i = 0; i < 200 && expected.reason == FinishReason::kNone; ++i) {
      expected = Of(next->Next());
      Event actual = Accept(accept, expected.token);
      if (reason == FinishReason::kEos) actual.bytes = expected.bytes;
      ASSERT_EQ(actual, expected) << i;
    }
    EXPECT_EQ(expected.reason, reason);
    const Event end = {-1, "", "", reason};
    EXPECT_EQ(Of(accept->Next()), end);
    Session* const one[] = {accept};
    ASSERT_TRUE(Session::Step(engine_.get(), one).ok());
    EXPECT_EQ(Of(accept->TakeEvent()), end);
    // The caller may go on: with an end of its own, or none.
    EXPECT_EQ(Accept(accept, 400).reason, reason == FinishReason::kTokenLimit
                                              ? FinishReason::kTokenLimit
                                              : FinishReason::kNone);
    engine_->CloseSession(next);
    engine_->CloseSession(accept);
  }

  const std::unique_ptr<Engine> engine_ = NewEngine();
};

TEST_F(AcceptTest, MaxTokens) {
  SessionOptions options;
  options.max_tokens = 5;
  ExpectTheSameEvents(options, FinishReason::kTokenLimit);
}

TEST_F(AcceptTest, StopStrings) {
  Session* const plain = New({});
  std::string text;
  for (int i = 0; i < 6; ++i) text += Of(plain->Next()).text;
  engine_->CloseSession(plain);
  const std::string stop = text.substr(text.size() - 5);
  const std::string_view stops[] = {"not in there", stop};
  SessionOptions options;
  options.stop_strings = stops;
  options.max_tokens = 50;
  ExpectTheSameEvents(options, FinishReason::kStopString);
}

TEST_F(AcceptTest, EndTokens) {
  const LogitBias bias = {1, 1000.0f};
  SessionOptions options;
  options.sampler.logit_bias = {&bias, 1};
  ExpectTheSameEvents(options, FinishReason::kEos);
  options.ignore_eos = true;
  Session* const ignores = NewSession(*engine_, options);
  EXPECT_EQ(Accept(ignores, 1).reason, FinishReason::kNone);
}

// Half a character, or the beginning of a stop string, comes with the end.
TEST_F(AcceptTest, WhatIsHeldBackComesWithTheEnd) {
  Session* const plain = New({});
  const Event first = Of(plain->Next()), second = Of(plain->Next());
  const std::string stop = first.text + second.text + "?";
  const std::string_view stops[] = {stop};
  SessionOptions options;
  options.stop_strings = stops;
  options.max_tokens = 2;
  Session* const session = New(options);
  EXPECT_EQ(Accept(session, first.token).text, "");
  const Event last = Accept(session, second.token);
  EXPECT_EQ(last.text, first.text + second.text);
  EXPECT_EQ(last.reason, FinishReason::kTokenLimit);
}

// Nobody has to ask: what no event told comes with the next one, of much of it the end.
TEST_F(AcceptTest, TextThatWasNotAskedForComesWithTheNextEvent) {
  Session* const plain = New({});
  std::vector<Event> events;
  std::string text;
  for (int i = 0; i < 6; ++i) {
    events.push_back(Of(plain->Next()));
    if (i < 5) text += events.back().text;
  }
  Session* const session = New({});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(session->Accept(events[i].token).ok());
  EXPECT_EQ(Of(session->Next()),
            (Event{events[5].token, events[5].bytes, text + events[5].text, FinishReason::kNone}));
  ASSERT_TRUE(session->Undo(6).ok());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(session->Accept(events[i].token).ok());
  ASSERT_TRUE(session->Undo(2).ok());
  EXPECT_EQ(Accept(session, events[3].token).text,
            events[0].text + events[1].text + events[2].text + events[3].text);

  const auto roomy = NewEngine(512);
  Session* const many = NewSession(*roomy);
  std::string all;
  const int32_t token = events[1].token;
  ASSERT_TRUE(many->Prefill(kPrompt).ok());
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(many->Accept(token).ok());
    all += events[1].text;
  }
  const Event last = Of(many->TakeEvent());
  ASSERT_GE(last.text.size(), SessionText::kUntoldBytes);
  EXPECT_EQ(last.text, all.substr(all.size() - last.text.size()));
}

// The same where each token ends a generation, and nothing comes of those that were undone.
TEST_F(AcceptTest, TextThatWasNotAskedForComesFromBehindEndsToo) {
  Session* const plain = New({});
  std::vector<Event> events;
  for (int i = 0; i < 5; ++i) events.push_back(Of(plain->Next()));
  SessionOptions options;
  options.max_tokens = 1;
  Session* const session = New(options);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(session->Accept(events[i].token).ok());
  ASSERT_TRUE(session->Undo(2).ok());
  EXPECT_EQ(Accept(session, events[4].token).text,
            events[0].text + events[1].text + events[4].text);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(session->Accept(events[i].token).ok());
  ASSERT_TRUE(session->Undo(2).ok());
  EXPECT_EQ(Accept(session, events[3].token).text, events[0].text + events[3].text)
      << "what an event told does not come again";
}

// Whatever was undone between, the events of the tokens that are left tell the same text as where
// nothing was.
TEST_F(AcceptTest, UndoneTokensLeaveNoTraceInTheText) {
  const std::string_view stops[] = {"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", "e t", "aba"};
  SessionOptions options;
  options.ignore_eos = true;
  options.stop_strings = stops;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Session* const session = New(options);
    std::vector<Event> events;
    for (int step = 0; step < 60; ++step) {
      if (random() % 4 == 0) {
        const size_t n = random() % (events.size() + 1) / 2;
        ASSERT_TRUE(session->Undo(n).ok());
        events.resize(events.size() - n);
      } else if (events.empty() || events.back().reason == FinishReason::kNone) {
        // Bytes, special tokens, words.
        const auto token = static_cast<int32_t>(random() % (random() % 2 == 0 ? 260 : 2048));
        events.push_back(random() % 8 == 0 ? Of(session->Next()) : Accept(session, token));
      }
    }
    Session* const fresh = New(options);
    std::string expected, actual;
    for (const Event& event : events) {
      expected += Accept(fresh, event.token).text;
      actual += event.text;
    }
    ASSERT_EQ(actual, expected) << seed;
    engine_->CloseSession(fresh);
    engine_->CloseSession(session);
  }
}

}  // namespace
}  // namespace rondo::accept_model_test
