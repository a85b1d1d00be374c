#include "tools/convert/architectures/rope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "tests/temp_folder.h"
#include "tests/tools/error_of.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert::rope_test {
namespace {

using testing::HasSubstr;

RopeSpec Read(const std::string& json, uint32_t head_dim = 64, uint32_t context = 4096) {
  const TempFolder folder;
  std::ofstream(folder / "config.json") << json;
  return ReadRope(Config::Load(folder / "config.json"), {head_dim, context});
}

std::string Refusal(const std::string& json) {
  return SentenceOf([&] { Read(json); });
}

double Plain(uint32_t i, double theta, uint32_t dim) { return std::pow(theta, -2.0 * i / dim); }

void ExpectNear(double got, double expected) { EXPECT_NEAR(got / expected, 1, 3e-7); }

TEST(Rope, DefaultInEveryForm) {
  for (const char* json :
       {R"({"rope_theta": 500000.0})", R"({"rope_theta": 500000.0, "rope_scaling": null})",
        R"({"rope_theta": 500000, "rope_scaling": {"type": "default"}})",
        R"({"rope_parameters": {"rope_theta": 500000.0, "rope_type": "default"}})"}) {
    const RopeSpec rope = Read(json);
    ASSERT_EQ(rope.frequencies.size(), 32u);
    EXPECT_EQ(rope.scale, 1.0f);
    for (uint32_t i = 0; i < 32; ++i) ExpectNear(rope.frequencies[i], Plain(i, 500000, 64));
  }
  EXPECT_EQ(Read("{}").frequencies, Read(R"({"rope_theta": 10000})").frequencies);
}

TEST(Rope, LinearDividesByTheFactor) {
  const RopeSpec rope = Read(R"({"rope_scaling": {"type": "linear", "factor": 4.0}})");
  for (uint32_t i = 0; i < 32; ++i) ExpectNear(rope.frequencies[i], Plain(i, 10000, 64) / 4);
}

// Up to the context length as without scaling; there it ends.
TEST(Rope, DynamicEndsAtTheContextLength) {
  for (const char* json :
       {R"({"rope_theta": 5000.0, "rope_scaling": {"type": "dynamic", "factor": 4.0}})",
        R"({"rope_parameters": {"rope_theta": 5000, "rope_type": "dynamic", "factor": 4.0}})"}) {
    const RopeSpec rope = Read(json, 64, 32);
    for (uint32_t i = 0; i < 32; ++i) ExpectNear(rope.frequencies[i], Plain(i, 5000, 64));
    EXPECT_TRUE(rope.long_frequencies.empty());
    EXPECT_EQ(rope.short_context, 32u);
    EXPECT_THAT(rope.description, HasSubstr("dynamic, theta 5000, up to 32 tokens"));
  }
  EXPECT_EQ(Read(R"({"rope_theta": 5000})").short_context, 0u);
}

// What transformers 5 calls rope_parameters may stand in rope_scaling, too, or in both.
TEST(Rope, OlderFormsAreNotDropped) {
  const auto frequencies = [](const char* json) { return Read(json).frequencies; };
  const auto linear = frequencies(R"({"rope_theta": 500, "rope_scaling": {"type": "linear",
      "factor": 4}})");
  EXPECT_EQ(frequencies(R"({"rope_theta": 7, "rope_scaling": {"rope_type": "linear", "factor": 4,
      "rope_theta": 500}})"),
            linear);
  EXPECT_EQ(frequencies(R"({"rope_theta": 500, "rope_parameters": {"rope_type": "linear",
      "factor": 4}})"),
            linear);
  EXPECT_EQ(frequencies(R"({"rope_parameters": {"rope_type": "linear", "factor": 4,
      "rope_theta": 500}, "rope_scaling": {"type": "linear", "factor": 4}})"),
            linear);
  EXPECT_THAT(Refusal(R"({"rope_parameters": {"rope_type": "default", "rope_theta": 500},
      "rope_scaling": {"type": "linear", "factor": 4}})"),
              HasSubstr("key rope_scaling contradicts rope_parameters"));
  EXPECT_THAT(Refusal(R"({"rope_parameters": {"rope_type": "linear", "factor": 2},
      "rope_scaling": {"type": "linear", "factor": 4}})"),
              HasSubstr("key rope_scaling contradicts rope_parameters"));
  // Phi-3's first files call longrope so.
  const char* const kFactors = R"("original_max_position_embeddings": 8,
      "short_factor": [1, 2], "long_factor": [3, 4]}})";
  const auto phi3 = [&](const std::string& type) {
    return Read(R"({"rope_scaling": {"type": ")" + type + R"(", )" + kFactors, 4, 64);
  };
  EXPECT_EQ(phi3("yarn").long_frequencies, phi3("longrope").long_frequencies);
  EXPECT_EQ(phi3("yarn").frequencies, phi3("su").frequencies);
  EXPECT_FALSE(phi3("yarn").long_frequencies.empty());
}

// By wavelength: long ones are stretched, short ones kept, those between blended.
TEST(Rope, Llama3) {
  const RopeSpec rope = Read(R"({"rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3",
      "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
      "original_max_position_embeddings": 8192}})");
  int kept = 0, stretched = 0, blended = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    const double plain = Plain(i, 500000, 64), turns = 8192 * plain / (2 * std::numbers::pi);
    if (turns > 4) {
      ++kept;
      ExpectNear(rope.frequencies[i], plain);
    } else if (turns < 1) {
      ++stretched;
      ExpectNear(rope.frequencies[i], plain / 32);
    } else {
      ++blended;
      const double smooth = (turns - 1) / 3;
      EXPECT_NEAR(rope.frequencies[i] / (plain * ((1 - smooth) / 32 + smooth)), 1, 1e-5);
    }
  }
  EXPECT_EQ(kept, 15);
  EXPECT_EQ(blended, 3);
  EXPECT_EQ(stretched, 14);
}

constexpr const char* kYarn = R"({"rope_theta": 10000.0, "rope_scaling": {"rope_type": "yarn",
    "factor": 4.0, "original_max_position_embeddings": 1024%s}})";

RopeSpec Yarn(const char* more) {
  char json[400];
  std::snprintf(json, sizeof(json), kYarn, more);
  return Read(json);
}

TEST(Rope, YarnRampsBetweenTheCorrectionChannels) {
  const RopeSpec rope = Yarn("");
  // channel(r) = 64 ln(1024 / (2 pi r)) / (2 ln 10000): 5.65 for 32 turns and 17.70 for one.
  for (uint32_t i = 0; i < 32; ++i) {
    const double plain = Plain(i, 10000, 64);
    const double ramp = std::clamp((i - 5.0) / (18.0 - 5.0), 0.0, 1.0);
    EXPECT_NEAR(rope.frequencies[i] / (plain * (1 - ramp) + plain / 4 * ramp), 1, 1e-6) << i;
  }
  EXPECT_FLOAT_EQ(rope.scale, static_cast<float>(0.1 * std::log(4.0) + 1));
}

TEST(Rope, YarnWithoutTruncation) {
  const RopeSpec rope = Yarn(R"(, "truncate": false, "beta_fast": 16, "beta_slow": 2)");
  const auto channel = [](double turns) {
    return 64 * std::log(1024 / (turns * 2 * std::numbers::pi)) / (2 * std::log(10000.0));
  };
  for (uint32_t i = 0; i < 32; ++i) {
    const double plain = Plain(i, 10000, 64);
    const double ramp = std::clamp((i - channel(16)) / (channel(2) - channel(16)), 0.0, 1.0);
    EXPECT_NEAR(rope.frequencies[i] / (plain * (1 - ramp) + plain / 4 * ramp), 1, 1e-6) << i;
  }
}

TEST(Rope, YarnScale) {
  EXPECT_EQ(Yarn(R"(, "attention_factor": 1.5)").scale, 1.5f);
  EXPECT_FLOAT_EQ(Yarn(R"(, "mscale": 0.707, "mscale_all_dim": 1.4)").scale,
                  static_cast<float>((0.0707 * std::log(4.0) + 1) / (0.14 * std::log(4.0) + 1)));
  EXPECT_EQ(Yarn(R"(, "mscale": 1.0, "mscale_all_dim": 1.0)").scale, 1.0f);
  // One alone is not used.
  EXPECT_EQ(Yarn(R"(, "mscale": 0.5)").scale, Yarn("").scale);
}

TEST(Rope, YarnFactorFromTheTwoLengths) {
  const RopeSpec rope = Read(R"({"rope_scaling": {"rope_type": "yarn",
      "original_max_position_embeddings": 1024}})");
  EXPECT_EQ(rope.frequencies, Yarn("").frequencies);
}

TEST(Rope, PartOfAHead) {
  const RopeSpec rope = Read(R"({"partial_rotary_factor": 0.25})");
  ASSERT_EQ(rope.frequencies.size(), 8u);
  for (uint32_t i = 0; i < 8; ++i) ExpectNear(rope.frequencies[i], Plain(i, 10000, 16));
}

TEST(Rope, LongRopeHasTwoSetsOfFrequencies) {
  const RopeSpec rope = Read(R"({"original_max_position_embeddings": 64, "rope_scaling":
      {"type": "su", "short_factor": [1, 1.5], "long_factor": [2, 5]}})",
                             4, 256);
  EXPECT_EQ(rope.short_context, 64u);
  ExpectNear(rope.frequencies[1], Plain(1, 10000, 4) / 1.5);
  ExpectNear(rope.long_frequencies[0], 0.5);
  ExpectNear(rope.long_frequencies[1], Plain(1, 10000, 4) / 5);
  ExpectNear(rope.scale, std::sqrt(1 + std::log(4.0) / std::log(64.0)));
}

TEST(Rope, RefusesByKey) {
  EXPECT_THAT(Refusal(R"({"rope_scaling": {"type": "spiral", "factor": 2}})"),
              HasSubstr("key rope_scaling.rope_type is spiral; known: default, linear"));
  EXPECT_THAT(Refusal(R"({"rope_scaling": {"type": "linear"}})"),
              HasSubstr("key rope_scaling.factor is missing"));
  EXPECT_THAT(Refusal(R"({"rope_scaling": {"type": "linear", "factor": 0}})"),
              HasSubstr("rope_scaling.factor is 0, expected a number above 0"));
  EXPECT_THAT(Refusal(R"({"rope_scaling": {"type": "linear", "factor": "2"}})"),
              HasSubstr("rope_scaling.factor is not a number"));
  EXPECT_THAT(Refusal(R"({"rope_scaling": "yarn"})"), HasSubstr("rope_scaling is not an object"));
  EXPECT_THAT(Refusal(R"({"rope_theta": -1})"), HasSubstr("rope_theta is -1"));
  EXPECT_THAT(Refusal(R"({"rope_theta": 1e999})"), HasSubstr("config.json"));
  EXPECT_THAT(Refusal(R"({"rope_theta": 1e-300})"), HasSubstr("too small for a float"));
  EXPECT_THAT(Refusal(R"({"rope_theta": 5, "rope_parameters": {"rope_theta": 6}})"),
              HasSubstr("rope_theta contradicts"));
  EXPECT_THAT(Refusal(R"({"partial_rotary_factor": 1.5})"),
              HasSubstr("key partial_rotary_factor is above 1"));
  EXPECT_THAT(Refusal(R"({"rope_parameters": {"partial_rotary_factor": 0.52}})"),
              HasSubstr("partial_rotary_factor leaves 33 of a head's 64 channels"));
  EXPECT_THAT(Refusal(R"({"original_max_position_embeddings": 64, "rope_scaling":
                          {"type": "longrope", "short_factor": [1, 2], "long_factor": [1, 2]}})"),
              HasSubstr("short_factor has 2 factors, expected 32"));
  std::string factors = "[1e-39";
  for (int i = 1; i < 32; ++i) factors += ", 1";
  factors += "]";
  EXPECT_THAT(Refusal(R"({"original_max_position_embeddings": 64, "rope_scaling":
                          {"type": "longrope", "short_factor": )" +
                      factors + R"(, "long_factor": )" + factors + "}}"),
              HasSubstr("not finite"));
  EXPECT_THAT(Refusal(R"({"rope_scaling": {"type": "llama3", "factor": 8, "low_freq_factor": 4,
                           "high_freq_factor": 4, "original_max_position_embeddings": 64}})"),
              HasSubstr("low_freq_factor is not below"));
  EXPECT_THAT(Refusal(R"({"rope_theta": 1, "rope_scaling": {"type": "yarn", "factor": 8}})"),
              HasSubstr("must be above 1"));
}

}  // namespace
}  // namespace rondo::convert::rope_test
