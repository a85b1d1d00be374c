// Room: a plan and what is cut by it agree, and no size overflows.
#include "runtime/grammar/room.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace rondo::grammar {
namespace {

TEST(Room, CutsAsPlanned) {
  Room plan;
  EXPECT_FALSE(List<uint64_t>(plan, 10).exists());
  EXPECT_FALSE(List<char>(plan, 3).exists());
  EXPECT_EQ(plan.used(), 128u + 3u);
  std::vector<uint8_t> memory(plan.used());
  Room room(memory);
  EXPECT_TRUE(List<uint64_t>(room, 10).exists());
  EXPECT_TRUE(List<char>(room, 3).exists());
  EXPECT_FALSE(List<char>(room, 1).exists());
}

TEST(Room, NothingLiesInSizesThatOverflow) {
  std::vector<uint8_t> memory(4096);
  for (const size_t count : {SIZE_MAX / 8 + 2, SIZE_MAX / 8, SIZE_MAX}) {
    Room room(memory);
    room.Cut<uint8_t>(100);
    EXPECT_EQ(room.Cut<uint64_t>(count), nullptr);
    EXPECT_GT(room.used(), SIZE_MAX / 2);
    EXPECT_EQ(room.Cut<uint8_t>(1), nullptr);
    EXPECT_GT(room.used(), SIZE_MAX / 2);
  }
}

TEST(List, FillsOrLeavesAsItWas) {
  std::vector<uint8_t> memory(4096);
  Room room(memory);
  List<int> list(room, 5);
  Budget budget(10);
  EXPECT_TRUE(list.Add(1, budget));
  EXPECT_TRUE(list.Fill(7, 3, budget));
  EXPECT_FALSE(list.Fill(8, 2, budget));
  EXPECT_EQ(budget.end(), Budget::End::kMemory);
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0], 1);
  EXPECT_EQ(list[3], 7);
}

}  // namespace
}  // namespace rondo::grammar
