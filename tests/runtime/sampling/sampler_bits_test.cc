// The sampler against the arithmetic that its tokens are promised by, written plainly: everything
// is sorted, and sums run in the order of ranks, within bins where top_p asks for them. The same
// token to the bit: sums that differ in their last one draw others now and then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "runtime/base/portable_math.h"
#include "runtime/sampling/random_bits.h"
#include "runtime/sampling/score_loops.h"
#include "tests/runtime/sampling/sampler_fixture.h"

namespace rondo::sampler_bits_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Token {
  int32_t id;
  float score;  // then its weight
  float weight;
};

void Rank(std::vector<Token>* tokens) {
  std::sort(tokens->begin(), tokens->end(), [](const Token& a, const Token& b) {
    return a.score != b.score ? a.score > b.score : a.id < b.id;
  });
}

double Keep(std::vector<Token>* ranked, double enough) {
  double sum = 0;
  size_t n = 0;
  while (n < ranked->size() && sum < enough) sum += static_cast<double>((*ranked)[n++].weight);
  ranked->resize(n);
  return sum;
}

int32_t Pass(const std::vector<Token>& ranked, double target) {
  int32_t last = Sampler::kNoToken;
  double sum = 0;
  for (const Token& token : ranked) {
    if (token.weight == 0) continue;
    last = token.id;
    sum += static_cast<double>(token.weight);
    if (sum > target) break;
  }
  return last;
}

// 32 bins for each halving.
size_t BinOf(float weight) {
  const uint32_t below = std::bit_cast<uint32_t>(1.0f) - std::bit_cast<uint32_t>(weight);
  return std::min<size_t>(below >> 18, 1023);
}

int32_t PlainTopK(std::vector<Token> tokens, const SamplerOptions& options, double random) {
  std::erase_if(tokens, [](const Token& token) { return token.score == -kInf; });
  Rank(&tokens);
  tokens.resize(std::min(tokens.size(), static_cast<size_t>(options.top_k)));
  double sum = 0;
  for (Token& token : tokens) {
    sum += static_cast<double>(token.weight);
    if (token.weight < options.min_p) token.weight = 0;
  }
  const double kept = Keep(&tokens, options.top_p < 1 ? options.top_p * sum : sum);
  return Pass(tokens, random * kept);
}

int32_t PlainTopP(const std::vector<Token>& tokens, const SamplerOptions& options, double random) {
  std::vector<float> weights;
  for (const Token& token : tokens) weights.push_back(token.weight);
  const double enough = options.top_p * SumWeights(weights);
  std::map<size_t, std::vector<Token>> bins;
  std::vector<double> sums(1024);
  for (Token token : tokens) {
    if (token.weight < options.min_p || token.weight == 0) continue;
    token.score = token.weight;
    const size_t bin = BinOf(token.weight);
    bins[bin].push_back(token);
    sums[bin] += static_cast<double>(token.weight);
  }
  double above = 0;
  size_t last = 0;
  while (last < 1023 && above + sums[last] < enough) above += sums[last++];
  Rank(&bins[last]);
  const double target = random * (above + Keep(&bins[last], enough - above));
  if (target >= above) return Pass(bins[last], target - above);
  double before = 0;
  size_t bin = 0;
  for (; before + sums[bin] <= target; ++bin) before += sums[bin];
  Rank(&bins[bin]);
  return Pass(bins[bin], target - before);
}

int32_t PlainSample(std::vector<float> logits, const SamplerOptions& options, uint64_t position) {
  float max = -kInf;
  for (float& logit : logits) {
    logit = std::isnan(logit) ? -kInf : std::min(logit, FLT_MAX);
    max = std::max(max, logit);
  }
  if (max == -kInf) return Sampler::kNoToken;
  std::vector<Token> tokens;
  for (size_t i = 0; i < logits.size(); ++i) {
    const float score = (logits[i] - max) / options.temperature;
    tokens.push_back({static_cast<int32_t>(i), score, PortableExp(score)});
  }
  const double random = RandomUnit(options.seed, position);
  const bool top_k = options.top_k > 0 && static_cast<size_t>(options.top_k) < logits.size();
  return top_k ? PlainTopK(tokens, options, random) : PlainTopP(tokens, options, random);
}

TEST(SamplerBits, TheSameTokenAsSortingGives) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  const auto one_of = [&](auto... values) {
    const std::common_type_t<decltype(values)...> all[] = {values...};
    return all[random() % std::size(all)];
  };
  for (int i = 0; i < 500; ++i) {
    const size_t vocab = i % 25 == 0 ? 262144 : one_of(1u, 2u, 63u, 65u, 1000u, 4097u, 20000u);
    const float scale = one_of(0.0f, 1e-6f, 0.01f, 1.0f, 3.0f, 12.0f);
    std::vector<float> logits(vocab);
    for (float& logit : logits) logit = scale * normal(random);
    if (random() % 3 == 0) {
      for (float& logit : logits) logit = std::round(logit * 4) / 4;
    }
    if (random() % 3 == 0) logits[random() % vocab] += one_of(5.0f, 23.0f, 60.0f);
    if (random() % 4 == 0) {
      for (float& logit : logits) {
        if (random() % 5 == 0) logit = one_of(kInf, -kInf, std::nanf(""), FLT_MAX, -FLT_MAX, -0.0f);
      }
    }
    if (random() % 4 == 0) {  // those that are looked at first tell nothing of the others
      const float more = one_of(-1.0f, 1.0f);
      for (size_t id = 0; id < vocab; id += 64) logits[id] += more;
    }
    SamplerOptions options;
    options.seed = random();
    options.temperature = one_of(0.3f, 1.0f, 100.0f);
    options.top_p = one_of(0.5f, 0.95f, 0.999f, 0.9999999f);
    options.min_p = one_of(0.0f, 0.0f, 0.0f, 0.01f);
    if (random() % 2 == 0) {
      const size_t k = one_of(1u, 40u, 1000u, 100000u, 262143u);
      options.top_k = static_cast<int32_t>(std::min(k, vocab));
      options.top_p = one_of(1.0f, options.top_p);
    }
    TestSampler sampler(options, vocab);
    for (uint64_t position = 0; position < (vocab > 20000 ? 3 : 8); ++position) {
      if (options.top_p == 1 &&
          (options.top_k == 0 || options.top_k >= static_cast<int64_t>(vocab)))
        break;
      const int32_t token = PlainSample(logits, options, position);
      ASSERT_EQ(sampler.Sample(logits), token)
          << "case " << i << " of " << vocab << ": scale " << scale << ", temperature "
          << options.temperature << ", top_k " << options.top_k << ", top_p " << options.top_p
          << ", min_p " << options.min_p;
      sampler.Accept(std::max(token, 0));
    }
  }
}

// Penalties count each token of the window once, as often as it is there.
TEST(SamplerBits, PenaltiesAreThoseOfCounts) {
  constexpr size_t kVocab = 3000;
  std::mt19937 random(2);
  for (const int32_t last_n : {0, 1, 64, 4096}) {
    SamplerOptions options;
    options.repetition_penalty = 1.3f;
    options.frequency_penalty = 0.05f;
    options.presence_penalty = 0.2f;
    options.penalty_last_n = last_n;
    TestSampler sampler(options, kVocab, 6000);
    std::vector<int32_t> text;
    const std::vector<float> logits = FrozenLogits(kVocab, 7);
    for (int i = 0; i < 5000; ++i) {
      text.push_back(static_cast<int32_t>(random() % (random() % kVocab + 1)));
      sampler.Accept(text.back());
      if (i % 97 == 0) {
        sampler.Undo(1);
        text.pop_back();
      }
      if (i % 100 != 0) continue;
      std::map<int32_t, int> counts;
      const size_t window = std::min<size_t>(text.size(), static_cast<size_t>(last_n));
      for (size_t at = text.size() - window; at < text.size(); ++at) ++counts[text[at]];
      std::vector<float> scores = logits;
      for (const auto& [token, count] : counts) {
        float& score = scores[static_cast<size_t>(token)];
        score = score > 0 ? score / 1.3f : score * 1.3f;
        score -= static_cast<float>(count) * 0.05f + 0.2f;
      }
      const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
      ASSERT_EQ(sampler.Sample(logits), best) << last_n << " at " << i;
    }
  }
}

}  // namespace
}  // namespace rondo::sampler_bits_test
