// Snapshots through rondo.h: sizes, refusals, and that nothing is prefilled again.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/c_api/tiny_model.h"
#include "tests/temp_folder.h"

namespace rondo::abi_test::snapshot_test {
namespace {

constexpr const char* kPrompt = "Once upon a time";

std::vector<unsigned char> Save(rondo_session* session) {
  size_t bytes = 0;
  EXPECT_EQ(rondo_session_save(session, nullptr, 0, &bytes), RONDO_STATUS_BUFFER_TOO_SMALL);
  std::vector<unsigned char> snapshot(bytes);
  EXPECT_EQ(rondo_session_save(session, snapshot.data(), snapshot.size(), &bytes), RONDO_STATUS_OK)
      << rondo_session_last_error(session);
  EXPECT_EQ(bytes, snapshot.size());
  return snapshot;
}

class SnapshotTest : public testing::Test {
 protected:
  SnapshotTest() {
    EXPECT_EQ(rondo_session_prefill(session_.get(), ids_.data(), ids_.size()), RONDO_STATUS_OK);
    Generate(session_.get(), 20);
  }

  const Model model_ = OpenTiny();
  const Engine engine_ = NewEngine(model_.get());
  const Session session_ = NewSession(engine_.get());
  const std::vector<int32_t> ids_ = Ids(model_.get(), kPrompt);
};

TEST_F(SnapshotTest, TheSizeIsToldAndASmallBufferIsLeftAlone) {
  const std::vector<unsigned char> snapshot = Save(session_.get());
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  ASSERT_EQ(rondo_engine_memory(engine_.get(), &plan), RONDO_STATUS_OK);
  EXPECT_LT(snapshot.size(), (plan.kv_bytes_per_token + 4) * (ids_.size() + 20) + 500);
  std::vector<unsigned char> buffer(snapshot.size(), 0xA5);
  size_t bytes = 0;
  EXPECT_EQ(rondo_session_save(session_.get(), buffer.data(), buffer.size() - 1, &bytes),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(bytes, snapshot.size());
  EXPECT_EQ(buffer, std::vector<unsigned char>(snapshot.size(), 0xA5));
  EXPECT_STRNE(rondo_session_last_error(session_.get()), "");
}

TEST_F(SnapshotTest, GoesOnInAnotherEngineWithoutReadingAgain) {
  const std::vector<unsigned char> snapshot = Save(session_.get());
  const Model model = OpenTiny();
  rondo_engine_options options = EngineOptions();
  options.context = 512;
  options.max_rows = 32;
  const Engine engine = NewEngine(model.get(), options);
  const Session session = NewSession(engine.get());
  // Of any alignment.
  std::vector<unsigned char> moved(snapshot.size() + 1);
  std::copy(snapshot.begin(), snapshot.end(), moved.begin() + 1);
  ASSERT_EQ(rondo_session_restore(session.get(), moved.data() + 1, snapshot.size()),
            RONDO_STATUS_OK)
      << rondo_session_last_error(session.get());
  rondo_engine_counters counters = {};
  counters.struct_size = sizeof counters;
  ASSERT_EQ(rondo_engine_stats(engine.get(), &counters), RONDO_STATUS_OK);
  EXPECT_EQ(counters.tokens_prefilled, 0u);
  const Generated expected = Generate(session_.get(), 30), actual = Generate(session.get(), 30);
  EXPECT_EQ(actual.tokens, expected.tokens);
  EXPECT_EQ(actual.text, expected.text);
  EXPECT_FALSE(actual.text.empty());
}

TEST_F(SnapshotTest, TheTokensAreTold) {
  const Session session = NewSession(NewEngine(model_.get()).get());
  const std::vector<unsigned char> snapshot = Save(session_.get());
  ASSERT_EQ(rondo_session_restore(session.get(), snapshot.data(), snapshot.size()),
            RONDO_STATUS_OK);
  uint64_t begin = 99, position = 0;
  size_t count = 0;
  std::vector<int32_t> ids(256, -1);
  ASSERT_EQ(rondo_session_position(session.get(), &position), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_tokens(session.get(), &begin, nullptr, 0, &count),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(begin, 0u);
  EXPECT_EQ(count, position);
  EXPECT_EQ(rondo_session_tokens(session.get(), &begin, ids.data(), 3, &count),
            RONDO_STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(ids[2], ids_[2]);
  EXPECT_EQ(ids[3], -1);
  EXPECT_EQ(rondo_session_tokens(session.get(), &begin, ids.data(), ids.size(), &count),
            RONDO_STATUS_OK);
  EXPECT_EQ(count, position);
  EXPECT_TRUE(std::equal(ids_.begin(), ids_.end(), ids.begin()));
}

TEST_F(SnapshotTest, OtherOptionsAreRefusedAndTheSessionGoesOn) {
  std::vector<unsigned char> snapshot = Save(session_.get());
  rondo_engine_options slide = EngineOptions(), floats = EngineOptions(), small = EngineOptions();
  slide.context_policy = RONDO_POLICY_SLIDE;
  floats.kv_format = RONDO_KV_FLOAT32;
  small.context = 16;
  const auto restore = [&](const rondo_engine_options& options) {
    const Engine engine = NewEngine(model_.get(), options);
    const Session session = NewSession(engine.get());
    EXPECT_EQ(rondo_session_prefill(session.get(), ids_.data(), 3), RONDO_STATUS_OK);
    const std::vector<unsigned char> before = Save(session.get());
    const int32_t status = rondo_session_restore(session.get(), snapshot.data(), snapshot.size());
    EXPECT_EQ(Save(session.get()), before);
    EXPECT_STRNE(rondo_session_last_error(session.get()), "");
    return status;
  };
  EXPECT_EQ(restore(slide), RONDO_STATUS_SNAPSHOT_MISMATCH);
  EXPECT_EQ(restore(floats), RONDO_STATUS_SNAPSHOT_MISMATCH);
  EXPECT_EQ(restore(small), RONDO_STATUS_CONTEXT_FULL);
  snapshot.pop_back();
  EXPECT_EQ(restore(EngineOptions()), RONDO_STATUS_CORRUPT);
  snapshot[0] = 'X';
  EXPECT_EQ(restore(EngineOptions()), RONDO_STATUS_INVALID_ARGUMENT);
}

// A cancellation that was asked for is neither saved nor forgotten.
TEST_F(SnapshotTest, CancelledSessions) {
  const float* logits = nullptr;
  size_t count = 0;
  ASSERT_EQ(rondo_session_cancel(session_.get()), RONDO_STATUS_OK);
  const std::vector<unsigned char> snapshot = Save(session_.get());
  const Session other = NewSession(NewEngine(model_.get()).get());
  ASSERT_EQ(rondo_session_restore(other.get(), snapshot.data(), snapshot.size()), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_logits(other.get(), &logits, &count), RONDO_STATUS_OK);
  ASSERT_EQ(rondo_session_restore(session_.get(), snapshot.data(), snapshot.size()),
            RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_logits(session_.get(), &logits, &count), RONDO_STATUS_CANCELLED);
  EXPECT_EQ(rondo_session_logits(session_.get(), &logits, &count), RONDO_STATUS_OK);
}

TEST_F(SnapshotTest, BusyInsideOfACall) {
  struct Seen {
    rondo_session* session;
    int32_t statuses[3];
  } seen = {session_.get(), {}};
  const auto row = [](void* user, size_t, const float*, size_t) {
    auto* s = static_cast<Seen*>(user);
    uint64_t begin = 1;
    size_t n = 1;
    s->statuses[0] = rondo_session_save(s->session, nullptr, 0, &n);
    s->statuses[1] = rondo_session_restore(s->session, "RNDOSNAP", 8);
    s->statuses[2] = rondo_session_tokens(s->session, &begin, nullptr, 0, &n);
  };
  ASSERT_EQ(rondo_session_prefill_logits(session_.get(), ids_.data(), 1, row, &seen),
            RONDO_STATUS_OK);
  for (const int32_t status : seen.statuses) EXPECT_EQ(status, RONDO_STATUS_BUSY);
}

// The example says the same in two runs of an engine as in one.
TEST(SnapshotExample, GoesOnWhereItStood) {
  const TempFolder folder;
  const std::string file = (folder.path() / "story.snapshot").string();
  const auto run = [&](const std::string& prompt) {
    const std::string command = std::string("'") + RONDO_EXAMPLE_SNAPSHOT + "' '" +
                                TinyModelPath() + "' '" + file + "' '" + prompt + "'";
    FILE* out = popen(command.c_str(), "r");
    std::string text;
    char buffer[256];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, out)) > 0;) text.append(buffer, n);
    EXPECT_EQ(pclose(out), 0) << command;
    return text;
  };
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get());
  rondo_session_options options = SessionOptions();
  options.max_tokens = 64;
  const Session session = NewSession(engine.get(), options);
  const std::vector<int32_t> ids = Ids(model.get(), kPrompt);
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  EXPECT_EQ(run(kPrompt), Generate(session.get()).text);
}

}  // namespace
}  // namespace rondo::abi_test::snapshot_test
