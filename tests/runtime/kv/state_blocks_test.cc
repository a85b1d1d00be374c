// Blocks that hold states: a pass reads the state before it and writes those behind its blocks;
// what is held afterwards, and what is not, is held against a plain account.
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "runtime/kv/block_table.h"
#include "tests/support/test_cache.h"

namespace rondo::state_blocks_test {
namespace {

// A state is the number of positions that went into it, times the text's number; what a row puts
// into it that of a position.
class Text {
 public:
  Text(TestCache* cache, float number) : table_(cache->NewTable()), number_(number) {}

  // Drops the last `dropped` rows, where all lie in one block and these are kept behind the state.
  void Pass(uint64_t end, bool commit, uint64_t dropped) {
    const uint64_t begin = end_;
    can_take_back_ = false;
    ASSERT_TRUE(table_.Prepare(begin, end));
    ASSERT_LE(table_.state_end(), begin);
    if (table_.state_end() > 0) {
      EXPECT_EQ(*reinterpret_cast<const float*>(table_.StateBefore(0)), State(table_.state_end()));
    }
    for (uint64_t at = table_.state_end(); at < begin; ++at) {
      EXPECT_EQ(*table_.KeptRow(0, at), State(at));
    }
    const uint64_t left_behind = table_.next_state_end();
    for (uint64_t at = begin; at < end; ++at) {
      *reinterpret_cast<float*>(table_.StateBehind(ContextWindow::Block(at), 0)) =
          State(std::min(at + 1, left_behind));
      if (at >= left_behind) *table_.KeepRow(0, at) = State(at);
    }
    if (!commit) {
      table_.Rollback();
      return;
    }
    if (ContextWindow::Block(begin) == ContextWindow::Block(end - 1)) {
      end -= std::min({dropped, end - left_behind, end - begin - 1});
    }
    table_.Commit(end);
    last_begin_ = begin;
    // Where a block began nothing is replaced; a kept row needs no state; a long pass skips states.
    can_take_back_ = begin % kKvBlockTokens != 0 && begin < table_.state_end() &&
                     (table_.window().slides ||
                      ContextWindow::Block(end - 1) - ContextWindow::Block(begin) <= 1);
    end_ = end;
    longest_ = std::max(longest_, end);
  }
  // Back to `tokens`, where the state or rows behind it are kept, or to the last boundary before
  // that has a state.
  void Cut(uint64_t tokens) {
    const bool is_kept = tokens > 0 && tokens >= table_.StatesFor(end_);
    end_ = table_.ReplayFrom(tokens);
    EXPECT_LE(end_, tokens);
    if (is_kept) {
      EXPECT_EQ(end_, tokens);
    } else {
      EXPECT_EQ(end_ % kKvBlockTokens, 0u);
    }
    table_.Truncate(end_);
    if (end_ == 0) longest_ = 0;
  }
  // Back to where the last pass began, if nobody took the states that it replaced: nobody did where
  // no other call came between.
  void TakeBack(bool at_once) {
    const bool taken = table_.TakeBackStates(last_begin_);
    if (at_once) {
      EXPECT_EQ(taken, can_take_back_);
    }
    can_take_back_ = false;
    if (!taken) return;
    EXPECT_EQ(table_.ReplayFrom(last_begin_), last_begin_);
    EXPECT_FALSE(table_.TakeBackStates(last_begin_));
    table_.Truncate(last_begin_);
    end_ = last_begin_;
    ++taken_back_;
  }
  int taken_back() const { return taken_back_; }
  void BecomeCopyOf(const Text& other) {
    table_.ShareAll(other.table_);
    end_ = other.end_;
    number_ = other.number_;
    longest_ = other.longest_;
  }
  BlockTable& table() { return table_; }
  uint64_t end() const { return end_; }
  bool is_longest() const { return end_ == longest_; }  // since it was empty

 private:
  float State(uint64_t positions) const { return number_ * static_cast<float>(positions); }

  BlockTable table_;
  float number_;
  uint64_t end_ = 0, longest_ = 0, last_begin_ = 0;
  bool can_take_back_ = false;
  int taken_back_ = 0;
};

class StateBlocks : public testing::TestWithParam<std::tuple<bool, uint64_t>> {};

TEST_P(StateBlocks, HoldWhatPassesLeaveBehind) {
  const auto [slides, max_rows] = GetParam();
  const ContextWindow window = {.slides = slides, .blocks = 30};
  TestCache cache(*SelectKernelSet(""), KvFormat::kInt8, {{.state_floats = 16, .row_floats = 1}},
                  window, max_rows, 2);
  std::mt19937 random(5);
  std::vector<Text> texts;
  texts.emplace_back(&cache, 1.0f);
  texts.emplace_back(&cache, 2.0f);
  const size_t free = cache.pool().free_blocks(0);
  const Text* last_passed = nullptr;
  for (int step = 0; step < 3000; ++step) {
    Text& text = texts[random() % 2];
    const uint64_t rows = 1 + random() % (random() % 2 == 0 ? 2 : max_rows);
    const uint32_t what = random() % 20;
    const Text* const passed = std::exchange(last_passed, nullptr);
    if (what >= 18) {
      text.TakeBack(passed == &text);
    } else if (what == 0) {
      text.Cut(text.end() - random() % (text.end() + 1));
    } else if (what == 1) {
      text.BecomeCopyOf(&text == texts.data() ? texts[1] : texts[0]);
    } else if (slides || text.end() + rows <= window.blocks * kKvBlockTokens) {
      text.Pass(text.end() + rows, what != 2, what == 3 ? random() % kMostKeptRows : 0);
      if (HasFatalFailure()) return;
      if (what == 2) continue;
      last_passed = &text;
      // However little is kept, the last row can be run again; under SLIDE max_rows of them.
      const auto expect_replay = [&](uint64_t tokens) {
        const bool is_kept = tokens > 0 && tokens >= text.table().state_end();
        EXPECT_EQ(text.table().ReplayFrom(tokens),
                  is_kept ? tokens : tokens / kKvBlockTokens * kKvBlockTokens);
      };
      expect_replay(text.end() - 1);
      if (slides && text.is_longest()) {
        expect_replay(text.end() - std::min(text.end(), max_rows));
      }
    } else {
      text.Cut(0);
    }
  }
  for (Text& text : texts) {
    EXPECT_GT(text.taken_back(), 5);
    text.Cut(0);
  }
  EXPECT_EQ(cache.pool().free_blocks(0), free);
}

INSTANTIATE_TEST_SUITE_P(All, StateBlocks,
                         testing::Combine(testing::Bool(),
                                          testing::Values(1, 2, 24, 64, 65, 150, 256)));

TEST(StateBlocks, AreFewUnderStop) {
  ContextWindow window = {.slides = false, .blocks = 1000};
  window.replays = true;
  EXPECT_EQ(window.OfState().RingBlocks(256), 3u);
  window.slides = true;
  EXPECT_EQ(window.OfState().RingBlocks(256), 6u);
  EXPECT_EQ(window.OfState().RingBlocks(1), 3u);
}

}  // namespace
}  // namespace rondo::state_blocks_test
