// The sampler against a plain twin, which sorts the whole vocabulary: the same token for random
// options and logits, with ties, infinities and what is no number among them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>

#include "runtime/base/portable_math.h"
#include "runtime/sampling/random_bits.h"
#include "tests/runtime/sampling/sampler_fixture.h"

namespace rondo::sampler_twin_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Ranked {
  float value;
  int32_t id;
};

// As sampler.h tells it, step by step, without penalties and n-grams.
int32_t PlainSample(std::vector<float> logits, const SamplerOptions& options, uint64_t position,
                    const std::vector<uint32_t>& allowed) {
  for (const LogitBias& bias : options.logit_bias) {
    logits[static_cast<size_t>(bias.token)] += bias.bias;
  }
  for (size_t i = 0; i < logits.size() && !allowed.empty(); ++i) {
    if ((allowed[i / 32] >> i % 32 & 1) == 0) logits[i] = -kInf;
  }
  std::vector<Ranked> all;
  float max = -kInf;
  for (size_t i = 0; i < logits.size(); ++i) {
    const float score = std::isnan(logits[i]) ? -kInf : std::min(logits[i], FLT_MAX);
    all.push_back({score, static_cast<int32_t>(i)});
    max = std::max(max, score);
  }
  if (max == -kInf) return Sampler::kNoToken;
  if (options.temperature == 0) {
    return std::find_if(all.begin(), all.end(), [&](const Ranked& r) { return r.value == max; })
        ->id;
  }
  for (Ranked& r : all) r.value = (r.value - max) / options.temperature;
  const auto rank = [&] {
    std::stable_sort(all.begin(), all.end(),
                     [](const Ranked& a, const Ranked& b) { return a.value > b.value; });
  };
  if (options.top_k > 0 && static_cast<size_t>(options.top_k) < all.size()) {
    rank();
    all.resize(static_cast<size_t>(options.top_k));
  }
  double sum = 0;
  for (Ranked& r : all) sum += r.value = PortableExp(r.value);
  if (options.top_p < 1) {
    rank();
    double reached = 0;
    size_t kept = 0;
    while (kept < all.size() && reached < options.top_p * sum) reached += all[kept++].value;
    all.resize(kept);
  }
  std::erase_if(all, [&](const Ranked& r) { return r.value < options.min_p; });
  sum = 0;
  for (const Ranked& r : all) sum += r.value;
  const double target = RandomUnit(options.seed, position) * sum;
  sum = 0;
  for (const Ranked& r : all) {
    sum += r.value;
    if (sum > target) return r.id;
  }
  return Sampler::kNoToken;
}

TEST(SamplerTwin, TheSameToken) {
  std::mt19937 random(1);
  const auto one_of = [&](auto... values) {
    const std::common_type_t<decltype(values)...> all[] = {values...};
    return all[random() % std::size(all)];
  };
  for (int i = 0; i < 6000; ++i) {
    const size_t vocab = one_of(1u, 2u, 15u, 16u, 17u, 97u, 1000u, 1025u, 5000u);
    SamplerOptions options;
    options.seed = random();
    options.temperature = one_of(0.0f, 0.05f, 0.8f, 1.0f, 3.0f, 50.0f);
    options.top_k =
        static_cast<int32_t>(std::min<size_t>(one_of(0u, 1u, 2u, 40u, 300u, 4999u), vocab));
    options.top_p = one_of(1.0f, 0.999f, 0.95f, 0.3f, 1e-6f);
    options.min_p = one_of(0.0f, 0.0f, 0.02f, 0.5f, 0.99f);
    std::vector<float> logits = FrozenLogits(vocab, random());
    const float scale = one_of(0.0f, 0.1f, 1.0f, 30.0f);
    for (float& logit : logits) logit *= scale;
    if (random() % 3 == 0) {
      for (float& logit : logits) {
        if (random() % 5 == 0) logit = one_of(kInf, -kInf, kNan, FLT_MAX, -FLT_MAX);
      }
    }
    std::vector<LogitBias> biases;
    for (uint32_t n = random() % 4; n > 0; --n) {
      biases.push_back({static_cast<int32_t>(random() % vocab), one_of(1.5f, -2.0f, -kInf)});
    }
    options.logit_bias = biases;
    std::vector<uint32_t> allowed;
    if (random() % 3 == 0) {
      allowed.resize((vocab + 31) / 32);
      for (uint32_t& word : allowed)
        word = static_cast<uint32_t>(one_of(0ul, ~0ul, random(), random()));
    }
    TestSampler sampler(options, vocab);
    for (uint64_t position = 0; position < 3; ++position) {
      const int32_t token = PlainSample(logits, options, position, allowed);
      ASSERT_EQ(sampler.Sample(logits, allowed), token)
          << "case " << i << " of " << vocab << ": temperature " << options.temperature
          << ", top_k " << options.top_k << ", top_p " << options.top_p << ", min_p "
          << options.min_p;
      sampler.Accept(std::max(token, 0));
    }
  }
}

}  // namespace
}  // namespace rondo::sampler_twin_test
