#include "tools/bench/costs.h"

#include <gtest/gtest.h>

#include "tools/common/error.h"

namespace rondo::tools {
namespace {

using format::TensorFormat;

ModelCosts Simple() {
  ModelCosts costs;
  costs.weight_bytes = 1000;
  costs.layer_products = 50;
  costs.head_products = 7;
  costs.caches = {{10, 0, false}};
  return costs;
}

TEST(BenchCosts, DecodeReadsTheWeightsAndHalfOfWhatItAdds) {
  const ModelCosts costs = Simple();
  EXPECT_EQ(PassBytes(costs, 100, 1), 1000 + 10 * 100.5);
  EXPECT_EQ(PassBytes(costs, 100, 4), 1000 + 10 * 102);
  EXPECT_EQ(DecodeBytes(costs, 0, 1), PassBytes(costs, 0, 1));
  EXPECT_EQ(DecodeBytes(costs, 100, 8), 8 * (1000 + 10 * 104));
}

TEST(BenchCosts, SessionsSideBySideReadTheWeightsOnce) {
  const ModelCosts costs = Simple();
  EXPECT_EQ(SideBySideBytes(costs, 100, 8, 1), DecodeBytes(costs, 100, 8));
  EXPECT_EQ(SideBySideBytes(costs, 100, 8, 3), 8 * (1000 + 3 * 10 * 104));
}

TEST(BenchCosts, PrefillMultipliesTheHeadOnce) {
  EXPECT_EQ(PrefillOperations(Simple(), 1), 2 * (50 + 7));
  EXPECT_EQ(PrefillOperations(Simple(), 512), 2 * (512 * 50 + 7));
}

TEST(BenchCosts, AWindowShowsNoMoreThanItself) {
  ModelCosts costs;
  costs.caches = {{10, 100, false}};
  EXPECT_EQ(CacheBytes(costs, 20, 1), 10 * 20.5) << "it is not full yet";
  EXPECT_EQ(CacheBytes(costs, 100, 1), 10 * 100);
  EXPECT_EQ(CacheBytes(costs, 5000, 3), 10 * 3 * 100);
  // 10 rows see 90.5 to 99.5, ten more 100.
  EXPECT_EQ(CacheBytes(costs, 90, 20), 10 * (10 * 95 + 10 * 100));
}

TEST(BenchCosts, AChunkShowsWhatIsOfIt) {
  ModelCosts costs;
  costs.caches = {{10, 100, true}};
  EXPECT_EQ(CacheBytes(costs, 99, 1), 10 * 99.5);
  EXPECT_EQ(CacheBytes(costs, 100, 1), 10 * 0.5) << "the first one of the next chunk";
  EXPECT_EQ(CacheBytes(costs, 730, 1), 10 * 30.5);
  EXPECT_EQ(CacheBytes(costs, 0, 300), 10 * 3 * 100 * 50);
}

// Of 8 experts a row reads 2; the next one reads three quarters of 2 others.
TEST(BenchCosts, ExpertsAreReadAsRowsChooseThem) {
  ModelCosts costs;
  costs.weight_bytes = 5;
  costs.experts = {{800, 2, 8}};
  EXPECT_DOUBLE_EQ(WeightBytes(costs, 1), 5 + 200);
  EXPECT_DOUBLE_EQ(WeightBytes(costs, 2), 5 + 350);
  EXPECT_NEAR(WeightBytes(costs, 1000), 5 + 800, 1e-9);
  EXPECT_DOUBLE_EQ(SideBySideBytes(costs, 0, 10, 2), 10 * (5 + 350));
  EXPECT_DOUBLE_EQ(PassBytes(costs, 0, 2), 5 + 350);
}

TEST(BenchCosts, StatesAreReadAndWrittenByEachSession) {
  ModelCosts costs;
  costs.state_bytes = 100;
  costs.row_bytes = 3;
  EXPECT_EQ(DecodeBytes(costs, 1000, 4), 4 * (200 + 3)) << "whatever the depth is";
  EXPECT_EQ(SideBySideBytes(costs, 0, 4, 5), 5 * 4 * (200 + 3));
  EXPECT_EQ(PassBytes(costs, 0, 8), 200 + 8 * 3) << "once for all rows of a sequence";
}

// A tile of AVX512-VNNI has 16 channels: in q8 each has its inputs, in groups of 8, and 12 bytes;
// in q4 a tile has 64 bytes of selectors for 128 inputs, 128 of codes for 16, and 12 for a channel.
TEST(BenchCosts, MatricesAreAsLargeAsTheyArePacked) {
  ModelParts parts;
  parts.head = {TensorFormat::Q8, 100, 30};
  EXPECT_EQ(CostsOf(parts, "avx512vnni").weight_bytes, 7 * 16 * (32 + 12));
  EXPECT_EQ(CostsOf(parts, "sse41").weight_bytes, 25 * 4 * (32 + 12));
  parts.head = {TensorFormat::Q4, 20, 200};
  EXPECT_EQ(CostsOf(parts, "avx512vnni").weight_bytes, 2 * (2 * 64 + 14 * 128 + 16 * 12));
  EXPECT_EQ(CostsOf(parts, "avx512vnni").head_products, 20 * 200);
  parts.head = {TensorFormat::F32, 20, 200};
  EXPECT_EQ(CostsOf(parts, "avx512vnni").head_products, 0) << "no int8 products";
  EXPECT_THROW(CostsOf(parts, "none"), Error);
}

}  // namespace
}  // namespace rondo::tools
