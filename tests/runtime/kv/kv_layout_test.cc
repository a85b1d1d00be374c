// Where sublayers lie in their group's blocks.
#include "runtime/kv/kv_layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/kernels/kernel_set.h"

namespace rondo {
namespace {

TEST(KvLayoutTest, EachSublayersPartBeginsAtALineOfTheCache) {
  std::vector<KvLayout::Entry> entries(3);
  entries[0].state_floats = 5;
  entries[1].state_floats = 17;
  entries[2].state_floats = 16;
  const auto layout =
      KvLayout::Create(*AllKernelSets()[0], KvFormat::kInt8, entries, {.blocks = 4}, 16, 1, 0);
  ASSERT_TRUE(layout.ok());
  ASSERT_EQ(layout->groups().size(), 1u);
  EXPECT_EQ(layout->groups()[0].block_bytes, 64u + 128u + 64u);
}

}  // namespace
}  // namespace rondo
