// What Prometheus reads.
#include "tools/serve/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::tools::serve {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(MetricsTest, BucketsAddUp) {
  Histogram histogram;
  for (const double seconds : {0.0005, 0.001, 0.002, 500.0}) histogram.Observe(seconds);
  std::string text;
  histogram.Write("a", "m=\"x\"", &text);
  EXPECT_THAT(text, HasSubstr("a_bucket{m=\"x\",le=\"0.001\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("a_bucket{m=\"x\",le=\"0.0025\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("a_bucket{m=\"x\",le=\"120\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("a_bucket{m=\"x\",le=\"+Inf\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("a_count{m=\"x\"} 4\n"));
  Histogram sum;
  sum.Add(histogram);
  sum.Add(histogram);
  text.clear();
  sum.Write("a", "m=\"x\"", &text);
  EXPECT_THAT(text, HasSubstr("a_count{m=\"x\"} 8\n"));
}

TEST(MetricsTest, NamesAreOursOrBesideThemOfVllm) {
  Metrics metrics;
  metrics.CountReply("/v1/models", 200);
  GenerationFacts facts;
  facts.model = "a\"b";
  facts.completion_tokens = 3;
  facts.first_seconds = 0.1;
  metrics.CountGeneration(facts);
  Metrics::Gauges gauges;
  gauges.queued = 2;
  gauges.models.push_back({"a\"b", 0.25});
  const std::string own = metrics.Text(gauges, false), both = metrics.Text(gauges, true);
  EXPECT_THAT(own, HasSubstr("rondo_requests_waiting 2\n"));
  EXPECT_THAT(own, HasSubstr("rondo_http_replies_total{path=\"/v1/models\",status=\"200\"} 1\n"));
  EXPECT_THAT(own, HasSubstr("rondo_generated_tokens_total{model=\"a\\\"b\"} 3\n"));
  EXPECT_THAT(own, HasSubstr("rondo_kv_usage{model=\"a\\\"b\"} 0.25\n"));
  EXPECT_THAT(own, Not(HasSubstr("vllm:")));
  EXPECT_THAT(both, HasSubstr("vllm:num_requests_waiting{model_name=\"a\\\"b\"} 2\n"));
  EXPECT_THAT(both, HasSubstr("vllm:kv_cache_usage_perc{model_name=\"a\\\"b\"} 0.25\n"));
}

}  // namespace
}  // namespace rondo::tools::serve
