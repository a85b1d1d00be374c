// Damaged snapshots: any byte flipped, any length cut, and fields rewritten at random with a good
// checksum. All must end in a status, and what is refused changes nothing.
#include <random>

#include "tests/runtime/engine/small_snapshot.h"

namespace rondo {
namespace {

constexpr size_t kRounds = 20000;  // of each policy

std::vector<float> LogitsOf(SmallSession& session) {
  const auto logits = session->Logits();
  EXPECT_TRUE(logits.ok());
  return {logits->begin(), logits->end()};
}

TEST(SnapshotFuzz, EveryFlippedByteIsNoticed) {
  SmallSession saved(ContextPolicy::kStop), session(ContextPolicy::kStop);
  saved.Prefill(4);
  session.Prefill(30);
  std::vector<uint8_t> snapshot = saved.Save();
  const std::vector<float> logits = LogitsOf(session);
  for (size_t i = 0; i < snapshot.size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      snapshot[i] = static_cast<uint8_t>(snapshot[i] ^ flip);
      ASSERT_FALSE(RestoreAny(session, snapshot)) << "byte " << i;
      snapshot[i] = static_cast<uint8_t>(snapshot[i] ^ flip);
    }
  }
  EXPECT_EQ(LogitsOf(session), logits);
  session->Undo(1).ok();
  EXPECT_TRUE(session->Restore(snapshot).ok());
  EXPECT_EQ(LogitsOf(session), LogitsOf(saved));
}

TEST(SnapshotFuzz, EveryTruncationIsNoticed) {
  SmallSession saved(ContextPolicy::kSlide), session(ContextPolicy::kSlide);
  saved.Prefill(70);
  session.Prefill(30);
  const std::vector<uint8_t> snapshot = saved.Save();
  const std::vector<float> logits = LogitsOf(session);
  for (size_t size = 0; size < snapshot.size(); ++size) {
    // A copy of its own, so that a read beyond the end is seen by the address sanitizer; sealed,
    // too, so that the checks behind the length are reached.
    std::vector<uint8_t> cut(snapshot.begin(), snapshot.begin() + static_cast<long>(size));
    ASSERT_FALSE(RestoreAny(session, cut)) << size << " bytes";
    Seal(&cut);
    ASSERT_FALSE(RestoreAny(session, cut)) << size << " bytes, sealed";
  }
  std::vector<uint8_t> longer = snapshot;
  longer.push_back(0);
  EXPECT_FALSE(RestoreAny(session, longer));
  Seal(&longer);
  EXPECT_FALSE(RestoreAny(session, longer));
  EXPECT_EQ(LogitsOf(session), logits);
}

// How many of `rounds` rewrites of what `saved` saves were restored.
size_t RestoreNonsense(SmallSession& saved, SmallSession& session, size_t rounds) {
  std::mt19937 random(20);
  size_t restored = 0;
  const std::vector<uint8_t> snapshot = saved.Save();
  for (size_t round = 0; round < rounds; ++round) {
    std::vector<uint8_t> copy = snapshot;
    const size_t within = random() % 3 == 0 ? copy.size() - 8 : sizeof(SnapshotHeader);
    for (uint32_t change = random() % 3; change < 3; ++change) {
      const size_t at = random() % within / 4 * 4;
      switch (random() % 4) {
        case 0:
          copy[at] = static_cast<uint8_t>(random());
          break;
        case 1:
          copy[at] = static_cast<uint8_t>(copy[at] + random() % 3 - 1);
          break;
        case 2:
          std::memset(&copy[at], random() % 2 == 0 ? 0 : 0xff, 1 + random() % 8);
          break;
        default:
          std::memcpy(&copy[at], &copy[random() % within / 4 * 4], 4);
      }
    }
    Seal(&copy);
    restored += RestoreAny(session, copy);
  }
  return restored;
}

TEST(SnapshotFuzz, SealedNonsenseNeverCrashes) {
  for (const ContextPolicy policy : {ContextPolicy::kStop, ContextPolicy::kSlide}) {
    SmallSession saved(policy), session(policy);
    saved.Prefill(policy == ContextPolicy::kStop ? 70 : 300);
    const size_t restored = RestoreNonsense(saved, session, kRounds);
    // Other values of KV and of the generation's counts are as good as any.
    EXPECT_GT(restored, 0u);
    EXPECT_LT(restored, kRounds / 2);
  }
}

// What would give a text's keys and values other numbers than its keys say, or a row no place.
TEST(SnapshotFuzz, InputsThatCannotBeAreRefused) {
  SmallSession saved(ContextPolicy::kStop), session(ContextPolicy::kStop);
  saved.PrefillInputs();
  const std::vector<uint8_t> snapshot = saved.Save();
  const size_t inputs = snapshot.size() - 2 * sizeof(uint64_t) - 2 * sizeof(SnapshotInput);
  const auto refuses = [&](size_t at, const auto& value, size_t and_at, const auto& and_value) {
    std::vector<uint8_t> changed = snapshot;
    std::memcpy(&changed[at], &value, sizeof value);
    std::memcpy(&changed[and_at], &and_value, sizeof and_value);
    Seal(&changed);
    return !RestoreAny(session, changed);
  };
  const size_t first = inputs, second = inputs + sizeof(SnapshotInput);
  const auto first_row = [](size_t input) { return input + offsetof(SnapshotInput, first_row); };
  const auto n_rows = [](size_t input) { return input + offsetof(SnapshotInput, n_rows); };
  const auto rows = [](size_t input) { return input + offsetof(SnapshotInput, rows); };
  const auto advance = [](size_t input) { return input + offsetof(SnapshotInput, advance); };
  ASSERT_FALSE(refuses(rows(first), uint32_t{4}, rows(second), uint32_t{9}));  // as they are
  EXPECT_TRUE(refuses(inputs - sizeof(int64_t), int64_t{1}, rows(first), uint32_t{4}));
  EXPECT_TRUE(refuses(inputs - sizeof(int64_t), int64_t{-1}, rows(first), uint32_t{4}));
  EXPECT_TRUE(refuses(rows(second), uint32_t{30}, first_row(second), uint32_t{21}));
  EXPECT_TRUE(refuses(rows(first), uint32_t{8}, first_row(first), uint32_t{4}));
  EXPECT_TRUE(refuses(n_rows(second), uint64_t{8}, rows(first), uint32_t{4}));
  EXPECT_TRUE(refuses(advance(first), int32_t{0}, rows(first), uint32_t{4}));
  EXPECT_TRUE(refuses(advance(first), int32_t{1}, rows(second), uint32_t{4096}));
}

TEST(SnapshotFuzz, SealedNonsenseOfInputsNeverCrashes) {
  for (const ContextPolicy policy : {ContextPolicy::kStop, ContextPolicy::kSlide}) {
    SmallSession saved(policy), session(policy);
    saved.PrefillInputs();
    const size_t restored = RestoreNonsense(saved, session, kRounds / 4);
    EXPECT_GT(restored, 0u);
    EXPECT_LT(restored, kRounds / 8);
    session->Reset();
    EXPECT_EQ(session.free_input_rows(), 40u);
  }
}

TEST(SnapshotFuzz, SealedNonsenseOfStatesAndLatentVectorsNeverCrashes) {
  for (const ContextPolicy policy : {ContextPolicy::kStop, ContextPolicy::kSlide}) {
    for (const char* model : {"delta", "mamba", "latent"}) {
      SmallSession saved(policy, model), session(policy, model);
      saved.Prefill(policy == ContextPolicy::kStop ? 70 : 300);
      const size_t restored = RestoreNonsense(saved, session, kRounds / 40);
      EXPECT_GT(restored, 0u) << model;
      EXPECT_LT(restored, kRounds / 80) << model;
    }
  }
}

}  // namespace
}  // namespace rondo
