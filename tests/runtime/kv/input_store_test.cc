// The rows of an engine's inputs, and a history that has some of them among tokens.
#include "runtime/kv/input_store.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "runtime/kv/key_history.h"

namespace rondo::input_store_test {
namespace {

constexpr size_t kWidth = 3;

class InputStoreTest : public testing::Test {
 protected:
  explicit InputStoreTest(size_t max_rows = 20, size_t further = 0) {
    const InputStore::Plan plan =
        InputStore::Plan::Make(max_rows, kWidth, further, false, &memory_);
    EXPECT_TRUE(memory_.Layout().ok());
    arena_.resize(memory_.arena_bytes() / sizeof(uint64_t) + 8);
    auto* arena = reinterpret_cast<uint8_t*>(arena_.data());
    store_.Bind(plan, memory_, arena + (64 - reinterpret_cast<uintptr_t>(arena) % 64) % 64);
  }

  static std::vector<float> Rows(size_t n, float first) {
    std::vector<float> rows(n * kWidth);
    for (float& value : rows) value = first++;
    return rows;
  }
  Result<uint32_t> Add(const std::vector<float>& rows, const int32_t* coordinates = nullptr,
                       bool sees_whole = false) {
    return store_.Add(
        {rows.data(), RowFormat::kFloat32, rows.size() / kWidth, coordinates, sees_whole});
  }
  KeyHistory NewHistory(size_t size, size_t side_by_side = 0) {
    keys_.push_back(std::make_unique<std::vector<InputKey>>(size + side_by_side));
    shifts_.push_back(std::make_unique<std::vector<int64_t>>(size + side_by_side));
    return KeyHistory({*keys_.back(), *shifts_.back(), side_by_side, &store_});
  }

  MemoryPlan memory_;
  std::vector<uint64_t> arena_;
  InputStore store_;
  std::vector<std::unique_ptr<std::vector<InputKey>>> keys_;
  std::vector<std::unique_ptr<std::vector<int64_t>>> shifts_;
};

TEST_F(InputStoreTest, EqualInputsAreOneAndRoomComesBack) {
  const uint32_t a = *Add(Rows(4, 0)), b = *Add(Rows(5, 0)), same = *Add(Rows(4, 0));
  EXPECT_EQ(a, same);
  EXPECT_NE(a, b);
  EXPECT_EQ(store_.free_rows(), 11u);
  for (uint32_t row = 0, before = InputStore::kNowhere; row < 5; ++row) {
    const uint32_t place = store_.PlaceOf(InputKey(b, row));
    EXPECT_EQ(store_.PlaceOf(InputKey(b, row), before), place);
    EXPECT_EQ(store_.Values(place)[1], static_cast<float>(row * kWidth + 1));
    EXPECT_EQ(store_.Coordinates(place)[2], static_cast<int32_t>(row));
    before = place;
  }
  const Status full = Add(Rows(12, 7)).status();
  EXPECT_EQ(full.code(), StatusCode::kKvPoolFull);
  EXPECT_NE(std::string(full.message()).find("20 that are planned"), std::string::npos)
      << full.message();
  const uint32_t c = *Add(Rows(10, 7));
  EXPECT_EQ(*Add(Rows(5, 0)), b);  // for which there is no room but its own
  store_.Release(c);
  store_.Release(a);
  EXPECT_EQ(store_.free_rows(), 11u);  // held once more
  store_.Release(a);
  EXPECT_EQ(store_.free_rows(), 15u);
  EXPECT_TRUE(Add(Rows(15, 7)).ok());  // in two pieces
  EXPECT_EQ(store_.free_rows(), 0u);
}

class FurtherRowsTest : public InputStoreTest {
 protected:
  FurtherRowsTest() : InputStoreTest(2, 2) {}
};

TEST_F(FurtherRowsTest, LieBehindRowsThatAreMadeAndAreZerosOfOthers) {
  const int32_t coordinates[kCoordinates] = {};
  const uint32_t input = *store_.Find({Digest{1}, 2, 2, false, false});
  const uint32_t first = *store_.TakeRows(2);
  for (size_t which : {1, 2, 0}) {
    uint32_t place = first;
    for (float row : {10.0f, 20.0f}) {
      place = store_.Put(place, Rows(1, row + 100 * static_cast<float>(which)), coordinates, which);
    }
  }
  store_.Fill(input, first);
  const uint32_t second = store_.PlaceOf(InputKey(input, 1));
  EXPECT_EQ(store_.Values(second)[0], 20);
  EXPECT_EQ(store_.Further(second, 0)[2], 122);
  EXPECT_EQ(store_.Further(second, 1)[0], 220);
  EXPECT_EQ(store_.Further(first, 1)[0], 210);
  store_.Release(input);
  const uint32_t given = *Add(Rows(2, 1));
  for (uint32_t row : {0, 1}) {
    for (size_t i : {0, 1}) {
      for (const float value : store_.Further(store_.PlaceOf(InputKey(given, row)), i)) {
        EXPECT_EQ(value, 0);
      }
    }
  }
}

TEST_F(InputStoreTest, WhatRowsAreIsPartOfTheDigest) {
  const int32_t plain[] = {0, 0, 0, 1, 1, 1}, other[] = {0, 0, 0, 1, 2, 1};
  const uint32_t a = *Add(Rows(2, 0));
  EXPECT_EQ(*Add(Rows(2, 0), plain), a);
  const uint32_t b = *Add(Rows(2, 0), other), c = *Add(Rows(2, 0), nullptr, true);
  EXPECT_NE(b, a);
  EXPECT_NE(c, a);
  EXPECT_EQ(store_.facts(a).advance, 2);
  EXPECT_EQ(store_.facts(b).advance, 3);
}

TEST_F(InputStoreTest, ReadsBfloat16WithoutAlignment) {
  std::vector<uint8_t> bytes(1 + 2 * kWidth * sizeof(uint16_t));
  for (size_t i = 0; i < 2 * kWidth; ++i) bytes[1 + 2 * i + 1] = 0x40;  // 2.0
  const uint32_t a = *store_.Add({bytes.data() + 1, RowFormat::kBfloat16, 2, nullptr, false});
  EXPECT_EQ(*Add(std::vector<float>(2 * kWidth, 2.0f)), a);
}

TEST_F(InputStoreTest, RefusesNumbersThatAreNone) {
  std::vector<float> rows = Rows(2, 0);
  rows[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_STREQ(Add(rows).status().message(), "value 1 of row 1 is not a finite number");
  const int32_t coordinates[] = {0, 0, 0, 1, -1, 1};
  EXPECT_STREQ(Add(Rows(2, 0), coordinates).status().message(),
               "coordinate 1 of row 1 is -1, but must be 0 to 16777215");
  EXPECT_EQ(store_.free_rows(), 20u);
}

TEST_F(InputStoreTest, OneWhoseRowsAreGoneIsKnownByItsDigest) {
  const uint32_t a = *Add(Rows(4, 0));
  const InputFacts facts = store_.facts(a);
  EXPECT_EQ(*store_.Find(facts), a);
  EXPECT_FALSE(store_.IsGone(a));
  store_.Release(a);
  store_.Release(a);
  const uint32_t gone = *store_.Find(facts);
  EXPECT_TRUE(store_.IsGone(gone));
  EXPECT_EQ(*store_.Find(facts), gone);
  EXPECT_EQ(store_.free_rows(), 20u);
  InputFacts longer = facts;
  longer.rows = 5;
  const uint32_t other = *store_.Find(longer);
  EXPECT_NE(other, gone);
  // Whoever has its rows brings them back for all.
  EXPECT_EQ(*Add(Rows(4, 0)), gone);
  EXPECT_FALSE(store_.IsGone(gone));
  EXPECT_EQ(store_.Values(store_.PlaceOf(InputKey(gone, 3)))[0], 9);
  for (int i = 0; i < 3; ++i) store_.Release(gone);
  EXPECT_EQ(store_.free_rows(), 20u);
  // A digest whose facts are made up stays without rows, and takes none from whoever has it.
  EXPECT_NE(*Add(Rows(4, 0)), other);
  EXPECT_TRUE(store_.IsGone(other));
  store_.Release(other);
  EXPECT_EQ(store_.free_rows(), 16u);
}

// Against vectors: what is held is what the histories have, and shifts are those of the keys
// before.
TEST_F(InputStoreTest, HistoriesHoldWhatTheyHave) {
  constexpr size_t kSize = 37, kSideBySide = 9;
  std::mt19937 random(3);
  struct Position {
    int32_t token;
    size_t kind;  // of the input
    uint32_t row;
    int64_t shift;
  };
  struct Kind {
    std::vector<float> rows;
    std::vector<int32_t> coordinates;
    int64_t advance;
  };
  std::vector<Kind> kinds;
  for (size_t n : {1u, 3u, 4u}) {
    Kind kind = {Rows(n, static_cast<float>(100 * n)), {}, 1};
    for (size_t i = 0; i < n * kCoordinates; ++i) {
      kind.coordinates.push_back(static_cast<int32_t>(random() % 6));
      kind.advance = std::max<int64_t>(kind.advance, kind.coordinates.back() + 1);
    }
    kinds.push_back(kind);
  }
  KeyHistory history = NewHistory(kSize, kSideBySide), copy = NewHistory(kSize, kSideBySide);
  std::vector<Position> all;
  int64_t shift = 0;
  uint64_t lost = 0;
  for (int step = 0; step < 3000; ++step) {
    const uint32_t what = random() % 4;
    if (what == 0) {
      const uint64_t end = all.size() - random() % (all.size() + 1) / 8;
      if (end == 0 || end > lost) {
        history.Truncate(end);
        const bool all_are_left = end == all.size();
        all.resize(end);
        lost = std::min(lost, end);
        if (all.empty()) {
          shift = 0;
        } else if (!all_are_left) {
          const Position& last = all.back();
          shift = last.shift;
          if (last.token < 0 && last.row + 1 == kinds[last.kind].rows.size() / kWidth) {
            shift += kinds[last.kind].advance - static_cast<int64_t>(last.row + 1);
          }
        }
      }
    } else if (what == 1) {
      const size_t kind = random() % kinds.size();
      const auto n = static_cast<uint32_t>(kinds[kind].rows.size() / kWidth);
      const Result<uint32_t> input = Add(kinds[kind].rows, kinds[kind].coordinates.data());
      ASSERT_TRUE(input.ok()) << input.status().message();
      history.AppendInput(*input, 0, n);
      store_.Release(*input);
      for (uint32_t row = 0; row < n; ++row) all.push_back({-1, kind, row, shift});
      shift += kinds[kind].advance - n;
    } else {
      const auto token = static_cast<int32_t>(random() % 1000);
      history.Append(std::span(&token, 1));
      all.push_back({token, 0, 0, shift});
    }
    lost = std::max<uint64_t>(lost, all.size() - std::min<uint64_t>(all.size(), kSize));
    if (random() % 3 == 0) copy.CopyFrom(history);
    ASSERT_EQ(history.begin(), lost);
    ASSERT_EQ(history.end(), all.size());
    ASSERT_EQ(history.shift(history.end()), shift);
    uint64_t n_rows = 0;
    for (uint64_t p = history.begin(); p < history.end(); ++p) {
      ASSERT_EQ(history[p], all[p].token);
      ASSERT_EQ(history.shift(p), all[p].shift) << p;
      if (all[p].token >= 0) continue;
      ++n_rows;
      ASSERT_EQ(history.key(p).row(), all[p].row);
      ASSERT_EQ(store_.Values(store_.PlaceOf(history.key(p)))[0],
                kinds[all[p].kind].rows[all[p].row * kWidth]);
    }
    ASSERT_EQ(history.n_rows(), n_rows);
    if (history.end() > history.begin()) {
      const uint64_t from = history.begin() + random() % (history.end() - history.begin());
      const size_t n = std::min<uint64_t>(kSideBySide, history.end() - from);
      const std::span<const InputKey> run = history.Run(from, n);
      ASSERT_EQ(run.size(), n);
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(run[i], history.key(from + i));
    }
  }
  history.Restart(5);
  copy.Truncate(0);
  EXPECT_EQ(store_.free_rows(), 20u);
}

}  // namespace
}  // namespace rondo::input_store_test
