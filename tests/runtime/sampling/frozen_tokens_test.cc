// Frozen tokens for frozen logits: equal logits, options and seed give these tokens on every
// platform and compiler, and in every later version. A change here breaks that promise.
#include <gtest/gtest.h>

#include "tests/runtime/sampling/sampler_fixture.h"

namespace rondo {
namespace {

struct Case {
  const char* name;
  SamplerOptions options;
  std::vector<int32_t> tokens;
};

TEST(FrozenTokensTest, AreWhatTheyAlwaysWere) {
  static const LogitBias kBias[] = {{3, -2.0f}, {700, 5.0f}};
  const std::vector<Case> cases = {
      {"temperature",
       {.temperature = 1, .seed = 1},
       {903, 307, 925, 53, 737, 189, 800, 583, 214, 194, 220, 585}},
      {"cold",
       {.temperature = 0.3f, .seed = 2},
       {926, 266, 82, 853, 307, 908, 820, 20, 188, 963, 197, 82}},
      {"top_k",
       {.temperature = 1, .top_k = 40, .seed = 3},
       {327, 879, 886, 321, 253, 834, 371, 322, 412, 938, 788, 464}},
      {"top_p",
       {.temperature = 1, .top_p = 0.9f, .seed = 4},
       {603, 259, 772, 162, 434, 835, 340, 252, 397, 332, 266, 913}},
      {"min_p",
       {.temperature = 1, .min_p = 0.05f, .seed = 5},
       {702, 958, 90, 906, 730, 189, 994, 810, 679, 603, 724, 348}},
      {"penalties",
       {.repetition_penalty = 1.2f, .presence_penalty = 0.3f, .frequency_penalty = 0.1f},
       {409, 266, 188, 53, 20, 907, 96, 575, 262, 820, 213, 464}},
      {"all",
       {.temperature = 0.8f,
        .top_k = 60,
        .top_p = 0.95f,
        .min_p = 0.02f,
        .repetition_penalty = 1.1f,
        .presence_penalty = 0.2f,
        .frequency_penalty = 0.2f,
        .penalty_last_n = 8,
        .seed = 0xfedcba9876543210u,
        .logit_bias = kBias},
       {753, 32, 159, 700, 431, 177, 39, 575, 544, 53, 495, 385}},
  };
  for (const Case& c : cases) {
    constexpr size_t kVocab = 1000;
    TestSampler sampler(c.options, kVocab);
    std::vector<int32_t> tokens;
    for (uint32_t i = 0; i < 12; ++i) {
      // Three sets of logits in turn, so that penalties meet what they have seen.
      tokens.push_back(sampler.SampleAndAccept(FrozenLogits(kVocab, i % 3)));
    }
    EXPECT_EQ(tokens, c.tokens) << c.name;
  }
}

}  // namespace
}  // namespace rondo
