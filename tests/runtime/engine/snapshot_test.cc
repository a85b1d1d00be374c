// What a snapshot is refused for, each with its own sentence; and what it is not bound to.
#include "runtime/engine/snapshot.h"

#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "tests/runtime/engine/small_snapshot.h"
#include "tests/support/packed_model.h"

namespace rondo {
namespace {

using testing::HasSubstr;

struct Refusal {
  const char* name;
  std::function<void(SnapshotHeader&)> change;
  StatusCode code;
  const char* sentence;
};

// Each changes one field of a good snapshot of 200 tokens under SLIDE, 128 of context.
const Refusal kRefusals[] = {
    {"version", [](auto& h) { h.version = 4; }, StatusCode::kNewerFormat, "reads up to 3"},
    {"version0", [](auto& h) { h.version = 0; }, StatusCode::kCorrupt, "version 0, expected 1"},
    {"magic", [](auto& h) { h.magic[0] = 'X'; }, StatusCode::kInvalidArgument, "not a snapshot"},
    {"model", [](auto& h) { ++h.model; }, StatusCode::kSnapshotMismatch, "of another model"},
    {"kv_format", [](auto& h) { h.kv_format = 1; }, StatusCode::kSnapshotMismatch,
     "are float32, the engine's int8"},
    {"kv_format4", [](auto& h) { h.kv_format = 4; }, StatusCode::kCorrupt, "expected 0 to 3"},
    {"kv_shape", [](auto& h) { ++h.kv_shape; }, StatusCode::kSnapshotMismatch, "laid out"},
    {"groups", [](auto& h) { ++h.n_groups; }, StatusCode::kSnapshotMismatch, "laid out"},
    {"policy", [](auto& h) { h.context_blocks = 0; }, StatusCode::kSnapshotMismatch,
     "is to stop, the engine's to slide"},
    {"context", [](auto& h) { h.context_blocks = 3; }, StatusCode::kSnapshotMismatch,
     "slides over 3 blocks of 64 tokens, the engine's over 2"},
    {"sinks", [](auto& h) { h.sink_blocks = 1; }, StatusCode::kSnapshotMismatch,
     "keeps 1 first blocks of 64 tokens, the engine 0"},
    {"position", [](auto& h) { h.position = UINT64_MAX; }, StatusCode::kCorrupt, "at most"},
    {"shorter", [](auto& h) { h.position = 100; }, StatusCode::kCorrupt,
     "200 tokens of the snapshot are evaluated, but it has only 100"},
    {"longer", [](auto& h) { h.position = 201; }, StatusCode::kCorrupt,
     "group 0 of the snapshot holds KV blocks from"},
    {"much_longer", [](auto& h) { h.position = h.evaluated = 1 << 20; }, StatusCode::kCorrupt,
     "end inside of its 1048576 tokens"},
    {"waiting", [](auto& h) { h.evaluated = 0, h.position = 5000; }, StatusCode::kCorrupt,
     "5000 tokens of the snapshot wait"},
    {"forgotten", [](auto& h) { h.first_token = 150; }, StatusCode::kCorrupt,
     "from position 150 on, expected 0 or before"},
    {"waiting_and_forgotten",
     [](auto& h) { h.position = 4200, h.evaluated = 100, h.first_token = 101; },
     StatusCode::kCorrupt, "from position 101 on, but those from 100 on wait"},
    {"generated", [](auto& h) { h.generated = 201; }, StatusCode::kCorrupt, "201 generated ones"},
    {"text", [](auto& h) { h.text_begin = 201; }, StatusCode::kCorrupt, "a text from 201 on"},
    {"finished", [](auto& h) { h.finished = 6; }, StatusCode::kCorrupt,
     "reason 6, expected 0 to 5"},
    {"flag", [](auto& h) { h.continues = 2; }, StatusCode::kCorrupt, "a flag of the snapshot is 2"},
    {"long", [](auto& h) { h.is_long ^= 1; }, StatusCode::kCorrupt, "expected those for long ones"},
};

class SnapshotRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(SnapshotRefusal, SaysWhatIsWrong) {
  SmallSession saved(ContextPolicy::kSlide), session(ContextPolicy::kSlide);
  saved.Prefill(200);
  std::vector<uint8_t> snapshot = saved.Save();
  SnapshotHeader header;
  std::memcpy(&header, snapshot.data(), sizeof header);
  GetParam().change(header);
  std::memcpy(snapshot.data(), &header, sizeof header);
  Seal(&snapshot);
  const std::vector<uint8_t> before = session.Save();
  const Status status = session->Restore(snapshot);
  EXPECT_EQ(status.code(), GetParam().code);
  EXPECT_THAT(status.message(), HasSubstr(GetParam().sentence));
  EXPECT_EQ(session.Save(), before);
}

INSTANTIATE_TEST_SUITE_P(Fields, SnapshotRefusal, testing::ValuesIn(kRefusals),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(SnapshotTest, TokensAndNumbersAreChecked) {
  SmallSession saved(ContextPolicy::kSlide), session(ContextPolicy::kSlide);
  saved.Prefill(200);
  const std::vector<uint8_t> good = saved.Save();
  const auto refusal = [&](size_t at, const auto& value) {
    std::vector<uint8_t> bad = good;
    std::memcpy(bad.data() + at, &value, sizeof value);
    Seal(&bad);
    const Status status = session->Restore(bad);
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    return std::string(status.message());
  };
  const size_t tokens = sizeof(SnapshotHeader), groups = tokens + 200 * sizeof(int32_t);
  EXPECT_THAT(refusal(tokens + 8, int32_t{12}),
              HasSubstr("token id 12 at position 2 of the snapshot is out of range"));
  EXPECT_THAT(refusal(tokens, int32_t{-1}), HasSubstr("token id -1 at position 0"));
  // 200 tokens have 4 blocks, of which the next row sees 2 and the ring has 3.
  EXPECT_THAT(refusal(groups, uint64_t{3}), HasSubstr("from 3 on, expected from 0 to 2"));
  EXPECT_THAT(refusal(groups, UINT64_MAX), HasSubstr("expected from 0 to 2"));
  EXPECT_THAT(refusal(groups, uint64_t{2}), HasSubstr("bytes, but it has"));
  // Of 8 int8 of the first key the scale.
  EXPECT_THAT(refusal(groups + 8 + 8, std::numeric_limits<float>::infinity()),
              HasSubstr("a number in KV block 1 of the snapshot, sublayer 0, head 0"));
  // And of the next token, behind the first one's key and value.
  EXPECT_THAT(refusal(groups + 8 + 24 + 8, std::numeric_limits<float>::infinity()),
              HasSubstr("a number in KV block 1 of the snapshot, sublayer 0, head 0"));
}

// 128 tokens of context and the most rows of a pass are 130 blocks.
TEST(SnapshotTest, MoreBlocksThanAnyRingHas) {
  SmallSession saved(ContextPolicy::kSlide), session(ContextPolicy::kSlide);
  saved.Prefill(200);
  std::vector<uint8_t> snapshot = saved.Save();
  SnapshotHeader header;
  std::memcpy(&header, snapshot.data(), sizeof header);
  header.position = header.evaluated = 130 * 64 + 1;
  snapshot.assign(1000000, 0);  // the tokens, and KV blocks from 0 on
  std::memcpy(snapshot.data(), &header, sizeof header);
  Seal(&snapshot);
  const Status status = session->Restore(snapshot);
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(status.message(), HasSubstr("holds 131 KV blocks, expected at most 130"));
}

TEST(SnapshotTest, StatesAreChecked) {
  SmallSession saved(ContextPolicy::kStop, "mamba"), session(ContextPolicy::kStop, "mamba");
  saved.Prefill(100);
  std::vector<uint8_t> snapshot = saved.Save();
  // Behind the tokens and the first blocks of two groups lies the first state.
  const float infinite = -std::numeric_limits<float>::infinity();
  const size_t state = sizeof(SnapshotHeader) + 100 * sizeof(int32_t) + 2 * sizeof(uint64_t);
  std::memcpy(snapshot.data() + state, &infinite, sizeof infinite);
  Seal(&snapshot);
  const std::vector<uint8_t> before = session.Save();
  const Status status = session->Restore(snapshot);
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_THAT(
      status.message(),
      HasSubstr("a number in KV block 0 of the snapshot, sublayer 0, head 0, is not finite"));
  EXPECT_EQ(session.Save(), before);
}

TEST(SnapshotTest, MoreTokensThanTheContextHas) {
  SmallSession saved(ContextPolicy::kStop);
  saved.Prefill(100);
  std::vector<uint8_t> snapshot = saved.Save();
  SnapshotHeader header;
  std::memcpy(&header, snapshot.data(), sizeof header);
  header.position = 129;
  std::memcpy(snapshot.data(), &header, sizeof header);
  Seal(&snapshot);
  const Status status = saved->Restore(snapshot);
  EXPECT_EQ(status.code(), StatusCode::kContextFull);
  EXPECT_THAT(status.message(), HasSubstr("has 129 tokens, the engine's context room for 128"));
}

std::vector<float> Continue(Session* session) {
  std::vector<float> all;
  for (const int32_t id : {1, 5, 3}) {
    EXPECT_TRUE(session->Accept(id).ok());
    const auto logits = session->Logits();
    EXPECT_TRUE(logits.ok());
    all.insert(all.end(), logits->begin(), logits->end());
  }
  return all;
}

// From the portable file to the one packed from it, and back; not to another model.
TEST(SnapshotTest, BelongsToTheModelAndNotToItsPacking) {
  convert::CheckpointShape shape;
  shape.vocab_size = 12;
  const ConvertedModel model(shape, format::TensorFormat::Q8, format::TensorFormat::Q8);
  const ConvertedModel coarser(shape, format::TensorFormat::Q4B, format::TensorFormat::Q8);
  const ModelBytes bytes[] = {model.portable(), model.packed("scalar"), coarser.portable()};
  ModelFile files[3];
  std::unique_ptr<Engine> engines[3];
  Session* sessions[3];
  EngineOptions options;
  options.context = 128;
  options.threads = 1;
  options.kernels = "scalar";
  for (size_t i = 0; i < 3; ++i) {
    files[i] = *ModelFile::Open(bytes[i].bytes());
    engines[i] = std::move(*Engine::Create(files[i], nullptr, options, nullptr, 0));
    sessions[i] = *engines[i]->OpenSession({});
  }
  EXPECT_NE(files[0].model().identity(), 0u);
  EXPECT_EQ(files[0].model().identity(), files[1].model().identity());
  EXPECT_NE(files[0].model().identity(), files[2].model().identity());
  ASSERT_TRUE(sessions[0]->Prefill(std::vector<int32_t>(90, 7)).ok());
  size_t size = 0;
  static_cast<void>(sessions[0]->Save({}, &size));
  std::vector<uint8_t> snapshot(size);
  ASSERT_TRUE(sessions[0]->Save(snapshot, &size).ok());
  ASSERT_TRUE(sessions[1]->Restore(snapshot).ok());
  EXPECT_EQ(Continue(sessions[1]), Continue(sessions[0]));
  EXPECT_EQ(sessions[2]->Restore(snapshot).code(), StatusCode::kSnapshotMismatch);
}

// A name changes nothing; a number of the model does.
TEST(SnapshotTest, TheIdentityIsThatOfWhatIsComputed) {
  convert::CheckpointShape shape;
  shape.vocab_size = 12;
  const auto identity = [](const convert::CheckpointShape& shape) {
    const ConvertedModel model(shape, format::TensorFormat::Q8, format::TensorFormat::Q8);
    const ModelBytes bytes = model.portable();
    return ModelFile::Open(bytes.bytes())->model().identity();
  };
  const uint64_t first = identity(shape);
  EXPECT_EQ(identity(shape), first);
  shape.vocab_size = 13;
  EXPECT_NE(identity(shape), first);
}

// Two sessions of one engine of the small model.
class SnapshotPair : public testing::Test {
 protected:
  void Open(uint64_t kv_tokens) {
    EngineOptions options;
    options.kernels = "scalar";
    options.context = 192;
    options.threads = 1;
    options.max_sessions = 2;
    options.kv_tokens = kv_tokens;
    engine_ = std::move(*Engine::Create(file_, nullptr, options, nullptr, 0));
    a_ = *engine_->OpenSession({});
    b_ = *engine_->OpenSession({});
  }
  static std::vector<uint8_t> Save(const Session* session) {
    size_t size = 0;
    static_cast<void>(session->Save({}, &size));
    std::vector<uint8_t> snapshot(size);
    EXPECT_TRUE(session->Save(snapshot, &size).ok());
    return snapshot;
  }
  static std::vector<int32_t> Ids(size_t n) {
    std::vector<int32_t> ids(n);
    for (size_t i = 0; i < n; ++i) ids[i] = static_cast<int32_t>(i * i % 12);
    return ids;
  }
  static std::vector<float> Logits(Session* session) {
    const auto logits = session->Logits();
    EXPECT_TRUE(logits.ok());
    return {logits->begin(), logits->end()};
  }

  const ModelBytes bytes_ = SmallModel("");
  const ModelFile file_ = *ModelFile::Open(bytes_.bytes());
  std::unique_ptr<Engine> engine_;
  Session* a_ = nullptr;
  Session* b_ = nullptr;
};

TEST_F(SnapshotPair, APoolThatIsFullIsSaidAndNothingHappens) {
  Open(192);  // 3 blocks for both
  ASSERT_TRUE(a_->Prefill(Ids(100)).ok());
  const std::vector<uint8_t> snapshot = Save(a_);
  ASSERT_TRUE(b_->Prefill(std::vector<int32_t>{5, 6}).ok());
  const std::vector<uint8_t> before = Save(b_);
  EXPECT_EQ(b_->Restore(snapshot).code(), StatusCode::kKvPoolFull);
  EXPECT_EQ(Save(b_), before);
  EXPECT_TRUE(a_->Restore(snapshot).ok());  // its own blocks serve
  a_->Reset();
  EXPECT_TRUE(b_->Restore(snapshot).ok());
  EXPECT_EQ(Save(b_), snapshot);
}

// Whoever made a snapshot, other sessions compute what they always would.
TEST_F(SnapshotPair, ThePrefixCacheTakesNothingFromIt) {
  Open(0);
  ASSERT_TRUE(a_->Prefill(Ids(190)).ok());
  const std::vector<float> expected = Logits(a_);
  Open(0);
  ASSERT_TRUE(a_->Prefill(Ids(40)).ok());
  std::vector<uint8_t> other = Save(a_);
  // A position has 8 of the key, its scale, 8 of the value and its scale: other keys.
  for (size_t i = 1; i <= 20; ++i) std::fill_n(other.end() - 8 - 24 * static_cast<long>(i), 8, i);
  Seal(&other);
  Open(0);
  ASSERT_TRUE(b_->Restore(other).ok());
  ASSERT_TRUE(b_->Prefill(std::span<const int32_t>(Ids(190)).subspan(40)).ok());
  EXPECT_NE(Logits(b_), expected);
  ASSERT_TRUE(a_->Prefill(Ids(190)).ok());
  EXPECT_EQ(Logits(a_), expected);
  // A copy of it is no better.
  b_->Reset();
  ASSERT_TRUE(b_->Prefill(Ids(190)).ok());
  EXPECT_EQ(Logits(b_), expected);
  EXPECT_GT(b_->sequence().taken_over(), 0u);
}

}  // namespace
}  // namespace rondo
