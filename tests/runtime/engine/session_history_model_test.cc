// Whatever happened to a session before, its logits are those of a fresh one that was given the
// same tokens, to the bit.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::session_history_model_test {
namespace {

const TestModel& Tiny() {
  static const TestModel model(TestData("tiny"), format::TensorFormat::Q8);
  return model;
}

// Layers with a state and one with keys and values.
const TestModel& WithStates() {
  static const TempFolder folder;
  static const TestModel model = [] {
    convert::WriteCheckpointOf(folder / "model", R"({"architectures": ["Qwen3_5ForCausalLM"],
        "vocab_size": 2048, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
        "max_position_embeddings": 4096, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
        "linear_key_head_dim": 16, "linear_value_head_dim": 16,
        "layer_types": ["linear_attention", "full_attention", "linear_attention"]})");
    return TestModel(folder / "model", format::TensorFormat::Q8);
  }();
  return model;
}

std::vector<int32_t> Ids(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(n);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % 2048);
  return ids;
}

EngineOptions Options(uint32_t context, ContextPolicy policy, uint32_t max_rows) {
  EngineOptions options;
  options.context = context;
  options.policy = policy;
  options.max_rows = max_rows;
  options.threads = 1;
  return options;
}

// Cancels `session` in the middle of the prefill that it is the sink of.
struct CancelAt {
  Session* session;
  int rows;
  static void Row(CancelAt* self) {
    if (self->rows-- == 0) self->session->Cancel();
  }
};

// A prefill of all `ids` that is cancelled when about so many rows of logits were handed out;
// negative: before it begins.
StatusCode CancelledPrefill(Session* session, const std::vector<int32_t>& ids, int rows) {
  if (rows < 0) {
    session->Cancel();
    return session->Prefill(ids).code();
  }
  CancelAt cancel = {session, rows};
  const LogitsSink sink = {
      [](void* user, auto, std::span<const float>) { CancelAt::Row(static_cast<CancelAt*>(user)); },
      &cancel};
  return session->PrefillLogits(ids, sink).code();
}

void ExpectFresh(Session* session, const std::vector<int32_t>& tokens, const EngineOptions& options,
                 const std::string& what, const TestModel& model = Tiny()) {
  const auto logits = session->Logits();
  ASSERT_TRUE(logits.ok()) << logits.status().message();
  const std::vector<float> actual(logits->begin(), logits->end());
  const auto engine = model.NewEngine(options);
  Session* fresh = NewSession(*engine);
  ASSERT_TRUE(fresh->Prefill(tokens).ok());
  const auto expected = fresh->Logits();
  ASSERT_TRUE(expected.ok());
  ASSERT_EQ(std::memcmp(actual.data(), expected->data(), actual.size() * sizeof(float)), 0) << what;
}

TEST(SessionHistory, UndoAfterACancelledPrefillLongerThanTheRing) {
  const EngineOptions options = Options(512, ContextPolicy::kSlide, 256);
  const auto engine = Tiny().NewEngine(options);
  for (const auto& [first, rows] : {std::pair(250, -1), {250, 700}, {700, 700}}) {
    Session* session = NewSession(*engine);
    std::vector<int32_t> tokens = Ids(static_cast<size_t>(first), 1);
    ASSERT_TRUE(session->Prefill(tokens).ok());
    const std::vector<int32_t> more = Ids(1000, 2);
    ASSERT_EQ(CancelledPrefill(session, more, rows), StatusCode::kCancelled);
    tokens.insert(tokens.end(), more.begin(),
                  more.begin() + static_cast<ptrdiff_t>(session->position() - first));
    for (const uint64_t n : {0u, 50u, 100u, 100u}) {  // max_rows at most in all
      ASSERT_TRUE(session->Undo(n).ok()) << n;
      tokens.resize(tokens.size() - n);
      if (!tokens.empty()) {
        ExpectFresh(session, tokens, options, "undo " + std::to_string(n));
      }
    }
    engine->CloseSession(session);
  }
}

TEST(SessionHistory, UndoIsRefusedBeyondTheTokensThatAreHeld) {
  const EngineOptions options = Options(128, ContextPolicy::kSlide, 256);
  const auto engine = Tiny().NewEngine(options);
  Session* session = NewSession(*engine);
  std::vector<int32_t> tokens = Ids(640, 3);
  ASSERT_TRUE(session->Prefill(tokens).ok());
  for (const int32_t id : Ids(256, 4)) {
    ASSERT_TRUE(session->Accept(id).ok());
    tokens.push_back(id);
  }
  for (const uint64_t n : {551u, 300u}) {
    if (!session->Undo(n).ok()) continue;
    tokens.resize(tokens.size() - n);
    ExpectFresh(session, tokens, options, "undo " + std::to_string(n));
  }
}

// The message says how many tokens can be undone: so many can, and not one more.
TEST(SessionHistory, ARefusedUndoTellsHowManyCanBe) {
  const EngineOptions options = Options(128, ContextPolicy::kSlide, 200);
  const auto engine = Tiny().NewEngine(options);
  Session* session = NewSession(*engine);
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    ASSERT_TRUE(session->Prefill(Ids(1 + random() % 400, random())).ok());
    for (int i = 0; i < 4; ++i) {
      const Status status = session->Undo(session->position() - 1);
      if (status.ok()) break;
      const std::string message = status.message();
      unsigned long long most = 0;
      const size_t at = message.find("the last ");
      ASSERT_NE(at, std::string::npos) << message;
      ASSERT_EQ(std::sscanf(message.c_str() + at, "the last %llu can be undone", &most), 1);
      ASSERT_FALSE(session->Undo(most + 1).ok()) << message;
      ASSERT_TRUE(session->Undo(i == 3 ? most : random() % (most + 1)).ok()) << message;
    }
  }
}

// A longrope model turns all positions anew when undo brings it back to a short context: all in one
// pass, where it takes so many rows.
TEST(SessionHistory, UndoFromALongSequenceToAShortOne) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", R"({"architectures": ["Phi3ForCausalLM"],
      "vocab_size": 97, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
      "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 400,
      "original_max_position_embeddings": 150, "rope_scaling": {"type": "longrope",
      "short_factor": [1, 1, 1, 1], "long_factor": [1, 2, 3, 4]}})");
  const TestModel model(folder / "model", format::TensorFormat::Q8);
  for (const uint32_t max_rows : {7u, 79u, 130u}) {
    const auto engine = model.NewEngine(Options(400, ContextPolicy::kStop, max_rows));
    std::vector<int32_t> ids = Ids(160, 1);
    for (int32_t& id : ids) id %= 97;
    Session* session = NewSession(*engine);
    ASSERT_TRUE(session->Prefill(ids).ok());
    ASSERT_TRUE(session->Undo(81).ok());
    const auto logits = session->Logits();
    ASSERT_TRUE(logits.ok());
    const std::vector<float> actual(logits->begin(), logits->end());
    session->Reset();
    ids.resize(79);
    ASSERT_TRUE(session->Prefill(ids).ok());
    EXPECT_EQ(std::memcmp(actual.data(), session->Logits()->data(), actual.size() * sizeof(float)),
              0)
        << max_rows;
  }
}

// The pool still has the states that the last row replaced, unless others took them.
TEST(SessionHistory, UndoOfADecodedTokenRunsNoRowAgainForStates) {
  for (const ContextPolicy policy : {ContextPolicy::kStop, ContextPolicy::kSlide}) {
    const EngineOptions options = Options(256, policy, 64);
    const auto engine = WithStates().NewEngine(options);
    Session* session = NewSession(*engine);
    std::vector<int32_t> tokens = Ids(100, 1);
    ASSERT_TRUE(session->Prefill(tokens).ok());
    const auto rows_of = [&](const auto& call) {
      const uint64_t before = session->sequence().stats().rows;
      call();
      return session->sequence().stats().rows - before;
    };
    for (const int32_t id : Ids(100, 2)) {
      ASSERT_TRUE(session->Accept(id).ok());
      ASSERT_TRUE(session->Logits().ok());
      tokens.push_back(id);
      const size_t in_block = tokens.size() % kKvBlockTokens;
      if (in_block % 5 != 3) continue;
      // The logits of the last token but one are those of its row; with another behind it.
      ASSERT_TRUE(session->Undo(1).ok());
      EXPECT_EQ(rows_of([&] { ASSERT_TRUE(session->Accept(7).ok() && session->Logits().ok()); }),
                1u);
      tokens.back() = 7;
      ExpectFresh(session, tokens, options, std::to_string(tokens.size()), WithStates());
    }
  }
}

struct Case {
  const TestModel& (*model)();
  ContextPolicy policy;
  uint32_t context;
  uint32_t sink_tokens;
  uint32_t max_rows;
};

class SessionHistory : public testing::TestWithParam<Case> {};

TEST_P(SessionHistory, RandomCallsEqualAFreshSession) {
  const Case& c = GetParam();
  EngineOptions options = Options(c.context, c.policy, c.max_rows);
  options.sink_tokens = c.sink_tokens;
  for (uint32_t seed = 0; seed < 3; ++seed) {
    std::mt19937 random(seed);
    const auto engine = c.model().NewEngine(options);
    Session* session = NewSession(*engine);
    std::vector<int32_t> tokens;
    const auto kept = [&](const std::vector<int32_t>& ids) {
      tokens.insert(tokens.end(), ids.begin(),
                    ids.begin() + static_cast<ptrdiff_t>(session->position() - tokens.size()));
    };
    std::string story;
    uint64_t furthest = 0;  // what undo is promised from
    for (int step = 0; step < 60; ++step) {
      const uint32_t what = random() % 10;
      const size_t most = std::min<uint64_t>(session->remaining(), 2 * c.context);
      const std::vector<int32_t> ids = Ids(1 + random() % (most + 1), random());
      story += " " + std::to_string(what) + ":" + std::to_string(ids.size());
      if (what < 3 && ids.size() <= most) {
        ASSERT_TRUE(session->Prefill(ids).ok());
        kept(ids);
      } else if (what < 5 && ids.size() <= most) {
        const StatusCode code = CancelledPrefill(session, ids, static_cast<int>(random() % 400));
        ASSERT_TRUE(code == StatusCode::kCancelled || code == StatusCode::kOk);
        session->sequence().ForgetCancel();  // one behind the last row waits for the next pass
        kept(ids);
        if (tokens.size() >= std::max<uint64_t>(furthest, c.max_rows)) {  // the promise holds again
          ASSERT_TRUE(session->Undo(c.max_rows).ok()) << story;
          furthest = tokens.size();
          tokens.resize(tokens.size() - c.max_rows);
        }
      } else if (what < 7) {
        for (size_t i = 0; i < std::min<size_t>({ids.size(), most, 300}); ++i) {
          ASSERT_TRUE(session->Accept(ids[i]).ok());
          tokens.push_back(ids[i]);
        }
      } else if (what < 9) {
        const uint64_t n = random() % (2 * c.max_rows);
        const bool possible = session->Undo(n).ok();
        ASSERT_TRUE(possible || n > tokens.size() || tokens.size() - n + c.max_rows < furthest)
            << story;
        if (possible) tokens.resize(tokens.size() - n);
      } else if (random() % 4 == 0) {
        session->Reset();
        tokens.clear();
        furthest = 0;
      }
      furthest = std::max<uint64_t>(furthest, tokens.size());
      ASSERT_EQ(session->position(), tokens.size()) << story;
      if (tokens.empty() || step % 3 != 0) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectFresh(session, tokens, options, story, c.model()));
    }
  }
}

constexpr Case kCases[] = {
    {Tiny, ContextPolicy::kStop, 512, 0, 64},
    {Tiny, ContextPolicy::kSlide, 128, 0, 32},
    {Tiny, ContextPolicy::kSlide, 128, 0, 256},
    {Tiny, ContextPolicy::kSlide, 256, 64, 100},
    {Tiny, ContextPolicy::kSlide, 192, 1, 16},
    {WithStates, ContextPolicy::kStop, 512, 0, 64},
    {WithStates, ContextPolicy::kSlide, 192, 0, 100},
};

INSTANTIATE_TEST_SUITE_P(Policies, SessionHistory, testing::ValuesIn(kCases));

}  // namespace
}  // namespace rondo::session_history_model_test
