// The text of a session follows from its tokens alone: what was undone leaves no trace in it.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/test_model.h"

namespace rondo::session_text_model_test {
namespace {

EngineOptions Options() {
  EngineOptions options;
  options.context = 256;
  options.max_sessions = 2;
  options.threads = 1;
  return options;
}

std::string NextText(Session* session) {
  const auto event = session->Next();
  EXPECT_TRUE(event.ok()) << event.status().message();
  return event.ok() ? std::string(event->text) : "";
}

// A decoder that drops the first space of a text does so where the text begins: behind tokens
// that are all special, whatever was there before.
TEST(SessionText, BeginsWhereTheTokensThatAreLeftHaveNone) {
  const auto folder = SharedData("trained/stories260K");
  RONDO_SKIP_WITHOUT(folder);
  const TestModel model(folder, format::TensorFormat::Q8);
  const auto engine = model.NewEngine(Options());
  const std::vector<int32_t> bos = {1}, prompt = {1, 400, 401};
  Session* const fresh = NewSession(*engine);
  ASSERT_TRUE(fresh->Prefill(bos).ok());
  const std::string first = NextText(fresh), second = NextText(fresh);
  ASSERT_NE(first[0], ' ');

  Session* const session = NewSession(*engine);
  ASSERT_TRUE(session->Prefill(bos).ok());
  EXPECT_EQ(NextText(session), first);
  ASSERT_TRUE(session->Undo(1).ok());
  EXPECT_EQ(NextText(session), first) << "the only text was undone";
  EXPECT_EQ(NextText(session), second);
  ASSERT_TRUE(session->Undo(1).ok());
  EXPECT_EQ(NextText(session), second) << "some text is left";
  ASSERT_TRUE(session->Undo(3).ok());
  ASSERT_TRUE(session->Prefill(bos).ok());
  EXPECT_EQ(NextText(session), first) << "all was undone";
  session->Reset();
  ASSERT_TRUE(session->Prefill(prompt).ok());
  ASSERT_TRUE(session->Undo(2).ok());
  EXPECT_EQ(NextText(session), first) << "a prompt's text was undone";

  // What was cancelled, forked or saved says nothing else.
  session->Reset();
  ASSERT_TRUE(session->Prefill(bos).ok());
  session->Cancel();
  ASSERT_EQ(session->Prefill(prompt).code(), StatusCode::kCancelled);
  engine->CloseSession(fresh);
  Session* const fork = *engine->ForkSession(*session, {});
  std::vector<uint8_t> snapshot(1 << 20);
  size_t bytes;
  ASSERT_TRUE(session->Save(snapshot, &bytes).ok());
  EXPECT_EQ(NextText(session), first) << "a prefill was cancelled";
  EXPECT_EQ(NextText(fork), first) << "a fork";
  ASSERT_TRUE(session->Restore(std::span(snapshot).first(bytes)).ok());
  EXPECT_EQ(NextText(session), first) << "a snapshot";
}

// What the tokens that are left hold back, as it may become a stop string, is not lost.
TEST(SessionText, HoldsBackWhatTheTokensThatAreLeftDid) {
  const TestModel model(TestData("tiny"), format::TensorFormat::Q8);
  const auto engine = model.NewEngine(Options());
  const std::vector<int32_t> prompt = {0, 400, 401};
  Session* const plain = NewSession(*engine);
  ASSERT_TRUE(plain->Prefill(prompt).ok());
  std::string pieces[4];
  for (std::string& piece : pieces) piece = NextText(plain);
  const std::string stop = pieces[0] + pieces[1] + pieces[2] + "no";
  const std::string_view stops[] = {stop};
  SessionOptions options;
  options.stop_strings = stops;
  Session* const session = NewSession(*engine, options);
  ASSERT_TRUE(session->Prefill(prompt).ok());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(NextText(session), "");
  ASSERT_TRUE(session->Undo(1).ok());
  EXPECT_EQ(NextText(session), "");
  EXPECT_EQ(NextText(session), pieces[0] + pieces[1] + pieces[2] + pieces[3]);
}

// A session of which `max_tokens` and a stop string that its first three pieces begin say how much
// it has generated and what it holds back.
class UndoAcrossPrompts : public testing::Test {
 protected:
  void SetUp() override {
    Session* const plain = NewSession(*engine_);
    ASSERT_TRUE(plain->Prefill(kPrompt).ok());
    for (std::string& piece : pieces_) piece = NextText(plain);
    const std::string stop = Held() + "no";
    const std::string_view stops[] = {stop};
    SessionOptions options;
    options.stop_strings = stops;
    options.max_tokens = 5;
    session_ = NewSession(*engine_, options);
    ASSERT_TRUE(session_->Prefill(kPrompt).ok());
    for (int i = 0; i < 3; ++i) ASSERT_EQ(NextText(session_), "");
  }
  std::string Held() const { return pieces_[0] + pieces_[1] + pieces_[2]; }
  void ExpectTheFirstGenerationGoesOn() {
    EXPECT_EQ(NextText(session_), Held() + pieces_[3]);
    const auto last = session_->Next();
    ASSERT_TRUE(last.ok());
    EXPECT_EQ(last->reason, FinishReason::kTokenLimit);
    EXPECT_EQ(last->text, pieces_[4]);
  }

  const std::vector<int32_t> kPrompt = {0, 400, 401};
  const TestModel model_{TestData("tiny"), format::TensorFormat::Q8};
  const std::unique_ptr<Engine> engine_ = model_.NewEngine(Options());
  std::string pieces_[5];
  Session* session_ = nullptr;
};

TEST_F(UndoAcrossPrompts, BringsTheGenerationBefore) {
  ASSERT_TRUE(session_->Prefill(kPrompt).ok());
  for (int i = 0; i < 2; ++i) NextText(session_);
  ASSERT_TRUE(session_->Queue(kPrompt).ok());
  ASSERT_TRUE(session_->Undo(8).ok());
  ExpectTheFirstGenerationGoesOn();
}

TEST_F(UndoAcrossPrompts, BringsAPartOfTheGenerationBefore) {
  ASSERT_TRUE(session_->Prefill(kPrompt).ok());
  ASSERT_TRUE(session_->Undo(4).ok());
  EXPECT_EQ(NextText(session_), "");
  ExpectTheFirstGenerationGoesOn();
}

TEST_F(UndoAcrossPrompts, BringsWhatAnEndWasBehind) {
  for (int i = 0; i < 2; ++i) NextText(session_);
  ASSERT_TRUE(session_->Accept(400).ok());
  ASSERT_TRUE(session_->Undo(3).ok());
  ExpectTheFirstGenerationGoesOn();
}

TEST_F(UndoAcrossPrompts, EightGenerationsAreRemembered) {
  const auto generate = [&] {
    ASSERT_TRUE(session_->Prefill(kPrompt).ok());
    ASSERT_TRUE(session_->Prefill(kPrompt).ok()) << "one without tokens takes no place";
    NextText(session_);
  };
  for (size_t i = 1; i < PastTexts::kMost; ++i) generate();
  ASSERT_TRUE(session_->Prefill(kPrompt).ok());
  ASSERT_TRUE(session_->Undo((PastTexts::kMost - 1) * 7 + 3).ok());
  ExpectTheFirstGenerationGoesOn();
  ASSERT_TRUE(session_->Undo(2).ok());
  for (size_t i = 0; i < PastTexts::kMost; ++i) generate();
  ASSERT_TRUE(session_->Prefill(kPrompt).ok());
  ASSERT_TRUE(session_->Undo(PastTexts::kMost * 7 + 3).ok());
  EXPECT_EQ(NextText(session_), pieces_[3]) << "a generation of its own";
}

// Whatever was undone, also of prompts, the session goes on as one that had only what is left.
TEST(SessionText, UndoneTokensLeaveNoTraceInLaterTexts) {
  const TestModel model(TestData("tiny"), format::TensorFormat::Q8);
  const auto engine = model.NewEngine(Options());
  const std::string_view stops[] = {"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", "e t", "aba"};
  SessionOptions options;
  options.ignore_eos = true;
  options.stop_strings = stops;
  options.max_tokens = 50;
  struct Call {
    std::vector<int32_t> prompt;  // empty: a token that was accepted
    int32_t token = 0;
  };
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    // Bytes, special tokens, words.
    const auto any = [&] { return static_cast<int32_t>(random() % (random() % 2 ? 260 : 2048)); };
    Session* const session = NewSession(*engine, options);
    std::vector<Call> calls;
    const auto run = [&](Session* on, const Call& call) {
      ASSERT_TRUE((call.prompt.empty() ? on->Accept(call.token) : on->Queue(call.prompt)).ok());
      ASSERT_TRUE(on->TakeEvent().ok());
    };
    for (int step = 0; step < 40; ++step) {
      if (!calls.empty() && random() % 5 == 0) {
        uint64_t n = random() % (session->position() + 1) / 2;
        ASSERT_TRUE(session->Undo(n).ok());
        while (n > 0) {
          Call& last = calls.back();
          const uint64_t undone = std::min<uint64_t>(n, std::max<size_t>(last.prompt.size(), 1));
          n -= undone;
          if (last.prompt.size() > undone) {
            last.prompt.resize(last.prompt.size() - undone);
          } else {
            calls.pop_back();
          }
        }
      } else {
        Call call = {{}, any()};
        if (step % 6 == 0) call.prompt.assign(1 + random() % 4, any());
        run(session, call);
        calls.push_back(call);
      }
    }
    if (calls.empty()) run(session, calls.emplace_back(Call{{1}, 0}));
    Session* const fresh = NewSession(*engine, options);
    for (const Call& call : calls) run(fresh, call);
    for (int i = 0; i < 55; ++i) {
      const auto expected = fresh->Next(), actual = session->Next();
      ASSERT_TRUE(expected.ok() && actual.ok());
      ASSERT_EQ(actual->text, expected->text) << seed << " " << i;
      ASSERT_EQ(actual->token, expected->token) << seed << " " << i;
      ASSERT_EQ(actual->reason, expected->reason) << seed << " " << i;
    }
    engine->CloseSession(fresh);
    engine->CloseSession(session);
  }
}

}  // namespace
}  // namespace rondo::session_text_model_test
