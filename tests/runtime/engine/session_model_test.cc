// Sessions of the tiny model: limits, reasons, text, cancelling, and what a failed call leaves.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <set>
#include <thread>

#include "tests/support/test_model.h"

namespace rondo::session_model_test {
namespace {

const TestModel& Tiny() {
  static const TestModel model(TestData("tiny"), format::TensorFormat::Q8);
  return model;
}

std::vector<int32_t> Ids(size_t n, uint32_t seed = 5) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(n);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % 2048);
  return ids;
}

std::vector<int32_t> Tokenize(std::string_view text) {
  std::vector<int32_t> ids(text.size() + 8);
  size_t count = 0;
  EXPECT_TRUE(Tiny().tokenizer()->Encode(text, true, ids, &count).ok());
  ids.resize(count);
  return ids;
}

std::vector<float> Logits(Session& session) {
  const auto logits = session.Logits();
  EXPECT_TRUE(logits.ok()) << logits.status().message();
  return {logits->begin(), logits->end()};
}

EngineOptions Small(uint32_t context, ContextPolicy policy = ContextPolicy::kStop) {
  EngineOptions options;
  options.context = context;
  options.policy = policy;
  options.max_rows = 16;
  options.threads = 1;
  return options;
}

TEST(Session, FailedCallsChangeNothing) {
  const auto engine = Tiny().NewEngine(Small(40));
  Session* session = NewSession(*engine);
  EXPECT_EQ(session->Logits().status().code(), StatusCode::kNoLogits);
  EXPECT_EQ(session->Next().status().code(), StatusCode::kNoLogits);
  ASSERT_TRUE(session->Prefill(Ids(30)).ok());
  const auto before = Logits(*session);

  EXPECT_EQ(session->Prefill({}).code(), StatusCode::kInvalidArgument);
  const int32_t bad[] = {1, 2, 2048};
  const Status status = session->Prefill(bad);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(),
               "token id 2048 at index 2 is out of range: the vocabulary has 2048");
  EXPECT_EQ(session->Accept(-1).code(), StatusCode::kInvalidArgument);
  const Status full = session->Prefill(Ids(11));
  EXPECT_EQ(full.code(), StatusCode::kContextFull);
  EXPECT_STREQ(full.message(), "11 tokens do not fit: 10 of the context's 40 are left");
  EXPECT_EQ(session->Undo(31).code(), StatusCode::kInvalidArgument);

  EXPECT_EQ(session->position(), 30u);
  EXPECT_EQ(session->remaining(), 10u);
  EXPECT_EQ(Logits(*session), before);
}

TEST(Session, StopsWhereTheContextEnds) {
  const auto engine = Tiny().NewEngine(Small(40));
  SessionOptions options;
  options.ignore_eos = true;
  Session* session = NewSession(*engine, options);
  ASSERT_TRUE(session->Prefill(Ids(35)).ok());
  for (int i = 0; i < 5; ++i) {
    const auto event = session->Next();
    ASSERT_TRUE(event.ok());
    EXPECT_EQ(event->reason, FinishReason::kNone);
    EXPECT_GE(event->token, 0);
  }
  const auto event = session->Next();
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event->reason, FinishReason::kContextFull);
  EXPECT_EQ(event->token, -1);
  EXPECT_EQ(session->remaining(), 0u);
  EXPECT_EQ(session->Accept(1).code(), StatusCode::kContextFull);
  // Room again: it goes on.
  ASSERT_TRUE(session->Undo(3).ok());
  EXPECT_EQ(session->Next()->reason, FinishReason::kNone);
}

TEST(Session, SlidesForThousandsOfTokens) {
  EngineOptions options = Small(192, ContextPolicy::kSlide);
  options.sink_tokens = 4;
  const auto engine = Tiny().NewEngine(options);
  SessionOptions session_options;
  session_options.ignore_eos = true;
  session_options.sampler.temperature = 1;
  Session* session = NewSession(*engine, session_options);
  ASSERT_TRUE(session->Prefill(Tokenize("Once upon a time")).ok());
  uint64_t begin, end;
  for (int i = 0; i < 2000; ++i) {
    const auto event = session->Next();
    ASSERT_TRUE(event.ok()) << event.status().message();
    ASSERT_EQ(event->reason, FinishReason::kNone);
    session->Evicted(&begin, &end);
    ASSERT_EQ(begin, end == 0 ? 0u : 64u);
    ASSERT_LE(session->position() - (end - begin), 192u);
  }
  EXPECT_EQ(end % 64, 0u);
  EXPECT_GT(end, 1800u);
  EXPECT_EQ(session->remaining(), UINT64_MAX);
}

TEST(Session, EveryReasonToEnd) {
  const auto engine = Tiny().NewEngine(Small(256));
  const auto prompt = Tokenize("Today's weather is so");
  {
    SessionOptions options;
    options.max_tokens = 3;
    Session* session = NewSession(*engine, options);
    ASSERT_TRUE(session->Prefill(prompt).ok());
    EXPECT_EQ(session->Next()->reason, FinishReason::kNone);
    EXPECT_EQ(session->Next()->reason, FinishReason::kNone);
    EXPECT_EQ(session->Next()->reason, FinishReason::kTokenLimit);
    EXPECT_EQ(session->Next()->token, -1);
    engine->CloseSession(session);
  }
  {
    const std::string_view stops[] = {"nothing like it", "."};
    SessionOptions options;
    options.stop_strings = stops;
    Session* session = NewSession(*engine, options);
    ASSERT_TRUE(session->Prefill(prompt).ok());
    std::string text;
    FinishReason reason = FinishReason::kNone;
    while (reason == FinishReason::kNone) {
      const auto event = session->Next();
      ASSERT_TRUE(event.ok());
      text += event->text;
      reason = event->reason;
    }
    EXPECT_EQ(reason, FinishReason::kStopString);
    EXPECT_EQ(text.find('.'), std::string::npos) << text;
    EXPECT_FALSE(text.empty());
    engine->CloseSession(session);
  }
  {
    const LogitBias only_eos[] = {{1, 1000.0f}};
    SessionOptions options;
    options.sampler.logit_bias = only_eos;
    Session* session = NewSession(*engine, options);
    ASSERT_TRUE(session->Prefill(prompt).ok());
    const auto event = session->Next();
    EXPECT_EQ(event->reason, FinishReason::kEos);
    EXPECT_EQ(event->token, 1);
    EXPECT_EQ(session->position(), prompt.size());
    engine->CloseSession(session);
  }
}

TEST(Session, StreamedTextIsTheDecodedText) {
  const auto engine = Tiny().NewEngine(Small(256));
  SessionOptions options;
  options.ignore_eos = true;
  options.max_tokens = 100;
  options.sampler.temperature = 1.5f;
  options.sampler.seed = 3;
  Session* session = NewSession(*engine, options);
  auto all = Tokenize("Today's weather is so");
  std::string streamed;
  ASSERT_TRUE(session->Prefill(all).ok());
  const std::string prompt = "Today's weather is so";
  for (FinishReason reason = FinishReason::kNone; reason == FinishReason::kNone;) {
    const auto event = session->Next();
    ASSERT_TRUE(event.ok());
    all.push_back(event->token);
    streamed += event->text;
    reason = event->reason;
  }
  std::string decoded(10000, '\0');
  size_t size = 0;
  ASSERT_TRUE(Tiny().tokenizer()->Decode(all, true, decoded, &size).ok());
  decoded.resize(size);
  EXPECT_EQ(prompt + streamed, decoded);
}

TEST(Session, ContinuesWithAWordForWeather) {
  const auto engine = Tiny().NewEngine(Small(256));
  Session* session = NewSession(*engine);
  ASSERT_TRUE(session->Prefill(Tokenize("Today's weather is so")).ok());
  const std::string word(session->Next()->text);
  const std::set<std::string> words = {" nice", " warm",  " sunny", " lovely", " bright",
                                       " cold", " windy", " rainy", " pretty"};
  EXPECT_TRUE(words.contains(word)) << word;
}

TEST(Session, CancelLeavesTheSessionAsItWas) {
  const auto engine = Tiny().NewEngine(Small(4096));
  Session* session = NewSession(*engine);
  ASSERT_TRUE(session->Prefill(Ids(50)).ok());
  const auto before = Logits(*session);

  session->Cancel();  // before the call
  EXPECT_EQ(session->Prefill(Ids(100)).code(), StatusCode::kCancelled);
  EXPECT_EQ(session->position(), 50u);
  EXPECT_EQ(Logits(*session), before);

  // While it runs, from the sink of its own first chunk and from another thread.
  const auto long_prompt = Ids(4000);
  const LogitsSink sink = {[](void* user, uint64_t position, std::span<const float>) {
                             if (position == 70) static_cast<Session*>(user)->Cancel();
                           },
                           session};
  EXPECT_EQ(session->PrefillLogits(long_prompt, sink).code(), StatusCode::kCancelled);
  EXPECT_EQ(session->position(), 50u);
  EXPECT_EQ(Logits(*session), before);

  std::atomic<bool> done = false;
  std::thread canceller([&] {
    while (!done) {
      session->Cancel();
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(session->Prefill(long_prompt).code(), StatusCode::kCancelled);
  done = true;
  canceller.join();
  session->Reset();
  ASSERT_TRUE(session->Prefill(Ids(50)).ok());
  EXPECT_EQ(Logits(*session), before);
}

TEST(Engine, RefusesWhatDoesNotFit) {
  const EngineOptions options = Small(100);
  const auto plan = PlanEngine(Tiny().file(), Tiny().tokenizer(), options);
  ASSERT_TRUE(plan.ok());
  const size_t bytes = plan->memory.arena_bytes();
  std::vector<uint8_t> memory(bytes + 128);
  uint8_t* arena =
      reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  const auto create = [&](void* at, size_t size) {
    return Engine::Create(Tiny().file(), Tiny().tokenizer(), options, at, size).status().code();
  };
  EXPECT_EQ(create(arena, bytes - 1), StatusCode::kArenaTooSmall);
  EXPECT_EQ(create(arena + 8, bytes), StatusCode::kArenaMisaligned);
  EXPECT_EQ(create(arena, bytes), StatusCode::kOk);

  EngineOptions wrong = options;
  wrong.max_rows = 0;
  EXPECT_EQ(PlanEngine(Tiny().file(), nullptr, wrong).status().code(),
            StatusCode::kInvalidArgument);
  wrong = options;
  wrong.kernels = "no such set";
  EXPECT_EQ(PlanEngine(Tiny().file(), nullptr, wrong).status().code(),
            StatusCode::kInvalidArgument);
  wrong = options;
  wrong.policy = ContextPolicy::kSlide;
  EXPECT_EQ(PlanEngine(Tiny().file(), nullptr, wrong).status().code(), StatusCode::kOk);
  wrong.sink_tokens = 1;
  EXPECT_EQ(PlanEngine(Tiny().file(), nullptr, wrong).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(Engine, FitIsThePlanInReverse) {
  EngineOptions options = Small(0);
  for (const uint32_t context : {64u, 128u, 448u}) {
    options.context = context;
    const auto plan = PlanEngine(Tiny().file(), Tiny().tokenizer(), options);
    const size_t bytes = plan->memory.arena_bytes();
    EXPECT_EQ(*FitContext(Tiny().file(), Tiny().tokenizer(), options, bytes), context);
    if (context > 64) {
      EXPECT_EQ(*FitContext(Tiny().file(), Tiny().tokenizer(), options, bytes - 1), context - 64);
    }
  }
  EXPECT_EQ(*FitContext(Tiny().file(), Tiny().tokenizer(), options, SIZE_MAX / 2), 512u);
  EXPECT_EQ(FitContext(Tiny().file(), Tiny().tokenizer(), options, 1000).status().code(),
            StatusCode::kArenaTooSmall);
}

TEST(Engine, SlotsAreTakenAndGivenBack) {
  EngineOptions options = Small(100);
  options.max_sessions = 2;
  const auto engine = Tiny().NewEngine(options);
  Session* a = NewSession(*engine);
  NewSession(*engine);
  EXPECT_EQ(engine->OpenSession({}).status().code(), StatusCode::kBusy);
  engine->CloseSession(a);
  EXPECT_TRUE(engine->OpenSession({}).ok());
}

}  // namespace
}  // namespace rondo::session_model_test
