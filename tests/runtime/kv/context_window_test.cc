// What a row sees under SLIDE.
#include "runtime/kv/context_window.h"

#include <gtest/gtest.h>

namespace rondo {
namespace {

TEST(ContextWindowTest, SeesNoMoreThanTheContextAndAlwaysAWholeBlock) {
  for (const uint64_t sinks : {0u, 1u, 3u}) {
    const ContextWindow window = {.slides = true, .blocks = sinks + 4, .sink_blocks = sinks};
    for (uint64_t position = 0; position < 2000; ++position) {
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

}  // namespace
}  // namespace rondo
