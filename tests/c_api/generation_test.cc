// Whole generations through rondo.h, and the ways in which they end.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/c_api/tiny_model.h"
#include "tests/support/places.h"

extern "C" int c99_generation(const char* path, char* text, size_t text_capacity);

namespace rondo::abi_test::generation_test {
namespace {

constexpr const char* kPrompt = "Today's weather is so";

// What this process itself generates.
std::string Continue(uint64_t max_tokens) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get());
  rondo_session_options options = SessionOptions();
  options.max_tokens = max_tokens;
  const Session session = NewSession(engine.get(), options);
  const std::vector<int32_t> ids = Ids(model.get(), kPrompt);
  EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  return Generate(session.get()).text;
}

// What a program writes to its standard output.
std::string Output(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "no pipe";
  char text[4096];
  const size_t n = std::fread(text, 1, sizeof text, pipe);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return {text, n};
}

TEST(GenerationTest, TheWholeWayInC99) {
  char text[1024] = "";
  ASSERT_EQ(c99_generation(TinyModelPath().c_str(), text, sizeof text), 0) << "failed at that line";
  EXPECT_GT(std::strlen(text), 10u);
  EXPECT_EQ(Continue(24), text);
}

TEST(GenerationTest, TheExampleProgram) {
  EXPECT_EQ(Output(std::string("'") + RONDO_EXAMPLE_GENERATE + "' '" + TinyModelPath() + "' \"" +
                   kPrompt + "\""),
            Continue(64));
}

TEST(GenerationTest, TheExampleOfManySessions) {
  const std::string lines =
      Output(std::string("'") + RONDO_EXAMPLE_MANY_SESSIONS + "' '" + TinyModelPath() + "' \"" +
             kPrompt + "\" 'The cat' \"" + kPrompt + "\"");
  const std::string alone = Continue(32) + "\n";
  EXPECT_EQ(lines.substr(0, alone.size()), alone);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n') -
                3 * (std::count(alone.begin(), alone.end(), '\n') - 1),
            4);
  EXPECT_NE(lines.find("\n" + alone, alone.size() - 1), std::string::npos);  // the third
}

TEST(GenerationTest, PythonThroughCtypes) {
  if (kSanitized) GTEST_SKIP() << "python3 cannot load a sanitized library";
#ifdef RONDO_EMULATED
  GTEST_SKIP() << "this machine's python3 cannot load a library of another architecture";
#endif
  if (std::system("python3 -c 'import ctypes' > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "no python3 with ctypes here";
  }
  Dl_info library;
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&rondo_abi_version), &library), 0);
  EXPECT_EQ(Output(std::string("python3 '") + kTestData + "/../c_api/ctypes_generation.py' '" +
                   library.dli_fname + "' '" + TinyModelPath() + "' \"" + kPrompt + "\""),
            Continue(24));
}

class SessionTest : public testing::Test {
 protected:
  void Prefill(rondo_session* session) {
    ASSERT_EQ(rondo_session_prefill(session, ids_.data(), ids_.size()), RONDO_STATUS_OK)
        << rondo_session_last_error(session);
  }
  uint64_t Position(rondo_session* session) {
    uint64_t position = 0;
    EXPECT_EQ(rondo_session_position(session, &position), RONDO_STATUS_OK);
    return position;
  }
  // Everything that `options` generates from the prompt.
  Generated Run(const rondo_session_options& options) {
    const Session session = NewSession(engine_.get(), options);
    Prefill(session.get());
    return Generate(session.get());
  }

  Model model_ = OpenTiny();
  Engine engine_ = NewEngine(model_.get());
  std::vector<int32_t> ids_ = Ids(model_.get(), kPrompt);
};

TEST_F(SessionTest, TokenLimitEndsAndStaysEnded) {
  rondo_session_options options = SessionOptions();
  options.max_tokens = 5;
  const Session session = NewSession(engine_.get(), options);
  Prefill(session.get());
  const Generated first = Generate(session.get());
  EXPECT_EQ(first.reason, RONDO_REASON_TOKEN_LIMIT);
  EXPECT_EQ(first.tokens.size(), 5u);
  const Generated again = Generate(session.get(), 3);
  EXPECT_EQ(again.reason, RONDO_REASON_TOKEN_LIMIT);
  EXPECT_TRUE(again.tokens.empty());
  EXPECT_EQ(again.text, "");
  EXPECT_EQ(Position(session.get()), ids_.size() + 5);
}

TEST_F(SessionTest, ContextFullEndsUnderStop) {
  rondo_session_options options = SessionOptions();
  options.ignore_eos = 1;
  const Session session = NewSession(engine_.get(), options);
  Prefill(session.get());
  const Generated all = Generate(session.get());
  EXPECT_EQ(all.reason, RONDO_REASON_CONTEXT_FULL);
  EXPECT_EQ(all.tokens.size() + ids_.size(), 256u);
  uint64_t left = 1;
  EXPECT_EQ(rondo_session_remaining(session.get(), &left), RONDO_STATUS_OK);
  EXPECT_EQ(left, 0u);
  EXPECT_EQ(rondo_session_accept(session.get(), 5), RONDO_STATUS_CONTEXT_FULL);
  EXPECT_EQ(Position(session.get()), 256u);
}

TEST_F(SessionTest, SlideGoesOnAndTellsWhatItEvicted) {
  rondo_engine_options engine_options = EngineOptions();
  engine_options.context_policy = RONDO_POLICY_SLIDE;
  engine_options.sink_tokens = 1;
  const Engine engine = NewEngine(model_.get(), engine_options);
  rondo_session_options options = SessionOptions();
  options.ignore_eos = 1;
  const Session session = NewSession(engine.get(), options);
  Prefill(session.get());
  EXPECT_EQ(Generate(session.get(), 700).tokens.size(), 700u);
  uint64_t left = 0;
  EXPECT_EQ(rondo_session_remaining(session.get(), &left), RONDO_STATUS_OK);
  EXPECT_EQ(left, UINT64_MAX);
  uint64_t begin = 0;
  uint64_t end = 0;
  EXPECT_EQ(rondo_session_evicted(session.get(), &begin, &end), RONDO_STATUS_OK);
  EXPECT_GT(begin, 0u);  // the sinks stay
  EXPECT_GT(end, 400u);
  EXPECT_LT(end, Position(session.get()));
}

TEST_F(SessionTest, StopStringEndsTheTextBeforeIt) {
  const Generated whole = Run(SessionOptions());
  ASSERT_GT(whole.text.size(), 12u);
  const std::string stop = whole.text.substr(6, 3);
  const char* stops[] = {"not in there", stop.c_str()};
  rondo_session_options options = SessionOptions();
  options.stop_strings = stops;
  options.n_stop_strings = 2;
  const Generated cut = Run(options);
  EXPECT_EQ(cut.reason, RONDO_REASON_STOP_STRING);
  EXPECT_EQ(cut.text, whole.text.substr(0, whole.text.find(stop)));
}

TEST_F(SessionTest, TheTextOfASpecialTokenIsAStopString) {
  const char* stop = "<|pad|>";
  const rondo_logit_bias bias = {2, 1000.0f};
  rondo_session_options options = SessionOptions();
  options.logit_bias = &bias;
  options.n_logit_bias = 1;
  options.stop_strings = &stop;
  options.n_stop_strings = 1;
  const Generated out = Run(options);
  EXPECT_EQ(out.reason, RONDO_REASON_STOP_STRING);
  EXPECT_EQ(out.text, "");
}

TEST_F(SessionTest, EosEndsAndIsNotAppended) {
  int32_t eos = -1;
  ASSERT_EQ(rondo_model_eos_token(model_.get(), 0, &eos), RONDO_STATUS_OK);
  const rondo_logit_bias bias = {eos, 1000.0f};
  rondo_session_options options = SessionOptions();
  options.logit_bias = &bias;
  options.n_logit_bias = 1;
  const Session session = NewSession(engine_.get(), options);
  Prefill(session.get());
  const Generated out = Generate(session.get());
  EXPECT_EQ(out.reason, RONDO_REASON_EOS);
  EXPECT_EQ(out.tokens, std::vector<int32_t>{eos});
  EXPECT_EQ(out.text, "");
  EXPECT_EQ(Position(session.get()), ids_.size());
}

// What accept appended an event tells, once, and it counts once.
TEST_F(SessionTest, AcceptedTokensHaveEvents) {
  rondo_session_options options = SessionOptions();
  options.max_tokens = 3;
  const Generated whole = Run(options);
  ASSERT_EQ(whole.tokens.size(), 3u);
  const Session session = NewSession(engine_.get(), options);
  Prefill(session.get());
  std::string text;
  rondo_event event = {};
  event.struct_size = sizeof event;
  for (const int32_t token : whole.tokens) {
    EXPECT_EQ(event.reason, RONDO_REASON_NONE);
    ASSERT_EQ(rondo_session_accept(session.get(), token), RONDO_STATUS_OK);
    ASSERT_EQ(rondo_session_event(session.get(), &event), RONDO_STATUS_OK);
    EXPECT_EQ(event.token, token);
    text.append(event.text, event.text_bytes);
  }
  EXPECT_EQ(text, whole.text);
  EXPECT_EQ(event.reason, RONDO_REASON_TOKEN_LIMIT);
  for (const auto ask : {rondo_session_event, rondo_session_next}) {
    ASSERT_EQ(ask(session.get(), &event), RONDO_STATUS_OK);
    EXPECT_EQ(event.token, -1);
    EXPECT_EQ(event.text_bytes, 0u);
    EXPECT_EQ(event.reason, RONDO_REASON_TOKEN_LIMIT);
  }
  rondo_session_counters counters = {};
  counters.struct_size = sizeof counters;
  ASSERT_EQ(rondo_session_stats(session.get(), &counters), RONDO_STATUS_OK);
  EXPECT_EQ(counters.tokens_generated, 3u);
}

TEST_F(SessionTest, LogitsAndAcceptAreWhatNextDoes) {
  rondo_session_options options = SessionOptions();
  options.max_tokens = 20;
  options.logprobs = 1;
  const Session by_next = NewSession(engine_.get(), options);
  Prefill(by_next.get());
  std::vector<int32_t> tokens;
  std::vector<float> logprobs;
  rondo_event event = {};
  event.struct_size = sizeof event;
  while (event.reason == RONDO_REASON_NONE) {
    ASSERT_EQ(rondo_session_next(by_next.get(), &event), RONDO_STATUS_OK);
    tokens.push_back(event.token);
    logprobs.push_back(event.logprob);
  }
  rondo_session_close(nullptr);

  const Engine other = NewEngine(model_.get());
  const Session by_hand = NewSession(other.get());
  Prefill(by_hand.get());
  for (size_t i = 0; i < tokens.size(); ++i) {
    const float* logits = nullptr;
    size_t count = 0;
    ASSERT_EQ(rondo_session_logits(by_hand.get(), &logits, &count), RONDO_STATUS_OK);
    const auto best = static_cast<int32_t>(std::max_element(logits, logits + count) - logits);
    ASSERT_EQ(best, tokens[i]);
    double sum = 0;
    for (size_t k = 0; k < count; ++k) sum += std::exp(logits[k] - logits[best]);
    EXPECT_NEAR(logprobs[i], -std::log(sum), 1e-5);
    ASSERT_EQ(rondo_session_accept(by_hand.get(), best), RONDO_STATUS_OK);
  }
}

TEST_F(SessionTest, UndoAndRedoGiveTheSame) {
  rondo_session_options options = SessionOptions();
  options.temperature = 0.9f;
  options.seed = 3;
  options.max_tokens = 30;
  options.ignore_eos = 1;
  const Session session = NewSession(engine_.get(), options);
  Prefill(session.get());
  const Generated first = Generate(session.get());
  ASSERT_EQ(first.tokens.size(), 30u);
  ASSERT_EQ(rondo_session_undo(session.get(), 12), RONDO_STATUS_OK);
  EXPECT_EQ(Position(session.get()), ids_.size() + 18);
  const Generated second = Generate(session.get());
  EXPECT_EQ(second.tokens, std::vector<int32_t>(first.tokens.begin() + 18, first.tokens.end()));
  EXPECT_EQ(rondo_session_undo(session.get(), 1000), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_STRNE(rondo_session_last_error(session.get()), "");
  ASSERT_EQ(rondo_session_reset(session.get()), RONDO_STATUS_OK);
  EXPECT_EQ(Position(session.get()), 0u);
  Prefill(session.get());
  EXPECT_EQ(Generate(session.get()).tokens, first.tokens);
}

TEST_F(SessionTest, PrefillLogitsHandsOutEveryRow) {
  const Session session = NewSession(engine_.get());
  struct Rows {
    std::vector<size_t> indices;
    std::vector<float> last;
  } rows;
  const auto take = [](void* user, size_t index, const float* logits, size_t count) {
    auto* r = static_cast<Rows*>(user);
    r->indices.push_back(index);
    r->last.assign(logits, logits + count);
  };
  ASSERT_EQ(rondo_session_prefill_logits(session.get(), ids_.data(), ids_.size(), take, &rows),
            RONDO_STATUS_OK);
  ASSERT_EQ(rows.indices.size(), ids_.size());
  for (size_t i = 0; i < ids_.size(); ++i) EXPECT_EQ(rows.indices[i], i);
  const float* logits = nullptr;
  size_t count = 0;
  ASSERT_EQ(rondo_session_logits(session.get(), &logits, &count), RONDO_STATUS_OK);
  EXPECT_EQ(std::vector<float>(logits, logits + count), rows.last);
}

TEST_F(SessionTest, InsideACallbackTheEngineIsBusy) {
  rondo_engine_options engine_options = EngineOptions();
  engine_options.max_sessions = 3;
  const Engine engine = NewEngine(model_.get(), engine_options);
  Session session = NewSession(engine.get());
  struct Context {
    rondo_engine* engine;
    Session* running;
    Session other;
    int calls = 0;
  } context = {engine.get(), &session, NewSession(engine.get())};
  const auto row = [](void* user, size_t, const float*, size_t) {
    auto* c = static_cast<Context*>(user);
    if (++c->calls > 1) return;
    const int32_t id = 1;
    rondo_event event = {};
    event.struct_size = sizeof event;
    rondo_session* opened = nullptr;
    const rondo_session_options options = SessionOptions();
    EXPECT_EQ(rondo_session_prefill(c->running->get(), &id, 1), RONDO_STATUS_BUSY);
    EXPECT_EQ(rondo_session_next(c->other.get(), &event), RONDO_STATUS_BUSY);
    EXPECT_EQ(rondo_session_open(c->engine, &options, &opened, nullptr, 0), RONDO_STATUS_BUSY);
    c->other.reset();  // becomes free when the running call is over
  };
  ASSERT_EQ(rondo_session_prefill_logits(session.get(), ids_.data(), ids_.size(), row, &context),
            RONDO_STATUS_OK);
  EXPECT_EQ(context.calls, static_cast<int>(ids_.size()));
  rondo_engine_counters counters = {};
  counters.struct_size = sizeof counters;
  ASSERT_EQ(rondo_engine_stats(engine.get(), &counters), RONDO_STATUS_OK);
  EXPECT_EQ(counters.sessions_open, 1u);
  EXPECT_EQ(counters.tokens_prefilled, ids_.size());
}

TEST_F(SessionTest, CancelLeavesTheSessionAsItWas) {
  const Session session = NewSession(engine_.get());
  ASSERT_EQ(rondo_session_cancel(session.get()), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_prefill(session.get(), ids_.data(), ids_.size()), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(Position(session.get()), 0u);
  Prefill(session.get());  // once is once
  const Generated out = Generate(session.get(), 10);
  ASSERT_EQ(rondo_session_undo(session.get(), 10), RONDO_STATUS_OK);
  ASSERT_EQ(rondo_session_cancel(session.get()), RONDO_STATUS_OK);
  rondo_event event = {};
  event.struct_size = sizeof event;
  EXPECT_EQ(rondo_session_next(session.get(), &event), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(Position(session.get()), ids_.size());
  EXPECT_EQ(Generate(session.get(), 10).tokens, out.tokens);
}

// It waits for a call that computes; of all others only a reset drops it.
TEST_F(SessionTest, ACancellationWaitsOrIsDropped) {
  const Session session = NewSession(engine_.get());
  Prefill(session.get());
  ASSERT_EQ(rondo_session_cancel(session.get()), RONDO_STATUS_OK);
  ASSERT_EQ(rondo_session_undo(session.get(), 1), RONDO_STATUS_OK);
  ASSERT_EQ(rondo_session_append(session.get(), ids_.data(), 1), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_prefill(session.get(), ids_.data(), 1), RONDO_STATUS_CANCELLED);
  ASSERT_EQ(rondo_session_cancel(session.get()), RONDO_STATUS_OK);
  ASSERT_EQ(rondo_session_reset(session.get()), RONDO_STATUS_OK);
  Prefill(session.get());
}

TEST_F(SessionTest, ClosedByAnotherThreadWhileItRuns) {
  rondo_session* session = NewSession(engine_.get()).release();
  const std::vector<int32_t> many(200, 7);
  struct Stage {
    std::atomic<bool> running{false};
    std::atomic<bool> closed{false};
  } stage;
  std::thread caller([&] {
    const auto row = [](void* user, size_t, const float*, size_t) {
      auto* s = static_cast<Stage*>(user);
      s->running = true;
      while (!s->closed) std::this_thread::yield();
    };
    EXPECT_EQ(rondo_session_prefill_logits(session, many.data(), many.size(), row, &stage),
              RONDO_STATUS_CANCELLED);
  });
  while (!stage.running) std::this_thread::yield();
  rondo_event event = {};
  event.struct_size = sizeof event;
  EXPECT_EQ(rondo_session_next(session, &event), RONDO_STATUS_BUSY);
  rondo_session_close(session);
  stage.closed = true;
  caller.join();
  NewSession(engine_.get());  // its place is free again
}

}  // namespace
}  // namespace rondo::abi_test::generation_test
