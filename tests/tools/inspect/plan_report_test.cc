#include "tools/inspect/plan_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

namespace rondo::tools {
namespace {

rondo_memory_block Block(int32_t segment, const char* name, uint64_t offset, uint64_t bytes,
                         int32_t first, int32_t last) {
  rondo_memory_block block = {};
  block.segment = segment;
  block.offset = offset;
  block.bytes = bytes;
  block.first_step = first;
  block.last_step = last;
  std::snprintf(block.name, sizeof block.name, "%s", name);
  return block;
}

TEST(PlanReportTest, DrawsSharesAndLives) {
  rondo_memory_plan plan = {};
  plan.arena_bytes = 7200;
  plan.arena_alignment = 64;
  plan.weights_bytes = 3600;
  plan.kv_pool_bytes = 1800;
  plan.sessions_bytes = 1;
  plan.activations_bytes = 1799;
  plan.activations_lower_bound = 1500;
  plan.kernels = "test";
  const std::string report =
      DescribePlan(plan, {Block(RONDO_SEGMENT_WEIGHTS, "w", 0, 3600, 0, INT32_MAX),
                          Block(RONDO_SEGMENT_ACTIVATIONS, "late", 5401, 600, 1, 2),
                          Block(RONDO_SEGMENT_ACTIVATIONS, "early", 6001, 900, 0, 1)});
  const std::string w(36, 'W');
  const std::string k(18, 'K');
  const std::string a(17, 'A');
  EXPECT_THAT(report, testing::HasSubstr("|" + w + k + "S" + a + "|"));
  EXPECT_THAT(report, testing::HasSubstr("1,799, of which at most 1,500 live at once"));
  EXPECT_THAT(report, testing::ContainsRegex("late +0 +600  \\|\\.##\\|"));
  EXPECT_THAT(report, testing::ContainsRegex("early +600 +900  \\|##\\.\\|"));
}

}  // namespace
}  // namespace rondo::tools
