// Tables of block references against a plain account of what each position's block holds.
#include "runtime/kv/block_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/test_cache.h"

namespace rondo::block_table_test {
namespace {

// One table, and what it should hold: in each position's place the writer's mark. One sublayer of
// 4 floats a position, as a convolution keeps them.
class Marked {
 public:
  explicit Marked(TestCache* cache) : table_(cache->NewTable()) {}

  // A pass over [begin, end) that writes marks; `commit`, or all is as before.
  void Pass(uint64_t begin, uint64_t end, float mark, bool commit) {
    ASSERT_TRUE(table_.Prepare(begin, end));
    for (uint64_t p = begin; p < end; ++p) {
      *Place(p) = mark + static_cast<float>(p);
    }
    if (!commit) {
      table_.Rollback();
      return;
    }
    table_.Commit();
    end_ = end;
    for (uint64_t p = begin; p < end; ++p) marks_[p] = mark + static_cast<float>(p);
    longest_ = std::max(longest_, end);
  }
  void Truncate(uint64_t end) {
    table_.Truncate(end);
    end_ = end;
    marks_.erase(marks_.lower_bound(end), marks_.end());
    if (end == 0) longest_ = 0;
  }
  void ShareAll(const Marked& other) {
    table_.ShareAll(other.table_);
    end_ = other.end_;
    marks_ = other.marks_;
  }

  // Everything that a row at `position` sees holds its marks.
  void ExpectIntact(uint64_t position) const {
    const ContextWindow& window = table_.window(0);
    for (uint64_t p = 0; p <= position; ++p) {
      const uint64_t block = ContextWindow::Block(p);
      if (block >= window.sink_blocks && block < window.FirstRecentBlock(position)) continue;
      ASSERT_EQ(*Place(p), marks_.at(p)) << "position " << p << " seen from " << position;
    }
  }
  const BlockTable& table() const { return table_; }
  uint64_t end() const { return end_; }
  uint64_t longest() const { return longest_; }  // that it was since it was empty

 private:
  float* Place(uint64_t p) const {
    return reinterpret_cast<float*>(table_.Page(ContextWindow::Block(p), 0, 0)) +
           p % kKvBlockTokens * 4;
  }

  BlockTable table_;
  std::map<uint64_t, float> marks_;
  uint64_t end_ = 0;
  uint64_t longest_ = 0;
};

struct Case {
  ContextWindow window;
  uint64_t layer_window;
  uint64_t max_rows;
};

const Case kCases[] = {
    {{.slides = false, .blocks = 40}, 0, 64},
    {{.slides = false, .blocks = 40}, 100, 64},
    {{.slides = true, .blocks = 2}, 0, 1},
    {{.slides = true, .blocks = 2}, 0, 64},
    {{.slides = true, .blocks = 3, .sink_blocks = 1}, 0, 100},
    {{.slides = true, .blocks = 4}, 70, 100},
};

class BlockTableTest : public testing::TestWithParam<Case> {
 protected:
  static TestCache NewCache(uint64_t sequences) {
    const Case& c = GetParam();
    return {
        *SelectKernelSet(""), KvFormat::kInt8, {{.floats = 4, .window = c.layer_window}}, c.window,
        c.max_rows,           sequences};
  }
  static uint64_t Limit() {
    return GetParam().window.slides ? 3000 : GetParam().window.blocks * kKvBlockTokens;
  }
};

// The promise behind undo: the last max_rows of the furthest position can always be dropped, also
// after passes that were given up; and Holds is true only where all that is seen is intact.
TEST_P(BlockTableTest, HoldsWhatItSays) {
  const uint64_t max_rows = GetParam().max_rows;
  std::mt19937 random(3);
  TestCache cache = NewCache(1);
  Marked marked(&cache);
  float mark = 0;
  for (int step = 0; step < 600; ++step) {
    const uint64_t rows = 1 + random() % max_rows;
    if (marked.end() + rows > Limit()) marked.Truncate(0);
    marked.Pass(marked.end(), marked.end() + rows, mark += 10000, random() % 4 != 0);
    if (marked.end() == 0) continue;
    const bool all_held = !GetParam().window.slides && GetParam().layer_window == 0;
    for (uint64_t n = 0; n < marked.end(); ++n) {
      const uint64_t position = marked.end() - 1 - n;
      const bool holds = marked.table().Holds(position);
      if (position + 1 + max_rows >= marked.longest() || all_held) {
        ASSERT_TRUE(holds) << "step " << step << ": " << n << " back from " << marked.end();
      }
      if (holds) marked.ExpectIntact(position);
    }
    const uint64_t target = marked.end() - random() % (max_rows + 1);
    if (random() % 3 == 0 && target > 0 && target <= marked.end() &&
        marked.table().Holds(target - 1)) {
      marked.Truncate(target);
    }
  }
}

// Shared blocks are copied before they are written; what each table holds stays its own.
TEST_P(BlockTableTest, SharedBlocksAreCopiedOnWrite) {
  std::mt19937 random(5);
  constexpr size_t kTables = 4;
  TestCache cache = NewCache(kTables);
  const size_t free_before = cache.pool().free_blocks(0);
  std::vector<Marked> tables(kTables, Marked(&cache));
  for (Marked& table : tables) table = Marked(&cache);
  float mark = 0;
  for (int step = 0; step < 500; ++step) {
    Marked& table = tables[random() % kTables];
    const uint64_t rows = 1 + random() % GetParam().max_rows;
    if (random() % 8 == 0) {
      const Marked& other = tables[random() % kTables];
      if (&other != &table) table.ShareAll(other);
    } else if (table.end() + rows > Limit()) {
      table.Truncate(0);
    } else {
      table.Pass(table.end(), table.end() + rows, mark += 10000, random() % 4 != 0);
    }
    for (const Marked& each : tables) {
      if (each.end() > 0) each.ExpectIntact(each.end() - 1);
    }
  }
  for (Marked& table : tables) table.Truncate(0);
  EXPECT_EQ(cache.pool().free_blocks(0), free_before);
}

INSTANTIATE_TEST_SUITE_P(Windows, BlockTableTest, testing::ValuesIn(kCases));

TEST(BlockTableTest, AnEmptyPoolIsSaidAndNothingHappens) {
  const ContextWindow window = {.slides = false, .blocks = 4};
  TestCache cache(*SelectKernelSet(""), KvFormat::kInt8, {{.floats = 4}}, window, 256, 1);
  BlockTable first = cache.NewTable();
  BlockTable second = cache.NewTable();  // one more than the pool was made for
  ASSERT_TRUE(first.Prepare(0, 130));
  first.Commit();
  ASSERT_EQ(cache.pool().free_blocks(0), 1u);
  EXPECT_FALSE(second.Prepare(0, 65));
  EXPECT_EQ(cache.pool().free_blocks(0), 1u);
  EXPECT_TRUE(second.Prepare(0, 64));
  second.Commit();
  EXPECT_TRUE(second.Holds(63));
  EXPECT_FALSE(second.Holds(64));
}

// Fresh blocks for what a snapshot holds: the sinks and the last ones, as far as the ring goes; or
// none at all where the pool has too few, though the table's own count.
TEST(BlockTableTest, BlocksAreRenewedOrLeftAlone) {
  const ContextWindow window = {.slides = true, .blocks = 4, .sink_blocks = 1};
  TestCache cache(*SelectKernelSet(""), KvFormat::kInt8, {{.floats = 4}}, window, 64, 2);
  BlockTable first = cache.NewTable();  // rings of 5 blocks: a sink and the last 4
  BlockTable second = cache.NewTable();
  const size_t all = cache.pool().free_blocks(0);
  ASSERT_TRUE(first.CanRenew(0, 4, 700));
  first.Renew(0, 4, 700);  // 11 blocks, of which 4 to 10 are there
  EXPECT_EQ(all - cache.pool().free_blocks(0), 5u);
  EXPECT_EQ(first.FirstHeld(0, 700), 7u);
  EXPECT_TRUE(first.Holds(699));
  EXPECT_TRUE(first.Holds(639));
  EXPECT_FALSE(first.Holds(575));
  second.ShareAll(first);
  EXPECT_EQ(all - cache.pool().free_blocks(0), 5u);
  // What is shared stays with the other: 5 more blocks are needed.
  std::vector<BlockId> taken;
  while (cache.pool().free_blocks(0) > 4) taken.push_back(cache.pool().Take(0));
  EXPECT_FALSE(second.CanRenew(0, 1, 320));
  EXPECT_TRUE(second.CanRenew(0, 2, 320));
  EXPECT_TRUE(second.Holds(699));
  second.Renew(0, 2, 320);
  EXPECT_EQ(second.FirstHeld(0, 320), 2u);
  EXPECT_TRUE(first.Holds(699));
  EXPECT_EQ(cache.pool().free_blocks(0), 0u);
  // Those that it holds alone count.
  EXPECT_TRUE(second.CanRenew(0, 2, 320));
  EXPECT_FALSE(second.CanRenew(0, 1, 320));
  second.Renew(0, 0, 0);
  EXPECT_EQ(cache.pool().free_blocks(0), 4u);
  for (const BlockId id : taken) cache.pool().Drop(0, id);
  first.Truncate(0);
  EXPECT_EQ(cache.pool().free_blocks(0), all);
}

}  // namespace
}  // namespace rondo::block_table_test
