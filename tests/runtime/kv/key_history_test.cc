// The one record of a sequence's tokens, against a plain vector.
#include "runtime/kv/key_history.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace rondo {
namespace {

TEST(KeyHistoryTest, HoldsTheLastOfThem) {
  std::mt19937 random(1);
  std::vector<InputKey> memory(37);
  KeyHistory history{KeyMemory{memory}};
  std::vector<int32_t> all;
  uint64_t lost = 0;  // what was overwritten does not come back with an undo
  for (int step = 0; step < 2000; ++step) {
    if (random() % 3 == 0) {
      const uint64_t end = all.size() - random() % (all.size() + 1) / 8;
      history.Truncate(end);
      all.resize(end);
      lost = std::min(lost, end);
    } else {
      std::vector<int32_t> more(random() % 50);
      for (int32_t& id : more) id = static_cast<int32_t>(random() % 1000);
      history.Append(more);
      all.insert(all.end(), more.begin(), more.end());
    }
    lost = std::max<uint64_t>(lost, all.size() - std::min<uint64_t>(all.size(), 37));
    ASSERT_EQ(history.end(), all.size());
    ASSERT_EQ(history.begin(), lost);
    for (uint64_t p = history.begin(); p < history.end(); ++p) ASSERT_EQ(history[p], all[p]) << p;
    for (uint64_t p = history.begin(); p < history.end();) {
      const auto run = history.Run(p, history.end() - p);
      ASSERT_GT(run.size(), 0u);
      for (const InputKey key : run) ASSERT_EQ(key.token(), all[p++]);
    }
  }
}

}  // namespace
}  // namespace rondo
