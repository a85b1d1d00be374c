#include "tools/common/sampling.h"

#include <gtest/gtest.h>

namespace rondo::tools {
namespace {

TEST(SamplingTest, IsDescribedByWhatIsOn) {
  rondo_session_options options;
  rondo_session_options_init(&options, sizeof options);
  EXPECT_EQ(DescribeSampling(options), "the most likely token");
  EXPECT_EQ(DescribeDraw(options), "the most likely token");
  options.top_k = 5;  // of no use without a temperature
  options.repetition_penalty = 1.25f;
  EXPECT_EQ(DescribeSampling(options), "the most likely token, repetition penalty 1.25");
  options.temperature = 0.6f;
  EXPECT_EQ(DescribeSampling(options), "temperature 0.6, top-k 5, repetition penalty 1.25");
  rondo_session_options_init(&options, sizeof options);
  options.temperature = 1;
  options.top_p = 0.95f;
  options.min_p = 0.05f;
  options.presence_penalty = -1;
  options.frequency_penalty = 0.5f;
  options.seed = 7;
  EXPECT_EQ(DescribeDraw(options),
            "temperature 1, top-p 0.95, min-p 0.05, presence penalty -1, frequency penalty 0.5, "
            "seed 7");
}

}  // namespace
}  // namespace rondo::tools
