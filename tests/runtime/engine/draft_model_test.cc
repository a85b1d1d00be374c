// A draft model beside the model: what it takes, what is refused, and that it changes no token.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo {
namespace {

using testing::HasSubstr;

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class DraftModelTest : public testing::Test {
 protected:
  // Random weights for `rows` tokens, with the tiny model's tokenizer; of it `from` becomes `to`.
  TestModel Model(const std::string& name, uint32_t rows, const std::string& from = "",
                  const std::string& to = "") {
    const std::filesystem::path folder = folder_ / name;
    convert::WriteCheckpointOf(folder, R"({"architectures": ["LlamaForCausalLM"],
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 400,
        "eos_token_id": 1, "vocab_size": )" +
                                           std::to_string(rows) + "}");
    std::string tokenizer = ReadText(TestData("tiny") / "tokenizer.json");
    for (size_t at = 0; !from.empty() && (at = tokenizer.find(from, at)) != std::string::npos;) {
      tokenizer.replace(at, from.size(), to);
    }
    std::ofstream(folder / "tokenizer.json", std::ios::binary) << tokenizer;
    return TestModel(folder, format::TensorFormat::Q8);
  }

  static EngineOptions Drafting(const TestModel& draft) {
    EngineOptions options;
    options.context = 300;
    options.max_sessions = 2;
    options.draft = {&draft.file(), draft.tokenizer()};
    return options;
  }

  static std::string Refusal(const TestModel& model, const EngineOptions& options) {
    const auto plan = PlanEngine(model.file(), model.tokenizer(), options);
    if (plan.ok()) return "";
    EXPECT_EQ(plan.status().code(), StatusCode::kInvalidArgument);
    return plan.status().message();
  }

  static std::vector<int32_t> Generate(const TestModel& model, const EngineOptions& options,
                                       float temperature, uint64_t* proposed) {
    const auto engine = model.NewEngine(options);
    SessionOptions session_options;
    session_options.sampler.temperature = temperature;
    session_options.sampler.seed = 3;
    session_options.ignore_eos = true;
    if (options.draft.file != nullptr) session_options.speculation = Speculation::kDraftModel;
    Session* const session = NewSession(*engine, session_options);
    EXPECT_TRUE(session->Prefill(std::vector<int32_t>{5, 6, 7}).ok());
    std::vector<int32_t> tokens;
    while (tokens.size() < 200) tokens.push_back(session->Next()->token);
    *proposed = engine->stats().drafts_proposed;
    return tokens;
  }

  const TempFolder folder_;
};

TEST_F(DraftModelTest, OfAnotherVocabularyIsRefusedByItsToken) {
  const TestModel model = Model("model", 2048);
  EXPECT_EQ(Refusal(model, Drafting(Model("same", 2048))), "");
  EXPECT_THAT(Refusal(model, Drafting(Model("other", 2048, "<|pad|>", "<|fad|>"))),
              HasSubstr("the draft model's token 2 is \"<|fad|>\", the model's \"<|pad|>\""));
}

TEST_F(DraftModelTest, WithoutATokenizerTheSizesAreCompared) {
  const auto untold = [&](uint32_t rows) {
    const std::filesystem::path folder = folder_ / ("untold" + std::to_string(rows));
    convert::WriteCheckpointOf(folder, R"({"architectures": ["LlamaForCausalLM"],
        "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 400,
        "vocab_size": )" + std::to_string(rows) +
                                           "}");
    return TestModel(folder, format::TensorFormat::Q8);
  };
  const TestModel model = untold(97);
  EXPECT_EQ(Refusal(model, Drafting(untold(97))), "");
  EXPECT_THAT(Refusal(model, Drafting(untold(98))), HasSubstr("a vocabulary of 98 tokens"));
  EXPECT_THAT(Refusal(model, Drafting(Model("told", 2048))), HasSubstr("a tokenizer"));
}

TEST_F(DraftModelTest, IsInThePlanAndSharesActivations) {
  const TestModel model = Model("model", 2048), draft = Model("draft", 2048);
  EngineOptions options = Drafting(draft);
  const auto both = PlanEngine(model.file(), model.tokenizer(), options);
  options.draft = {};
  const auto alone = PlanEngine(model.file(), model.tokenizer(), options);
  ASSERT_TRUE(both.ok() && alone.ok());
  for (const Segment segment : {Segment::kWeights, Segment::kKvPool, Segment::kSessions}) {
    EXPECT_GT(both->memory.segment_bytes(segment), alone->memory.segment_bytes(segment));
  }
  // Passes of the two never run at the same time.
  EXPECT_EQ(both->memory.segment_bytes(Segment::kActivations),
            alone->memory.segment_bytes(Segment::kActivations));
  size_t regions = 0;
  for (MemoryPlan::RegionId id = 0; id < both->memory.size(); ++id) {
    regions += std::string_view(both->memory.region(id).name).starts_with("draft: ");
  }
  EXPECT_GT(regions, 10u);
}

// Of fewer tokens, as where tables are padded to round sizes, or of more.
TEST_F(DraftModelTest, OfAnotherSizeChangesNoToken) {
  const TestModel model = Model("model", 2048);
  for (const float temperature : {0.0f, 1.3f}) {
    uint64_t proposed = 0;
    EngineOptions options;
    options.context = 300;
    const std::vector<int32_t> plain = Generate(model, options, temperature, &proposed);
    EXPECT_EQ(proposed, 0u);
    for (const uint32_t rows : {2000, 2048, 2100}) {
      const TestModel draft = Model("draft", rows);
      EXPECT_EQ(Generate(model, Drafting(draft), temperature, &proposed), plain) << rows;
      EXPECT_GT(proposed, 0u);
    }
  }
}

TEST_F(DraftModelTest, DraftsOfTheModelItselfAreRight) {
  const TestModel model = Model("model", 2048);
  const auto engine = model.NewEngine(Drafting(model));
  SessionOptions options;
  options.sampler.temperature = 1.0f;
  options.ignore_eos = true;
  options.speculation = Speculation::kDraftModel;
  Session* const session = NewSession(*engine, options);
  ASSERT_TRUE(session->Prefill(std::vector<int32_t>{5, 6, 7}).ok());
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(session->Next().ok());
  // What is ready, but was not handed out, is not counted yet.
  EXPECT_GT(engine->stats().drafts_proposed, 0u);
  EXPECT_GE(engine->stats().drafts_accepted + 7, engine->stats().drafts_proposed);
}

TEST_F(DraftModelTest, WithoutOneNobodyDrafts) {
  const TestModel model = Model("model", 2048);
  EngineOptions options;
  options.context = 100;
  const auto engine = model.NewEngine(options);
  SessionOptions session_options;
  session_options.speculation = Speculation::kDraftModel;
  const auto session = engine->OpenSession(session_options);
  ASSERT_FALSE(session.ok());
  EXPECT_THAT(session.status().message(), HasSubstr("the engine has no draft model"));
}

// Others wait for one pass of the draft model, however long the text is that is new to it.
TEST_F(DraftModelTest, ReadsALongTextPassByPass) {
  const TestModel model = Model("model", 2048);
  EngineOptions options = Drafting(model);
  options.max_rows = 16;
  const auto engine = model.NewEngine(options);
  SessionOptions session_options;
  session_options.ignore_eos = true;
  Session* const other = NewSession(*engine, session_options);
  session_options.speculation = Speculation::kDraftModel;
  Session* const drafts = NewSession(*engine, session_options);
  ASSERT_TRUE(other->Prefill(std::vector<int32_t>{5, 6, 7}).ok());
  ASSERT_TRUE(drafts->Prefill(std::vector<int32_t>(200, 5)).ok());
  ASSERT_TRUE(drafts->Next().ok());  // by the logits that are there
  const BlockPool& pool = engine->draft().pool;
  const size_t free_blocks = pool.free_blocks(0);
  size_t tokens = 0;
  for (size_t step = 0; step < 30; ++step) {
    ASSERT_TRUE(Session::Step(engine.get(), std::array{other, drafts}).ok());
    EXPECT_GE(other->TakeEvent()->token, 0);
    const uint64_t before = engine->stats().drafts_proposed;
    while (drafts->TakeEvent()->token >= 0) ++tokens;
    const size_t read = 16 * (step + 1);
    if (read < 200) {
      EXPECT_LE(free_blocks - pool.free_blocks(0), (read + 63) / 64) << step;
      EXPECT_EQ(before, 0u) << step;
    }
  }
  EXPECT_GE(tokens, 30u);
  EXPECT_GT(engine->stats().drafts_proposed, 0u);
}

// Also in the middle of the draft model's pass, within a slice of it.
TEST_F(DraftModelTest, WhoIsCancelledLeavesItsPasses) {
  struct Canceller {
    Session* session = nullptr;
    size_t calls = 0;

    static void ParallelFor(void* self, size_t count, void (*task)(void*, size_t), void* context) {
      auto* const canceller = static_cast<Canceller*>(self);
      if (canceller->session != nullptr && canceller->calls-- == 0) {
        canceller->session->Cancel();
        canceller->session = nullptr;
      }
      for (size_t i = 0; i < count; ++i) task(context, i);
    }
  } canceller;
  const TestModel model = Model("model", 2048);
  EngineOptions options = Drafting(model);
  options.max_rows = 16;
  options.threads = 2;
  options.host_pool = {Canceller::ParallelFor, &canceller};
  const auto engine = model.NewEngine(options);
  const size_t free_blocks = engine->draft().pool.free_blocks(0);
  SessionOptions session_options;
  session_options.ignore_eos = true;
  session_options.speculation = Speculation::kDraftModel;
  std::vector<int32_t> expected;
  for (size_t calls = 0; calls < 60; calls += 1 + calls / 8) {
    Session* const session = NewSession(*engine, session_options);
    ASSERT_TRUE(session->Prefill(std::vector<int32_t>(100, 5)).ok());
    std::vector<int32_t> tokens = {session->Next()->token};
    canceller = {calls == 0 ? nullptr : session, calls};
    const Result<TokenEvent> event = session->Next();
    EXPECT_TRUE(event.ok() || event.status().code() == StatusCode::kCancelled);
    if (event.ok()) tokens.push_back(event->token);
    canceller.session = nullptr;
    session->cancellation().ForgetAll();
    while (tokens.size() < 20) {
      const Result<TokenEvent> next = session->Next();
      ASSERT_TRUE(next.ok()) << next.status().message();
      tokens.push_back(next->token);
    }
    if (expected.empty()) expected = tokens;
    EXPECT_EQ(tokens, expected) << calls;
    engine->CloseSession(session);
    EXPECT_EQ(engine->draft().pool.free_blocks(0), free_blocks);
  }
}

TEST_F(DraftModelTest, GivesItsBlocksBack) {
  const TestModel model = Model("model", 2048), draft = Model("draft", 2048);
  const auto engine = model.NewEngine(Drafting(draft));
  const uint64_t free = engine->draft().pool.free_blocks(0);
  SessionOptions options;
  options.ignore_eos = true;
  options.speculation = Speculation::kDraftModel;
  Session* const session = NewSession(*engine, options);
  ASSERT_TRUE(session->Prefill(std::vector<int32_t>(100, 9)).ok());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(session->Next().ok());
  EXPECT_LT(engine->draft().pool.free_blocks(0), free);
  const auto fork = engine->ForkSession(*session, options);
  ASSERT_TRUE(fork.ok());
  for (int i = 0; i < 20; ++i) ASSERT_EQ((*fork)->Next()->token, session->Next()->token);
  engine->CloseSession(*fork);
  session->Reset();
  EXPECT_EQ(engine->draft().pool.free_blocks(0), free);
}

}  // namespace
}  // namespace rondo
