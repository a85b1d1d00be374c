#include "tools/common/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/bench/plot.h"

namespace rondo::tools {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

Measurement Measured(TestKind test, uint32_t threads, uint64_t depth, uint32_t rows,
                     double seconds) {
  Measurement m;
  m.test = test;
  m.threads = threads;
  m.tokens = rows;
  m.depth = depth;
  m.rows = rows;
  m.limit = Limit::kBandwidth;
  m.work = 5;
  m.seconds = {seconds};
  m.bandwidth = {10};
  m.one_row_seconds = 1;
  return m;
}

TEST(Chart, TicksAreRound) {
  EXPECT_THAT(RoundTicks(10), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(RoundTicks(16384), ElementsAre(0, 5000, 10000, 15000, 20000));
  EXPECT_THAT(RoundTicks(0.9),
              ElementsAre(0, DoubleNear(0.2, 1e-9), DoubleNear(0.4, 1e-9), DoubleNear(0.6, 1e-9),
                          DoubleNear(0.8, 1e-9), DoubleNear(1, 1e-9)));
  for (const double top : {0.0, -1.0, 1e-9, 1.0, 3.0, 7.77, 99.9, 1e12}) {
    const std::vector<double> ticks = RoundTicks(top);
    EXPECT_GE(ticks.back(), top * 0.999);
    EXPECT_LE(ticks.size(), 9u);
    EXPECT_GE(ticks.size(), 3u);
  }
}

TEST(Chart, TextCannotBreakOut) {
  const std::string svg = DrawCharts("<b>&\x01", {{"a<b", "x", "y", {{"l>", {{0, 0}}}}, {}}});
  EXPECT_THAT(svg, HasSubstr("&lt;b&gt;&amp; "));
  EXPECT_THAT(svg, HasSubstr("a&lt;b"));
  EXPECT_THAT(svg, HasSubstr("l&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

TEST(Plot, DrawsALineForEachNumberOfThreads) {
  std::vector<Measurement> all;
  for (const uint32_t threads : {1, 2}) {
    for (const uint64_t depth : {0, 1000, 2000}) {
      all.push_back(Measured(TestKind::kDecode, threads, depth, 1, 1));
      for (const uint32_t rows : {1, 4}) {
        all.push_back(Measured(TestKind::kVerify, threads, depth, rows, rows));
      }
    }
  }
  const std::string svg = PlotSvg({"a model", "q4b", 32, ""}, all);
  EXPECT_THAT(svg, HasSubstr("a model, q4b in blocks of 32"));
  EXPECT_EQ(Count(svg, "<polyline"), 4u + 6u);
  EXPECT_EQ(Count(svg, "stroke-dasharray=\"5 4\" />") + Count(svg, "stroke-dasharray=\"5 4\"/>"),
            4u)
      << "two lines and their places in the legend";
  EXPECT_EQ(Count(svg, "<circle"), 2u * 3 + 6u * 2);
  EXPECT_THAT(svg, HasSubstr(">2 threads, after 1,000 tokens<"));
  // Decode: 1 token/s of a possible 2; the axis ends at the limit, so the line lies half way up.
  EXPECT_THAT(svg, HasSubstr(">Decode<"));
  EXPECT_THAT(svg, HasSubstr(">tokens per second<"));
}

TEST(Plot, WhatWasNotMeasuredIsNotDrawn) {
  const std::string svg =
      PlotSvg({"m", "q8", 0, ""}, {Measurement(), Measured(TestKind::kDecode, 1, 0, 1, 1)});
  EXPECT_THAT(svg, HasSubstr("Decode"));
  EXPECT_THAT(svg, Not(HasSubstr("Verify")));
  EXPECT_EQ(Count(svg, "<polyline"), 2u);
}

}  // namespace
}  // namespace rondo::tools
