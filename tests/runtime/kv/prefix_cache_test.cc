// What the prefix cache hands out is what a text's own blocks would hold, whatever was shared,
// written, given up and taken for another use in between.
#include "runtime/kv/prefix_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/test_cache.h"

namespace rondo::prefix_cache_test {
namespace {

constexpr uint64_t kTokens = 64;  // of a block

// What a block holds at a position is a function of the tokens up to there.
float MarkOf(const std::vector<int32_t>& text, uint64_t position) {
  uint32_t hash = 2166136261u;
  for (uint64_t p = 0; p <= position; ++p) {
    hash = (hash ^ static_cast<uint32_t>(text[p])) * 16777619u;
  }
  return static_cast<float>(hash >> 8);
}

struct Case {
  ContextWindow window;
  std::vector<uint64_t> layer_windows;  // one sublayer each, of 4 floats a position
  uint64_t max_rows;
  uint64_t pool_tokens;
};

class Writer {
 public:
  Writer(TestCache* cache, PrefixCache* prefixes, size_t entries)
      : entries_(entries), table_(cache->NewTable()), prefixes_(prefixes), memory_(8192) {
    history_ = KeyHistory({memory_});
  }
  Writer(const Writer&) = delete;

  void set_root(PrefixCache::Root root) { root_ = root; }
  // The text from its beginning; what the cache has of it is not written again.
  uint64_t Begin(const std::vector<int32_t>& text) {
    Close();
    text_ = text;
    history_.Append(text);
    end_ = prefixes_->TakeOver(root_, history_, text.size() - 1, &table_);
    return end_;
  }
  // One pass over `rows` more positions. False: the pool has too few blocks.
  bool Write(uint64_t rows, bool commit) {
    const uint64_t end = std::min<uint64_t>(text_.size(), end_ + rows);
    if (end == end_) return true;
    if (!table_.Prepare(end_, end)) return false;
    for (uint64_t p = end_; p < end; ++p) {
      for (size_t entry = 0; entry < entries_; ++entry) {
        *Place(p, entry) = commit ? MarkOf(text_, p) : -1.0f;
      }
    }
    if (!commit) {
      table_.Rollback();
      return true;
    }
    table_.Commit();
    for (uint64_t b = end_ / kTokens; b < end / kTokens; ++b) {
      prefixes_->Keep(root_, history_, b, &table_);
    }
    end_ = end;
    return true;
  }
  void Truncate(uint64_t end) {
    if (end == 0 || end >= end_ || !table_.Holds(end - 1)) return;
    table_.Truncate(end);
    end_ = end;
  }
  void Close() {
    table_.Truncate(0);
    history_.Truncate(0);
    text_.clear();
    end_ = 0;
  }
  void ExpectIntact() const {
    if (end_ == 0) return;
    ASSERT_TRUE(table_.Holds(end_ - 1));
    for (size_t entry = 0; entry < entries_; ++entry) {
      const ContextWindow& window = table_.window(entry);
      for (uint64_t p = 0; p < end_; ++p) {
        const uint64_t block = ContextWindow::Block(p);
        if (block >= window.sink_blocks && block < window.FirstRecentBlock(end_ - 1)) continue;
        ASSERT_EQ(*Place(p, entry), MarkOf(text_, p)) << "position " << p << " of " << end_;
      }
    }
  }
  bool done() const { return end_ == text_.size(); }
  uint64_t end() const { return end_; }
  BlockTable& table() { return table_; }

 private:
  PrefixCache::Root root_ = PrefixCache::Root::kShort;
  float* Place(uint64_t p, size_t entry) const {
    return reinterpret_cast<float*>(table_.Page(ContextWindow::Block(p), entry, 0)) +
           p % kTokens * 4;
  }

  const size_t entries_;
  BlockTable table_;
  PrefixCache* prefixes_;
  std::vector<InputKey> memory_;
  KeyHistory history_;
  std::vector<int32_t> text_;
  uint64_t end_ = 0;
};

class PrefixCacheTest : public testing::TestWithParam<Case> {
 protected:
  PrefixCacheTest() {
    std::vector<KvLayout::Entry> entries;
    for (const uint64_t window : GetParam().layer_windows) {
      entries.push_back({.floats = 4, .window = window});
    }
    cache_ = std::make_unique<TestCache>(*SelectKernelSet(""), KvFormat::kInt8, entries,
                                         GetParam().window, GetParam().max_rows, kWriters,
                                         GetParam().pool_tokens);
    MemoryPlan plan;
    prefixes_ = std::move(*PrefixCache::Plan(cache_->layout(), &plan));
    plan.Layout().ok();
    memory_.resize(plan.arena_bytes() / sizeof(uint64_t) + 8, 0x5A5A5A5A5A5A5A5Au);
    auto* arena = reinterpret_cast<uint8_t*>(memory_.data());
    arena += -reinterpret_cast<uintptr_t>(arena) % 64;
    prefixes_.Bind(plan, arena, cache_->layout(), &cache_->pool());
  }
  std::unique_ptr<Writer> NewWriter() {
    return std::make_unique<Writer>(cache_.get(), &prefixes_, GetParam().layer_windows.size());
  }

  static constexpr size_t kWriters = 4;
  std::unique_ptr<TestCache> cache_;
  std::vector<uint64_t> memory_;
  PrefixCache prefixes_;
};

// Texts that begin alike in every way: each of a few stems, cut anywhere, goes on with others.
std::vector<int32_t> AnyText(std::mt19937& random, uint64_t longest) {
  std::vector<int32_t> text;
  while (text.size() < longest && (text.empty() || random() % 3 != 0)) {
    std::mt19937 stem(random() % 3);
    for (uint64_t n = 1 + random() % 200; n > 0 && text.size() < longest; --n) {
      text.push_back(static_cast<int32_t>(stem() % 5));
    }
  }
  return text;
}

TEST_P(PrefixCacheTest, HandsOutWhatTheTextHolds) {
  std::mt19937 random(7);
  const uint64_t longest = GetParam().window.slides ? 900 : GetParam().window.blocks * kTokens;
  std::vector<std::unique_ptr<Writer>> writers;
  for (size_t i = 0; i < kWriters; ++i) writers.push_back(NewWriter());
  uint64_t taken_over = 0;
  for (int step = 0; step < 4000; ++step) {
    Writer& writer = *writers[random() % kWriters];
    const uint32_t what = random() % 16;
    if (writer.done() || what == 0) {
      taken_over += writer.Begin(AnyText(random, longest));
    } else if (what == 1) {
      writer.Truncate(writer.end() - random() % (writer.end() + 1));
    } else if (!writer.Write(1 + random() % GetParam().max_rows, what != 2)) {
      writers[random() % kWriters]->Close();
    }
    for (const auto& each : writers) each->ExpectIntact();
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(taken_over, 5000u);
}

// A text whose session was closed is found whole, up to its last full block, where there is room;
// of one that turned in every ring, as much as the longest ring has.
TEST_P(PrefixCacheTest, FindsWhatWasClosed) {
  if (GetParam().pool_tokens != 0) return;
  std::mt19937 random(9);
  std::vector<int32_t> text(GetParam().window.blocks * kTokens);
  for (int32_t& id : text) id = static_cast<int32_t>(random() % 1000);
  const uint64_t held = cache_->layout().groups()[0].ring_blocks * kTokens;
  const uint64_t expected = std::min<uint64_t>(text.size() - kTokens, held);
  const auto writer = NewWriter();
  EXPECT_EQ(writer->Begin(text), 0u);
  while (!writer->done()) ASSERT_TRUE(writer->Write(GetParam().max_rows, true));
  const auto second = NewWriter();  // beside it
  EXPECT_EQ(second->Begin(text), expected);
  second->ExpectIntact();
  writer->Close();
  second->Close();
  EXPECT_EQ(writer->Begin(text), expected);  // and after it
  writer->ExpectIntact();
  text[70] ^= 1;
  EXPECT_LE(second->Begin(text), kTokens);
}

// What was computed with an adapter is found with the same one, by all of its digest, until others
// came in its place; and never with another one, or for keys that were turned otherwise.
TEST_P(PrefixCacheTest, AdaptersAreToldApart) {
  if (GetParam().pool_tokens != 0) return;
  const auto root = [&](int last, bool is_long = false) {
    Digest digest = {};
    digest.back() = static_cast<uint8_t>(last);
    return prefixes_.RootOf(is_long, &digest);
  };
  const std::vector<int32_t> text(3 * kTokens, 5);
  const auto writer = NewWriter();
  writer->set_root(root(1));
  EXPECT_EQ(writer->Begin(text), 0u);
  while (!writer->done()) ASSERT_TRUE(writer->Write(GetParam().max_rows, true));
  const auto second = NewWriter();
  for (const auto other : {PrefixCache::Root::kShort, root(2), root(1, true), root(0)}) {
    second->set_root(other);
    EXPECT_EQ(second->Begin(text), 0u);
  }
  second->set_root(root(1));
  EXPECT_EQ(second->Begin(text), 2 * kTokens);
  for (int other = 2; other < 2 + static_cast<int>(PrefixCache::kMostAdapters); ++other) {
    second->set_root(root(other));
    EXPECT_EQ(second->Begin(text), 0u);
  }
  second->set_root(root(1));
  EXPECT_EQ(second->Begin(text), 0u);
}

// A layer's window shows four blocks and more. Of the older ones some are held by another, and one
// between is gone: it must not seem to be there.
using PrefixCacheGapTest = PrefixCacheTest;
TEST_P(PrefixCacheGapTest, OlderBlocksBehindAGapAreLeft) {
  std::vector<int32_t> text(14 * kTokens);
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<int32_t>(i);
  const auto writer = NewWriter();
  writer->Begin(text);
  for (int block = 0; block < 7; ++block) ASSERT_TRUE(writer->Write(kTokens, true));
  const auto other = NewWriter();  // holds the blocks up to 6
  other->table().ShareAll(writer->table());
  ASSERT_TRUE(writer->Write(kTokens, true));
  const BlockId gap = writer->table().Find(1, 7);
  while (!writer->done()) ASSERT_TRUE(writer->Write(kTokens, true));
  while (cache_->pool().free_blocks(1) > 0 && cache_->pool().Take(1) != gap) {
  }
  ASSERT_EQ(cache_->pool().mark(1, gap), 0u);

  const auto late = NewWriter();
  text.resize(12 * kTokens + 1);
  ASSERT_EQ(late->Begin(text), 12 * kTokens);
  late->ExpectIntact();
  ASSERT_NE(late->table().Find(1, 8), kNoBlock);
  EXPECT_EQ(late->table().Find(1, 7), kNoBlock);
  EXPECT_EQ(late->table().Find(1, 6), kNoBlock);
  EXPECT_FALSE(late->table().Holds(600));  // which sees blocks 6 to 9
}
INSTANTIATE_TEST_SUITE_P(Windows, PrefixCacheGapTest,
                         testing::Values(Case{{.slides = false, .blocks = 14}, {0, 200}, 64, 0}));

INSTANTIATE_TEST_SUITE_P(
    Windows, PrefixCacheTest,
    testing::Values(Case{{.slides = false, .blocks = 10}, {0}, 64, 0},
                    Case{{.slides = false, .blocks = 10}, {0, 100, 3}, 64, 0},
                    Case{{.slides = false, .blocks = 10}, {0, 100, 3}, 200, 16 * kTokens},
                    Case{{.slides = false, .blocks = 10}, {130}, 64, 0},
                    Case{{.slides = false, .blocks = 12}, {0, 200}, 64, 24 * kTokens},
                    Case{{.slides = false, .blocks = 12}, {0, 250}, 200, 0},
                    Case{{.slides = true, .blocks = 4}, {0, 70}, 100, 0},
                    Case{{.slides = true, .blocks = 5, .sink_blocks = 1}, {0, 0}, 64, 0}));

}  // namespace
}  // namespace rondo::prefix_cache_test
