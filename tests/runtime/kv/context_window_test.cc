// What a row sees, and what a ring must keep for it.
#include "runtime/kv/context_window.h"

#include <gtest/gtest.h>

namespace rondo {
namespace {

constexpr uint64_t kPositions = 2000;

TEST(ContextWindowTest, SeesNoMoreThanTheContextAndAlwaysAWholeBlock) {
  for (const uint64_t sinks : {0u, 1u, 3u}) {
    const ContextWindow window = {.slides = true, .blocks = sinks + 4, .sink_blocks = sinks};
    for (uint64_t position = 0; position < kPositions; ++position) {
      const uint64_t first = window.FirstRecentBlock(position);
      const uint64_t own = ContextWindow::Block(position);
      ASSERT_LE(first, own);
      ASSERT_LE(std::min(sinks, first) + own - first + 1, window.blocks);
      if (own >= sinks + 3) {
        ASSERT_GE(own - first, 1u);
      }
    }
  }
}

TEST(ContextWindowTest, ALayersOwnWindowHasSoManyPositionsOrItsChunk) {
  for (const uint64_t tokens : {1u, 5u, 64u, 100u}) {
    for (const bool slides : {false, true}) {
      const ContextWindow all = {.slides = slides, .blocks = 8, .sink_blocks = slides ? 1u : 0u};
      const ContextWindow sliding = all.OfLayer(tokens, false), chunks = all.OfLayer(tokens, true);
      for (uint64_t position = 0; position < kPositions; ++position) {
        ASSERT_EQ(position - sliding.FirstToken(position) + 1, std::min(position + 1, tokens));
        ASSERT_EQ(chunks.FirstToken(position), position - position % tokens);
        for (const ContextWindow& window : {sliding, chunks}) {
          ASSERT_EQ(window.FirstRecentBlock(position),
                    ContextWindow::Block(window.FirstToken(position)));
        }
      }
      EXPECT_EQ(all.OfLayer(0, false), all);
    }
  }
}

// A pass that begins anywhere, and the undoing of as many rows: blocks from the first that it sees
// to its last, and hardly more than the worst needs.
TEST(ContextWindowTest, ARingKeepsWhatAPassOverMostRowsSees) {
  for (const uint64_t max_rows : {1u, 63u, 64u, 65u, 200u}) {
    for (const uint64_t tokens : {1u, 64u, 100u}) {
      const ContextWindow window =
          ContextWindow{.slides = true, .blocks = 100}.OfLayer(tokens, false);
      uint64_t most = 0;
      for (uint64_t begin = 0; begin < kPositions; ++begin) {
        const uint64_t end = begin + max_rows;
        most = std::max(most, ContextWindow::Block(end) - window.FirstRecentBlock(begin) + 1);
      }
      EXPECT_GE(window.RingBlocks(max_rows), most) << max_rows << ", " << tokens;
      EXPECT_LE(window.RingBlocks(max_rows), most + 1) << max_rows << ", " << tokens;
    }
  }
}

// The row so many rows back sees the state of the position before it; where rows are run again,
// that is from their block's first position on.
TEST(ContextWindowTest, ARingOfStatesKeepsThatWhichUndoneRowsBeginFrom) {
  for (const uint64_t max_rows : {1u, 63u, 64u, 65u, 200u}) {
    for (const bool replays : {false, true}) {
      const ContextWindow window =
          ContextWindow{.slides = true, .blocks = 100, .replays = replays}.OfState();
      const uint64_t back = max_rows + (replays ? kKvBlockTokens - 1 : 0);
      uint64_t most = 0;
      for (uint64_t position = back + 1; position < kPositions; ++position) {
        most = std::max(
            most, ContextWindow::Block(position) - ContextWindow::Block(position - back - 1) + 1);
      }
      EXPECT_EQ(window.RingBlocks(max_rows), most) << max_rows << ", " << replays;
      ContextWindow stops = window;
      stops.slides = false;
      EXPECT_EQ(stops.RingBlocks(max_rows), std::min<uint64_t>(most, 3));
    }
  }
}

TEST(ContextWindowTest, TheSinksAreNeverFurtherThanTheWindowIsLong) {
  const ContextWindow window = {.slides = true, .blocks = 3, .sink_blocks = 1};
  for (uint64_t position = 0; position < kPositions; ++position) {
    const uint64_t most = 3 * kKvBlockTokens - 1;  // where the window first shows all of its blocks
    EXPECT_EQ(window.SinkQueryPosition(position), std::min(position, most));
  }
}

}  // namespace
}  // namespace rondo
