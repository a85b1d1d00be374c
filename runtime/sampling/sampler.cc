// Scores are adjusted, scaled and weighed in a copy of the logits, in loops over the vocabulary;
// only those are ranked among which top_k or top_p draws a line. Ranking is a total order, and sums
// run in a fixed order: no result hangs on the library's sorting.
#include "runtime/sampling/sampler.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime/base/checked.h"
#include "runtime/base/portable_math.h"
#include "runtime/sampling/random_bits.h"
#include "runtime/sampling/score_loops.h"

namespace rondo {

static_assert(std::is_trivially_copyable_v<Sampler>);
static_assert(std::is_trivially_copyable_v<LogitBias> && sizeof(LogitBias) == 8);

namespace {

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
constexpr size_t kStretch = 1024;  // most hold none that is better

int32_t ArgMax(std::span<const float> logits) {
  float best = kNegativeInfinity;
  int32_t best_id = Sampler::kNoToken;
  for (size_t begin = 0; begin < logits.size(); begin += kStretch) {
    const size_t end = std::min(begin + kStretch, logits.size());
    if (!(LargestScore(logits.subspan(begin, end - begin)) > best)) continue;
    for (size_t i = begin; i < end; ++i) {
      const float logit = std::min(logits[i], FLT_MAX);
      if (logit > best) {
        best = logit;
        best_id = static_cast<int32_t>(i);
      }
    }
  }
  return best_id;
}

// The last tokens, `most` of them where so many are held, copied to the beginning of `room`.
std::span<int32_t> LastTokens(const SampledText& text, uint64_t most, std::span<int32_t> room) {
  const uint64_t count = std::min<uint64_t>(text.end() - text.begin(), most);
  for (uint64_t i = 0; i < count; ++i) room[i] = text[text.end() - count + i];
  return room.first(count);
}

// Sorts ids by what they score, the best first, and lower ids first among equals.
struct Ranking {
  std::span<const float> scores;
  bool operator()(int32_t a, int32_t b) const {
    const float score_a = scores[static_cast<size_t>(a)], score_b = scores[static_cast<size_t>(b)];
    return score_a != score_b ? score_a > score_b : a < b;
  }
};

// The best k above minus infinity, ranked; in `room`, of as many as there are scores.
std::span<int32_t> RankBest(std::span<const float> scores, size_t k, std::span<int32_t> room) {
  const Ranking ranking{scores};
  size_t n = 0;
  float least = kNegativeInfinity;  // once there are k: of equals the later id is behind
  const auto keep_best = [&] {
    std::nth_element(room.begin(), room.begin() + static_cast<ptrdiff_t>(k) - 1,
                     room.begin() + static_cast<ptrdiff_t>(n), ranking);
    n = k;
    least = scores[static_cast<size_t>(room[k - 1])];
  };
  for (size_t begin = 0; begin < scores.size(); begin += kStretch) {
    const size_t end = std::min(begin + kStretch, scores.size());
    if (!(LargestScore(scores.subspan(begin, end - begin)) > least)) continue;
    for (size_t i = begin; i < end; ++i) {
      if (scores[i] > least) room[n++] = static_cast<int32_t>(i);
    }
    if (n >= 2 * k) keep_best();
  }
  if (n > k) keep_best();
  std::sort(room.begin(), room.begin() + static_cast<ptrdiff_t>(n), ranking);
  return room.first(n);
}

// The tokens of a bin, ranked; in `room`, of as many as there are weights.
std::span<int32_t> RankBin(std::span<const float> weights, size_t bin, std::span<int32_t> room) {
  const std::span<int32_t> ids = room.first(WeightBins::Select(weights, bin, room));
  std::sort(ids.begin(), ids.end(), Ranking{weights});
  return ids;
}

// The fewest of the best that weigh `enough` together, or all.
struct Kept {
  size_t count;
  double sum;
};
Kept KeepBest(std::span<const int32_t> ranked, std::span<const float> weights, double enough) {
  Kept kept = {};
  while (kept.count < ranked.size() && kept.sum < enough) {
    kept.sum += static_cast<double>(weights[static_cast<size_t>(ranked[kept.count++])]);
  }
  return kept;
}

// The first at which the sum of weights passes `target`; the last that has a weight where rounding
// kept the sum from it.
int32_t Pass(std::span<const int32_t> ids, std::span<const float> weights, double target) {
  int32_t last = Sampler::kNoToken;
  double sum = 0;
  for (const int32_t id : ids) {
    const auto weight = static_cast<double>(weights[static_cast<size_t>(id)]);
    if (weight == 0) continue;
    last = id;
    sum += weight;
    if (sum > target) break;
  }
  return last;
}

}  // namespace

size_t Sampler::Bytes() { return kMaxLogitBias * sizeof(LogitBias); }

size_t Sampler::ScratchBytes(uint32_t vocab_size) {
  const CheckedSize bytes = CheckedSize(vocab_size) * CheckedSize(sizeof(float) + sizeof(int32_t)) +
                            CheckedSize(kMaxPenaltyWindow * sizeof(int32_t));
  return bytes.valid() ? bytes.value() : SIZE_MAX;
}

Status Sampler::Init(const SamplerOptions& options, uint32_t vocab_size,
                     std::span<std::byte> memory) {
  RONDO_RETURN_IF_ERROR(ValidateSamplerOptions(options, vocab_size));
  if (memory.size() < Bytes()) {
    return Status::Error(StatusCode::kInternal, "a sampler was given %zu bytes of memory",
                         memory.size());
  }
  auto* biases = reinterpret_cast<LogitBias*>(memory.data());
  std::copy(options.logit_bias.begin(), options.logit_bias.end(), biases);
  options_ = options;
  options_.logit_bias = {biases, options.logit_bias.size()};
  return {};
}

int32_t Sampler::Sample(std::span<const float> logits, const SampledText& text,
                        std::span<std::byte> scratch, TokenMask allowed) const {
  const bool greedy = options_.temperature == 0.0f;
  if (greedy && !HasAdjustments() && allowed.empty()) return ArgMax(logits);

  const std::span<float> scores(reinterpret_cast<float*>(scratch.data()), logits.size());
  std::copy(logits.begin(), logits.end(), scores.begin());
  for (const LogitBias& bias : options_.logit_bias) {
    scores[static_cast<size_t>(bias.token)] += bias.bias;
  }
  const std::span<std::byte> rest = scratch.subspan(scores.size_bytes());
  const std::span<int32_t> room(reinterpret_cast<int32_t*>(rest.data()),
                                rest.size() / sizeof(int32_t));
  AddPenalties(scores, text, room);
  if (options_.no_repeat_ngram_size > 0) {
    BlockNgrams(scores, LastTokens(text, kMaxPenaltyWindow, room));
  }
  if (!allowed.empty()) MaskScores(scores, allowed);
  if (greedy) return ArgMax(scores);
  const float max = std::min(LargestScore(scores), FLT_MAX);
  if (max == kNegativeInfinity) return kNoToken;
  ScaleScores(scores, max, options_.temperature);
  return Draw(scores, room, RandomUnit(options_.seed, text.end()));
}

bool Sampler::HasAdjustments() const {
  return !options_.logit_bias.empty() || options_.no_repeat_ngram_size > 0 ||
         options_.repetition_penalty != 1.0f || options_.presence_penalty != 0.0f ||
         options_.frequency_penalty != 0.0f;
}

void Sampler::AddPenalties(std::span<float> scores, const SampledText& text,
                           std::span<int32_t> room) const {
  const std::span<int32_t> window =
      LastTokens(text, static_cast<uint64_t>(options_.penalty_last_n), room);
  std::sort(window.begin(), window.end());
  for (auto run = window.begin(); run != window.end();) {
    const auto run_end = std::upper_bound(run, window.end(), *run);
    float& score = scores[static_cast<size_t>(*run)];
    score =
        score > 0.0f ? score / options_.repetition_penalty : score * options_.repetition_penalty;
    score -=
        static_cast<float>(run_end - run) * options_.frequency_penalty + options_.presence_penalty;
    run = run_end;
  }
}

// The window is bounded, and so is the time, however long the text.
void Sampler::BlockNgrams(std::span<float> scores, std::span<const int32_t> window) const {
  const size_t before = options_.no_repeat_ngram_size - 1;  // tokens of an n-gram but its last
  if (window.size() < before) return;
  const std::span<const int32_t> last = window.last(before);
  for (size_t i = before; i < window.size(); ++i) {
    if (std::equal(last.begin(), last.end(), window.begin() + static_cast<ptrdiff_t>(i - before))) {
      scores[static_cast<size_t>(window[i])] = kNegativeInfinity;
    }
  }
}

// Weights are binned before they are ranked: of a vocabulary, top_p ranks the bin in which what it
// keeps ends, and the one in which the draw falls.
int32_t Sampler::DrawOfNucleus(std::span<float> weights, std::span<int32_t> room,
                               double random) const {
  double enough = options_.top_p * SumWeights(weights);
  DropWeights(weights, options_.min_p);
  WeightBins bins(weights);
  size_t last = 0;
  double above = 0;
  while (last + 1 < WeightBins::kBins && above + bins.sums[last] < enough) {
    above += bins.sums[last++];
    if (last == WeightBins::kCommonBins) bins.AddRare(weights);
  }
  const std::span<int32_t> ends = RankBin(weights, last, room);
  const Kept kept = KeepBest(ends, weights, enough - above);
  const double target = random * (above + kept.sum);
  if (target >= above) return Pass(ends.first(kept.count), weights, target - above);

  // Summed as `above` was, which is more than the target: so this ends, in a bin that is not empty.
  size_t bin = 0;
  double before = 0;
  for (; before + bins.sums[bin] <= target; ++bin) before += bins.sums[bin];
  return Pass(RankBin(weights, bin, room), weights, target - before);
}

int32_t Sampler::Draw(std::span<float> scores, std::span<int32_t> room, double random) const {
  const auto top_k = static_cast<size_t>(options_.top_k);
  if (top_k > 0 && top_k < scores.size()) {
    const std::span<int32_t> best = RankBest(scores, top_k, room);
    double sum = 0;
    for (const int32_t id : best) {
      float& weight = scores[static_cast<size_t>(id)];
      weight = PortableExp(weight);
      sum += static_cast<double>(weight);
      if (weight < options_.min_p) weight = 0;
    }
    const Kept kept = KeepBest(best, scores, options_.top_p < 1.0f ? options_.top_p * sum : sum);
    return Pass(best.first(kept.count), scores, random * kept.sum);
  }
  WeighScores(scores);
  if (options_.top_p < 1.0f) return DrawOfNucleus(scores, room, random);
  DropWeights(scores, options_.min_p);
  return static_cast<int32_t>(DrawWeight(scores, random * SumWeights(scores)));
}

}  // namespace rondo
