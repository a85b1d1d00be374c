// A pool that holds all rings (kv_tokens 0) is never too small, by plain random schedules of what
// sequences do with their tables: passes side by side, cancelled ones, forks, undos, rows that run
// again, blocks that the prefix cache puts in place of others, snapshots restored beside a pass.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "runtime/kernels/kernel_set.h"
#include "runtime/kv/held_blocks.h"
#include "tests/support/test_cache.h"

namespace rondo::whole_pool_test {
namespace {

struct Text {
  BlockTable table;
  uint64_t end = 0;      // positions evaluated
  uint64_t longest = 0;  // and that it had: a ring that turned has them no more
  bool in_pass = false;
};

KvLayout::Entry Attention(uint64_t window, bool chunked) {
  return {.n_kv_heads = 1, .head_dim = 8, .v_head_dim = 8, .window = window, .chunked = chunked};
}
KvLayout::Entry State() { return {.state_floats = 4, .row_floats = 2}; }
KvLayout::Entry Convolution(uint64_t window) { return {.floats = 4, .window = window}; }

std::vector<std::vector<KvLayout::Entry>> Models() {
  return {
      {Attention(0, false)},
      {Attention(70, false), Attention(0, false)},
      {Attention(100, true), Attention(0, false)},
      {Attention(40, false)},
      {Convolution(3), Attention(0, false)},
      {State(), Attention(0, false)},
      {State(), Attention(0, false), Attention(70, false), Convolution(4)},
      {State(), KvLayout::Entry()},
  };
}

class Schedule {
 public:
  Schedule(const std::vector<KvLayout::Entry>& entries, uint32_t seed) : random_(seed) {
    const bool slides = Below(2) == 1;
    const uint64_t sinks = slides ? Below(3) : 0;
    const ContextWindow window = {
        .slides = slides, .blocks = sinks + (slides ? 2 : 1) + Below(4), .sink_blocks = sinks};
    max_rows_ = std::vector<uint64_t>{1, 2, 5, 9, 63, 64, 66, 130, 700}[Below(9)];
    sessions_ = 1 + Below(6);
    most_ = slides ? 3000 : window.blocks * kKvBlockTokens;
    const uint64_t all = window.RingBlocks(max_rows_) * sessions_ * kKvBlockTokens;
    cache_.emplace(*AllKernelSets()[0], KvFormat::kInt8, entries, window, max_rows_, sessions_,
                   Below(3) == 0 ? all : 0);
    for (uint64_t i = 0; i < sessions_; ++i) texts_.push_back({cache_->NewTable()});
  }

  void Run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      if (Below(2) == 0) {
        Pass();
      } else {
        Change();
      }
    }
    for (Text& text : texts_) text.table.Truncate(0);
    for (size_t g = 0; g < cache_->layout().groups().size(); ++g) {
      EXPECT_EQ(cache_->pool().free_blocks(g), cache_->layout().groups()[g].pool_blocks);
    }
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }

  // Rows of several texts, many that go as far as they can; others change meanwhile.
  void Pass() {
    std::vector<Text*> members;
    uint64_t left = max_rows_;
    for (Text& text : texts_) {
      if (left == 0 || Below(4) == 0 || text.end >= most_) continue;
      const uint64_t most = std::min(left, most_ - text.end);
      const uint64_t rows = std::vector<uint64_t>{1, most, 1 + Below(most), 1 + most / 2}[Below(4)];
      ASSERT_TRUE(text.table.Reserve(text.end, text.end + std::min(rows, most)));
      ASSERT_TRUE(text.table.Prepare(text.end, text.end + std::min(rows, most)))
          << sessions_ << " sessions, " << max_rows_ << " rows, " << most_ << " tokens";
      text.in_pass = true;
      rows_[&text - texts_.data()] = std::min(rows, most);
      members.push_back(&text);
      left -= std::min(rows, most);
    }
    if (Below(8) == 0) {
      for (Text* text : members) {
        text->table.Unprepare();
        text->in_pass = false;
      }
      return;
    }
    for (uint64_t i = Below(3); i > 0; --i) Change();
    for (Text* text : members) {
      text->in_pass = false;
      if (Below(5) == 0) {
        text->table.Rollback();
        continue;
      }
      text->end += rows_[text - texts_.data()];
      text->longest = std::max(text->longest, text->end);
      text->table.Commit(text->end);
    }
  }

  void Change() {
    Text& text = texts_[Below(sessions_)];
    const Text& other = texts_[Below(sessions_)];
    if (text.in_pass) return;
    switch (Below(6)) {
      case 0:
        return Undo(&text);
      case 1:
        return RunAgain(&text);
      case 2:
      case 3:
        if (&other == &text || other.in_pass) return;
        text.table.ShareAll(other.table);
        text.end = other.end;
        text.longest = other.longest;
        return;
      case 4:
        return Restore(&text);
      case 5:
        if (&other != &text) ShareBlocks(&text, other);
        return;
    }
  }

  uint64_t FirstToken(const Text& text) const {
    return cache_->layout().window().slides ? text.longest - std::min(text.longest, most_) : 0;
  }

  void Undo(Text* text) {
    const uint64_t tokens = text->end - std::min(text->end, Below(150));
    text->table.TakeBackStates(tokens);
    const uint64_t from = tokens == 0 ? 0 : text->table.RunsFrom(tokens, FirstToken(*text));
    if (from == kNoRow) return;
    text->table.Truncate(from);
    text->end = from;
    if (from == 0) text->longest = 0;
  }

  // The last row once more, whose logits are wanted: the blocks stay.
  void RunAgain(Text* text) {
    if (text->end == 0) return;
    const uint64_t from = text->table.RunsFrom(text->end - 1, FirstToken(*text));
    if (from != kNoRow) text->end = from;
  }

  void Restore(Text* text) {
    const uint64_t tokens = Below(2) == 0 ? most_ : Below(most_) + 1;
    for (size_t g = 0; g < cache_->layout().groups().size(); ++g) {
      ASSERT_TRUE(text->table.CanRenew(g, 0, tokens));
    }
    for (size_t g = 0; g < cache_->layout().groups().size(); ++g) text->table.Renew(g, 0, tokens);
    text->end = text->longest = tokens;
    text->table.SetStateEnd(tokens);
  }

  // As the prefix cache does with whole blocks of equal texts.
  void ShareBlocks(Text* text, const Text& other) {
    for (size_t g = 0; g < cache_->layout().groups().size(); ++g) {
      const uint64_t whole = std::min(text->end, other.end) / kKvBlockTokens;
      for (uint64_t block = 0; block < whole; ++block) {
        const BlockId theirs = other.table.Find(g, block);
        if (text->table.Find(g, block) == kNoBlock || theirs == kNoBlock || Below(2) == 0) continue;
        text->table.Put(g, block, theirs);
      }
    }
  }

  std::mt19937 random_;
  uint64_t max_rows_;
  uint64_t sessions_;
  uint64_t most_;  // tokens of a text
  std::optional<TestCache> cache_;
  std::vector<Text> texts_;
  uint64_t rows_[8] = {};
};

TEST(WholePoolTest, IsNeverTooSmall) {
  const auto models = Models();
  for (uint32_t seed = 0; seed < 1200 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Schedule(models[seed % models.size()], seed).Run(150);
  }
}

}  // namespace
}  // namespace rondo::whole_pool_test
