#include "tools/inspect/plan_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

namespace rondo::tools {
namespace {

rondo_memory_region Region(int32_t segment, const char* name, uint64_t offset, uint64_t bytes,
                           int32_t first, int32_t last) {
  rondo_memory_region region = {};
  region.segment = segment;
  region.offset = offset;
  region.bytes = bytes;
  region.first_step = first;
  region.last_step = last;
  std::snprintf(region.name, sizeof region.name, "%s", name);
  return region;
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
      DescribePlan(plan, {Region(RONDO_SEGMENT_WEIGHTS, "w", 0, 3600, 0, INT32_MAX),
                          Region(RONDO_SEGMENT_ACTIVATIONS, "late", 5401, 600, 1, 2),
                          Region(RONDO_SEGMENT_ACTIVATIONS, "early", 6001, 900, 0, 1)});
  const std::string w(36, 'W');
  const std::string k(18, 'K');
  const std::string a(17, 'A');
  EXPECT_THAT(report, testing::HasSubstr("|" + w + k + "S" + a + "|"));
  EXPECT_THAT(report, testing::HasSubstr("1,799 bytes, of which at most 1,500 live at once"));
  EXPECT_THAT(report, testing::ContainsRegex("W  weights +3,600 +50\\.0 %\n"));
  EXPECT_THAT(report, testing::ContainsRegex("late +0 +600  \\|\\.##\\|"));
  EXPECT_THAT(report, testing::ContainsRegex("early +600 +900  \\|##\\.\\|"));
}

}  // namespace
}  // namespace rondo::tools
