#include "runtime/plan/memory_plan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace rondo {
namespace {

TEST(MemoryPlanTest, SegmentsFollowEachOtherInOrder) {
  MemoryPlan plan;
  const auto workspace = plan.Add(Segment::kWorkspace, 1, "scratch");
  const auto kv = plan.Add(Segment::kKvPool, 100, "kv");
  const auto norm = plan.Add(Segment::kWeights, 64, "norm");
  const auto head = plan.Add(Segment::kWeights, 65, "head");
  const auto slot = plan.Add(Segment::kSessions, 10, "slot");
  const auto x = plan.Add(Segment::kActivations, 32, "x", 0, 1);
  ASSERT_TRUE(plan.Layout().ok());
  EXPECT_EQ(plan.region(norm).offset, 0u);
  EXPECT_EQ(plan.region(head).offset, 64u);
  EXPECT_EQ(plan.region(kv).offset, 192u);
  EXPECT_EQ(plan.region(slot).offset, 320u);
  EXPECT_EQ(plan.region(x).offset, 384u);
  EXPECT_EQ(plan.region(workspace).offset, 448u);
  EXPECT_EQ(plan.arena_bytes(), 512u);
  EXPECT_EQ(plan.segment_offset(Segment::kKvPool), 192u);
  EXPECT_EQ(plan.segment_bytes(Segment::kWeights), 192u);
  EXPECT_STREQ(plan.region(head).name, "head");
  EXPECT_EQ(plan.region(head).bytes, 65u);
}

TEST(MemoryPlanTest, ActivationsShareWhereLifetimesAllow) {
  MemoryPlan plan;
  const auto a = plan.Add(Segment::kActivations, 128, "a", 0, 1);
  const auto b = plan.Add(Segment::kActivations, 64, "b", 1, 2);
  const auto c = plan.Add(Segment::kActivations, 128, "c", 2, 3);
  ASSERT_TRUE(plan.Layout().ok());
  EXPECT_EQ(plan.region(a).offset, 0u);
  EXPECT_EQ(plan.region(c).offset, 0u);
  EXPECT_EQ(plan.region(b).offset, 128u);
  EXPECT_EQ(plan.arena_bytes(), 192u);
  EXPECT_EQ(plan.activation_lower_bound(), 192u);
}

// Each alone would fit.
TEST(MemoryPlanTest, WhatIsTogetherLargerThanMemoryIsRefused) {
  constexpr size_t kNearlyHalf = SIZE_MAX / 2 - 128;
  MemoryPlan plan;
  plan.Add(Segment::kWorkspace, kNearlyHalf, "a");
  plan.Add(Segment::kWorkspace, kNearlyHalf, "b");
  plan.Add(Segment::kWorkspace, kNearlyHalf, "c");
  EXPECT_EQ(plan.Layout().code(), StatusCode::kOutOfMemory);
}

TEST(MemoryPlanTest, OtherSegmentsNeverShare) {
  MemoryPlan plan;
  plan.Add(Segment::kWorkspace, 64, "a", 0, 0);
  plan.Add(Segment::kWorkspace, 64, "b", 1, 1);
  ASSERT_TRUE(plan.Layout().ok());
  EXPECT_EQ(plan.arena_bytes(), 128u);
}

TEST(MemoryPlanTest, EmptyPlanAndEmptyBlocks) {
  MemoryPlan plan;
  ASSERT_TRUE(plan.Layout().ok());
  EXPECT_EQ(plan.arena_bytes(), 0u);
  plan.Add(Segment::kActivations, 0, "nothing", 0, 0);
  ASSERT_TRUE(plan.Layout().ok());
  EXPECT_EQ(plan.arena_bytes(), 0u);
}

TEST(MemoryPlanTest, LongNamesAreCut) {
  MemoryPlan plan;
  plan.Add(Segment::kWeights, 1, std::string(200, 'n').c_str());
  ASSERT_TRUE(plan.Layout().ok());
  EXPECT_EQ(std::string(plan.region(0).name), std::string(PlanRegion::kMaxName - 1, 'n'));
}

TEST(MemoryPlanTest, OverflowIsAnError) {
  MemoryPlan one;
  one.Add(Segment::kWeights, SIZE_MAX - 8, "w");  // overflows when rounded up
  EXPECT_EQ(one.Layout().code(), StatusCode::kOutOfMemory);
  for (const Segment segment : {Segment::kWeights, Segment::kActivations}) {
    MemoryPlan sum;
    sum.Add(segment, SIZE_MAX / 2, "a");
    sum.Add(segment, SIZE_MAX / 2 + 64, "b");
    EXPECT_EQ(sum.Layout().code(), StatusCode::kOutOfMemory);
  }
}

TEST(MemoryPlanTest, MisuseIsAnError) {
  MemoryPlan backwards;
  backwards.Add(Segment::kActivations, 1, "a", 2, 1);
  EXPECT_EQ(backwards.Layout().code(), StatusCode::kInternal);
}

TEST(MemoryPlanTest, TakesAnyNumberOfRegions) {
  MemoryPlan plan;
  constexpr size_t kMany = 5000;
  for (size_t i = 0; i < kMany; ++i) {
    ASSERT_EQ(plan.Add(Segment::kKvPool, 1, std::to_string(i).c_str()), i);
  }
  ASSERT_TRUE(plan.Layout().ok());
  ASSERT_EQ(plan.size(), kMany);
  EXPECT_EQ(plan.arena_bytes(), kMany * kArenaAlignment);
  EXPECT_STREQ(plan.region(kMany - 1).name, "4999");
  EXPECT_EQ(plan.region(kMany - 1).offset, (kMany - 1) * kArenaAlignment);
}

// Over random requests: aligned, inside their segment, never overlapping while both are live,
// and never below the bound.
TEST(MemoryPlanTest, PropertiesHoldForRandomRequests) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const size_t count = 1 + random() % 40;
    MemoryPlan plan;
    for (size_t i = 0; i < count; ++i) {
      const auto segment = static_cast<Segment>(random() % 2 ? 3 : random() % kSegmentCount);
      const auto first = static_cast<int32_t>(random() % 20);
      plan.Add(segment, random() % 5000, "region", first,
               first + static_cast<int32_t>(random() % 8));
    }
    ASSERT_TRUE(plan.Layout().ok());
    size_t segment_end = 0;
    for (int s = 0; s < kSegmentCount; ++s) {
      EXPECT_EQ(plan.segment_offset(static_cast<Segment>(s)), segment_end);
      segment_end += plan.segment_bytes(static_cast<Segment>(s));
    }
    EXPECT_EQ(plan.arena_bytes(), segment_end);
    EXPECT_LE(plan.activation_lower_bound(), plan.segment_bytes(Segment::kActivations));
    for (size_t i = 0; i < count; ++i) {
      const PlanRegion& a = plan.region(static_cast<uint32_t>(i));
      EXPECT_EQ(a.offset % kArenaAlignment, 0u);
      EXPECT_GE(a.offset, plan.segment_offset(a.segment));
      EXPECT_LE(a.offset + a.bytes, plan.segment_offset(a.segment) + plan.segment_bytes(a.segment));
      for (size_t j = 0; j < i; ++j) {
        const PlanRegion& b = plan.region(static_cast<uint32_t>(j));
        const bool apart_in_time = a.segment == Segment::kActivations &&
                                   b.segment == Segment::kActivations &&
                                   (a.last_step < b.first_step || b.last_step < a.first_step);
        if (apart_in_time) continue;
        EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset)
            << "round " << round << ", regions " << i << " and " << j;
      }
    }
  }
}

}  // namespace
}  // namespace rondo
