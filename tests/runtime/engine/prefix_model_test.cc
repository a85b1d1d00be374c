// Models whose texts begin with a prefix that sees itself whole: what is the prefix, that it has
// the same bits however it is evaluated, and what undo, forks and snapshots make of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "runtime/base/checksum.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/families/golden.h"

namespace rondo::prefix_model_test {
namespace {

using testing::HasSubstr;

std::vector<int32_t> Ids(size_t n, uint32_t seed, uint32_t vocab = 2048) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(n);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % vocab);
  return ids;
}

void HasPrefix(format::ModelT& model) { model.prefix_sees_whole = true; }

TestModel TinyModel(bool has_prefix) {
  convert::ConvertOptions options;
  options.directory = TestData("tiny");
  options.weights = format::TensorFormat::Q8;
  return TestModel(std::move(options), has_prefix ? HasPrefix : nullptr);
}

class Prefix : public testing::Test {
 protected:
  Prefix() : model_(TinyModel(true)) {}

  static EngineOptions Options() {
    EngineOptions options;
    options.max_rows = 40;
    options.max_sessions = 3;
    options.threads = 1;
    return options;
  }
  static std::vector<float> Logits(Session* session) {
    const auto logits = session->Logits();
    EXPECT_TRUE(logits.ok()) << logits.status().message();
    return logits.ok() ? std::vector<float>(logits->begin(), logits->end()) : std::vector<float>();
  }
  static std::vector<float> After(Session* session, std::span<const int32_t> ids) {
    const Status status = session->Prefill(ids);
    EXPECT_TRUE(status.ok()) << status.message();
    return Logits(session);
  }
  static std::vector<uint8_t> Save(Session* session) {
    size_t bytes = 0;
    EXPECT_FALSE(session->Save({}, &bytes).ok());
    std::vector<uint8_t> snapshot(bytes);
    EXPECT_TRUE(session->Save(snapshot, &bytes).ok());
    return snapshot;
  }

  // A snapshot that says so of its prefix.
  static std::vector<uint8_t> WithPrefix(std::vector<uint8_t> snapshot, uint64_t prefix) {
    const size_t end = snapshot.size() - sizeof(uint64_t);
    std::memcpy(&snapshot[end - 2 * sizeof prefix], &prefix, sizeof prefix);
    const uint64_t checksum = Checksum(std::span(snapshot).first(end));
    std::memcpy(&snapshot[end], &checksum, sizeof checksum);
    return snapshot;
  }

  TestModel model_;
  const std::vector<int32_t> prefix_ = Ids(30, 1);
  const std::vector<int32_t> rest_ = Ids(90, 2);
};

// As rows that are the tokens' embeddings and see each other; what follows is causal.
TEST_F(Prefix, SeesItselfWhole) {
  EngineOptions options = Options();
  options.max_input_rows = 30;
  const TestModel causal = TinyModel(false);
  const auto engine = causal.NewEngine(options);
  const std::vector<float> rows = EmbeddingsOf(*engine, prefix_);
  Session* const whole = NewSession(*engine);
  const Session::Piece piece = {{}, {rows.data(), RowFormat::kFloat32, 30, nullptr, true}};
  ASSERT_TRUE(whole->QueuePieces({&piece, 1}).ok());
  const std::vector<float> expected = Logits(whole);
  const std::vector<float> behind = After(whole, rest_);
  EXPECT_NE(After(NewSession(*engine), prefix_), expected);
  for (const uint32_t max_rows : {30u, 31u, 64u, 128u}) {
    for (const uint32_t rows_per_step : {1u, 16u}) {
      EngineOptions other = Options();
      other.max_rows = max_rows;
      other.rows_per_step = rows_per_step;
      other.threads = 1 + max_rows % 2;
      const auto own = model_.NewEngine(other);
      Session* const session = NewSession(*own);
      EXPECT_EQ(After(session, prefix_), expected) << max_rows;
      EXPECT_EQ(After(session, rest_), behind) << max_rows;
    }
  }
}

TEST_F(Prefix, IsWhatWasAppendedBeforeTheFirstPass) {
  const auto engine = model_.NewEngine(Options());
  const std::span all(prefix_);
  const std::vector<float> expected = After(NewSession(*engine), all);
  Session* const queued = NewSession(*engine);
  ASSERT_TRUE(queued->Queue(all.first(10)).ok());
  ASSERT_TRUE(queued->Queue(all.subspan(10, 5)).ok());
  EXPECT_EQ(After(queued, all.subspan(15)), expected);
  Session* const evaluated = NewSession(*engine);
  After(evaluated, all.first(10));
  EXPECT_NE(After(evaluated, all.subspan(10)), expected);
}

TEST_F(Prefix, IsUndoneWhole) {
  const auto engine = model_.NewEngine(Options());
  Session* const session = NewSession(*engine);
  const std::vector<float> expected = After(session, prefix_);
  After(session, rest_);
  EXPECT_THAT(session->Undo(91).message(),
              HasSubstr("the first 30, which see each other, would be cut; the last 90"));
  ASSERT_TRUE(session->Undo(90).ok());
  EXPECT_EQ(Logits(session), expected);
  EXPECT_FALSE(session->Undo(1).ok());
  ASSERT_TRUE(session->Undo(30).ok());
  // What comes now is another prefix.
  EXPECT_EQ(After(session, std::span(rest_).first(35)),
            After(NewSession(*engine), std::span(rest_).first(35)));
  EXPECT_FALSE(session->Undo(1).ok());
}

TEST_F(Prefix, ForksAndSnapshotsGoOnAsItself) {
  const auto engine = model_.NewEngine(Options());
  Session* const session = NewSession(*engine);
  After(session, prefix_);
  Session* const fork = *engine->ForkSession(*session, {});
  const std::vector<uint8_t> snapshot = Save(session);
  const std::vector<float> expected = After(session, rest_);
  EXPECT_EQ(After(fork, rest_), expected);
  EXPECT_FALSE(fork->Undo(91).ok());
  const auto other = model_.NewEngine(Options());
  Session* const restored = NewSession(*other);
  const Status status = restored->Restore(snapshot);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(Save(restored), snapshot);
  EXPECT_EQ(After(restored, rest_), expected);
  EXPECT_FALSE(restored->Undo(91).ok());

  for (const uint64_t wrong : {uint64_t{0}, uint64_t{31}}) {
    const Status corrupt = NewSession(*other)->Restore(WithPrefix(snapshot, wrong));
    EXPECT_EQ(corrupt.code(), StatusCode::kCorrupt);
    EXPECT_THAT(corrupt.message(), HasSubstr("see each other, expected 1 to 30"));
  }

  EngineOptions fewer = Options();
  fewer.max_rows = 29;
  const auto narrow = model_.NewEngine(fewer);
  const Status refused = NewSession(*narrow)->Restore(snapshot);
  EXPECT_EQ(refused.code(), StatusCode::kSnapshotMismatch);
  EXPECT_THAT(refused.message(), HasSubstr("first 30 tokens see each other"));
}

// What waits in a snapshot becomes a prefix, too.
TEST_F(Prefix, ThatWaitsInASnapshotIsOfOnePass) {
  const auto engine = model_.NewEngine(Options());
  Session* const session = NewSession(*engine);
  ASSERT_TRUE(session->Queue(std::span(rest_).first(35)).ok());
  const std::vector<uint8_t> snapshot = Save(session);
  EngineOptions fewer = Options();
  fewer.max_rows = 34;
  const auto narrow = model_.NewEngine(fewer);
  const Status refused = NewSession(*narrow)->Restore(snapshot);
  EXPECT_EQ(refused.code(), StatusCode::kSnapshotMismatch);
  EXPECT_THAT(refused.message(), HasSubstr("first 35 tokens see each other"));
  Session* const restored = NewSession(*engine);
  ASSERT_TRUE(restored->Restore(snapshot).ok());
  EXPECT_EQ(Logits(restored), Logits(session));
}

TEST_F(Prefix, OfASnapshotEndsInsideNoInput) {
  EngineOptions options = Options();
  options.max_input_rows = 20;
  const auto engine = model_.NewEngine(options);
  const std::vector<float> rows = EmbeddingsOf(*engine, std::span(prefix_).first(20));
  Session* const session = NewSession(*engine);
  const std::span ids = std::span(rest_).first(5);
  const Session::Piece pieces[] = {
      {ids}, {{}, {rows.data(), RowFormat::kFloat32, 20, nullptr, true}}, {ids}};
  ASSERT_TRUE(session->QueuePieces(pieces).ok());
  Logits(session);
  const std::vector<uint8_t> snapshot = Save(session);
  EXPECT_TRUE(NewSession(*engine)->Restore(snapshot).ok());
  const Status corrupt = NewSession(*engine)->Restore(WithPrefix(snapshot, 15));
  EXPECT_EQ(corrupt.code(), StatusCode::kCorrupt);
  EXPECT_THAT(corrupt.message(), HasSubstr("first 15 tokens see each other, and end inside"));
}

// A draft model reads row by row: it only proposes.
TEST_F(Prefix, DraftModelsHaveNone) {
  const TestModel causal = TinyModel(false);
  EngineOptions options = Options();
  SessionOptions wants;
  wants.ignore_eos = true;
  const auto plain = causal.NewEngine(options);
  Session* const expected = NewSession(*plain, wants);
  options.draft = {&model_.file(), model_.tokenizer()};
  wants.speculation = Speculation::kDraftModel;
  const auto drafting = causal.NewEngine(options);
  Session* const session = NewSession(*drafting, wants);
  ASSERT_TRUE(expected->Prefill(rest_).ok());
  ASSERT_TRUE(session->Prefill(rest_).ok());  // longer than a pass
  for (int i = 0; i < 12; ++i) {
    const auto event = session->Next(), other = expected->Next();
    ASSERT_TRUE(event.ok()) << event.status().message();
    EXPECT_EQ(event->token, other->token);
  }
}

TEST_F(Prefix, LongerThanAPassItIsRefused) {
  const auto engine = model_.NewEngine(Options());
  Session* const session = NewSession(*engine);
  const std::span all(rest_);
  EXPECT_THAT(session->Prefill(all.first(41)).message(), HasSubstr("max_rows"));
  ASSERT_TRUE(session->Queue(all.first(30)).ok());
  EXPECT_EQ(session->Queue(all.subspan(30, 11)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(session->position(), 30u);
  EXPECT_EQ(After(session, all.subspan(30, 10)), After(NewSession(*engine), all.first(40)));
  EXPECT_TRUE(session->Prefill(all.first(50)).ok());  // it is no prefix
}

// A session that decodes has its rows meanwhile.
TEST_F(Prefix, DoesNotDependOnCompany) {
  EngineOptions options = Options();
  options.rows_per_step = 4;
  const auto engine = model_.NewEngine(options);
  SessionOptions endless;
  endless.ignore_eos = true;
  Session* const alone = NewSession(*engine, endless);
  const std::vector<float> expected = After(alone, prefix_);
  Session* const company = NewSession(*engine, endless);
  After(company, std::span(rest_).first(20));
  Session* const session = NewSession(*engine, endless);
  ASSERT_TRUE(session->Queue(prefix_).ok());
  Session* const both[] = {company, session};
  for (int step = 0; step < 4; ++step) {
    ASSERT_TRUE(Session::Step(engine.get(), both).ok());
    ASSERT_TRUE(company->TakeEvent().ok());
    ASSERT_TRUE(session->TakeEvent().ok());
  }
  ASSERT_GT(session->position(), 30u);
  ASSERT_TRUE(session->Undo(session->position() - 30).ok());
  EXPECT_EQ(Logits(session), expected);
}

TEST_F(Prefix, RowsBehindItSlide) {
  EngineOptions options = Options();
  options.policy = ContextPolicy::kSlide;
  options.context = 128;
  const std::vector<int32_t> longer = Ids(129, 4);
  std::vector<float> expected;
  for (const uint32_t max_rows : {40u, 200u}) {
    options.max_rows = max_rows;
    const auto engine = model_.NewEngine(options);
    Session* const session = NewSession(*engine);
    After(session, prefix_);
    After(session, rest_);
    const std::vector<float> logits = After(session, rest_);
    if (expected.empty()) expected = logits;
    EXPECT_EQ(logits, expected);
    EXPECT_THAT(NewSession(*engine)->Prefill(longer).message(), HasSubstr("max_rows and context"));
  }
}

// Gemma 2 has windows: an undo that leaves their rings runs all again, the prefix in one pass.
TEST(PrefixOfWindows, RunsAgainWhole) {
  const TempFolder folder;
  convert::WriteCheckpoint(folder / "model",
                           convert::ReadGoldens(TestData("families") / "gemma2.json").front());
  convert::ConvertOptions conversion;
  conversion.directory = folder / "model";
  const TestModel model(std::move(conversion), HasPrefix);
  EngineOptions options;
  options.max_rows = 24;
  options.context = 512;
  options.threads = 1;
  const auto engine = model.NewEngine(options);
  const std::vector<int32_t> ids = Ids(400, 3, 40);
  const std::span all(ids);
  const auto after = [&](Session* session, std::span<const int32_t> more) {
    EXPECT_TRUE(session->Prefill(more).ok());
    const auto logits = session->Logits();
    return std::vector<float>(logits->begin(), logits->end());
  };
  Session* const session = NewSession(*engine);
  after(session, all.first(20));
  const std::vector<float> expected = after(session, all.subspan(20, 10));
  after(session, all.subspan(30));
  ASSERT_TRUE(session->Undo(375).ok());
  EXPECT_EQ(session->sequence().evaluated(), 0u);  // else this shows nothing
  EXPECT_EQ(after(session, all.subspan(25, 5)), expected);
}

}  // namespace
}  // namespace rondo::prefix_model_test
