// Scores are adjusted, scaled and weighed in a copy of the logits, in loops over the vocabulary;
// only those are ranked among which top_k or top_p draws a line. Ranking is a total order, and sums
// run in a fixed order or are exact: no result hangs on how it is done. All of it takes time linear
// in the vocabulary, whatever the logits are.
#include "runtime/sampling/sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "runtime/base/checked.h"
#include "runtime/base/portable_math.h"
#include "runtime/model/limits.h"
#include "runtime/sampling/random_bits.h"
#include "runtime/sampling/ranking.h"
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

// The tokens of the last positions, of `most` of them where so many are held, copied to the
// beginning of `room`; kNoToken for what is none.
std::span<int32_t> LastTokens(const SampledText& text, uint64_t most, std::span<int32_t> room) {
  const uint64_t count = std::min<uint64_t>(text.end() - text.begin(), most);
  for (uint64_t i = 0; i < count; ++i) room[i] = text[text.end() - count + i];
  return room.first(count);
}

// The first n keys of the room, sorted.
std::span<const uint32_t> Sorted(std::span<uint32_t> room, size_t n) {
  SortKeys(room.first(n), room.subspan(n));
  return room.first(n);
}

// What the best k and few others reach, if every 64th score tells of all.
float LikelyLeast(std::span<const float> scores, size_t k, std::span<uint32_t> room) {
  constexpr size_t kEach = 64;
  const double likely = static_cast<double>(k) / kEach;
  const auto rank = static_cast<size_t>(likely + 4 * std::sqrt(likely) + 4);
  size_t n = 0;
  for (size_t i = 0; i < scores.size(); i += kEach) room[n++] = RankKey(scores[i]);
  return rank < n ? std::max(ScoreOfKey(Sorted(room, n)[rank]), -FLT_MAX) : -FLT_MAX;
}

// The keys of the best k above minus infinity, or of all of them, in their order.
std::span<const uint32_t> BestKeys(std::span<const float> scores, size_t k,
                                   std::span<uint32_t> room) {
  size_t n = SelectKeys(scores, LikelyLeast(scores, k, room), FLT_MAX, room);
  if (n < k) n = SelectKeys(scores, -FLT_MAX, FLT_MAX, room);
  return Sorted(room, n).first(std::min(n, k));
}

// Number `n` of the tokens with this score, counted from 1 in the order of ids.
int32_t TokenOf(std::span<const float> scores, float score, size_t n) {
  for (size_t begin = 0; begin < scores.size(); begin += kStretch) {
    const auto stretch = scores.subspan(begin, std::min(kStretch, scores.size() - begin));
    const size_t equal = CountScores(stretch, score);
    for (size_t i = 0; i < stretch.size() && equal >= n; ++i) {
      if (stretch[i] == score && --n == 0) return static_cast<int32_t>(begin + i);
    }
    n -= equal;
  }
  return Sampler::kNoToken;
}

int32_t TokenAt(std::span<const float> scores, std::span<const uint32_t> ranked, size_t rank) {
  size_t first = rank;
  while (first > 0 && ranked[first - 1] == ranked[rank]) --first;
  return TokenOf(scores, ScoreOfKey(ranked[rank]), rank - first + 1);
}

// The weights of ranked scores in their order, those below `least` as 0, a stretch at a time.
class RankedWeights {
 public:
  RankedWeights(std::span<const uint32_t> ranked, float least) : ranked_(ranked), least_(least) {}

  float operator()(size_t rank) {
    if (rank % kStretch == 0) {
      const auto stretch = ranked_.subspan(rank, std::min(kStretch, ranked_.size() - rank));
      WeighKeys(stretch, weights_);
      DropWeights(std::span(weights_).first(stretch.size()), least_);
    }
    return weights_[rank % kStretch];
  }

 private:
  std::span<const uint32_t> ranked_;
  float least_;
  std::array<float, kStretch> weights_;
};

// Of n weights, the best first: the fewest of them that weigh `enough` together, or all.
struct Kept {
  size_t count;
  double sum;
};
Kept KeepBest(size_t n, RankedWeights weights, double enough) {
  Kept kept = {};
  while (kept.count < n && kept.sum < enough) {
    kept.sum += static_cast<double>(weights(kept.count++));
  }
  return kept;
}

// The first at which the sum of n weights passes `target`; the last that has a weight where
// rounding kept the sum from it; n: none has.
size_t Pass(size_t n, RankedWeights weights, double target) {
  size_t last = n;
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const auto weight = static_cast<double>(weights(i));
    if (weight == 0) continue;
    last = i;
    sum += weight;
    if (sum > target) break;
  }
  return last;
}

// The fewest of a bin's weights, the best first, for whose sum `passes` is true, or all; it stays
// true for more. Of all bins but the last, the weights are multiples of one power of two, each by
// 2^24 at most: every sum of them is exact, and they are summed in halves until few are left to
// rank.
struct Passed {
  double sum = 0;
  float last = 0;     // of the weights
  size_t number = 0;  // of those equal to it
};
template <typename Passes>
Passed PassBin(std::span<const float> weights, const WeightBins& bins, size_t bin,
               std::span<uint32_t> room, const Passes& passes) {
  static_assert(kMaxVocab <= uint64_t{1} << (53 - 24));
  constexpr float kMany = 4096;
  Passed passed;
  uint32_t first = RankKey(WeightBins::MostOf(bin)), last = RankKey(WeightBins::LeastOf(bin));
  double left = bin + 1 < WeightBins::kBins ? bins.sums[bin] : 0;
  while (first < last && left > static_cast<double>(kMany * ScoreOfKey(first))) {
    const uint32_t middle = first + (last - first) / 2;
    const double better = SumBetween(weights, ScoreOfKey(middle), ScoreOfKey(first));
    if (passes(passed.sum + better)) {
      last = middle;
      left = better;
    } else {
      first = middle + 1;
      left -= better;
      passed.sum += better;
    }
  }
  const size_t n = SelectKeys(weights, ScoreOfKey(last), ScoreOfKey(first), room);
  for (const uint32_t key : Sorted(room, n)) {
    if (passes(passed.sum)) break;
    const float weight = ScoreOfKey(key);
    passed.sum += static_cast<double>(weight);
    passed.number = weight == passed.last ? passed.number + 1 : 1;
    passed.last = weight;
  }
  return passed;
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
  if (HasPenalties()) AddPenalties(scores, text, room);
  if (options_.no_repeat_ngram_size > 0) {
    BlockNgrams(scores, LastTokens(text, kMaxPenaltyWindow, room));
  }
  if (!allowed.empty()) MaskScores(scores, allowed);
  if (greedy) return ArgMax(scores);
  const float max = std::min(LargestScore(scores), FLT_MAX);
  if (max == kNegativeInfinity) return kNoToken;
  ScaleScores(scores, max, options_.temperature);
  const std::span<uint32_t> keys(reinterpret_cast<uint32_t*>(rest.data()), room.size());
  return Draw(scores, keys, RandomUnit(options_.seed, text.end()));
}

bool Sampler::HasAdjustments() const {
  return !options_.logit_bias.empty() || options_.no_repeat_ngram_size > 0 || HasPenalties();
}

bool Sampler::HasPenalties() const {
  return options_.repetition_penalty != 1.0f || options_.presence_penalty != 0.0f ||
         options_.frequency_penalty != 0.0f;
}

// Counts have a place for each token, and those of the window's tokens alone are touched.
void Sampler::AddPenalties(std::span<float> scores, const SampledText& text,
                           std::span<int32_t> room) const {
  const std::span<int32_t> counts = room.first(scores.size());
  std::span<int32_t> window =
      LastTokens(text, static_cast<uint64_t>(options_.penalty_last_n), room.subspan(scores.size()));
  window = window.first(static_cast<size_t>(
      std::remove(window.begin(), window.end(), InputKey::kNoToken) - window.begin()));
  for (const int32_t token : window) counts[static_cast<size_t>(token)] = 0;
  for (const int32_t token : window) ++counts[static_cast<size_t>(token)];
  for (const int32_t token : window) {
    const int32_t count = std::exchange(counts[static_cast<size_t>(token)], 0);
    if (count == 0) continue;
    float& score = scores[static_cast<size_t>(token)];
    score =
        score > 0.0f ? score / options_.repetition_penalty : score * options_.repetition_penalty;
    score -= static_cast<float>(count) * options_.frequency_penalty + options_.presence_penalty;
  }
}

// The window is bounded, and so is the time, however long the text.
void Sampler::BlockNgrams(std::span<float> scores, std::span<const int32_t> window) const {
  const size_t before = options_.no_repeat_ngram_size - 1;  // tokens of an n-gram but its last
  if (window.size() < before) return;
  const std::span<const int32_t> last = window.last(before);
  if (std::find(last.begin(), last.end(), InputKey::kNoToken) != last.end()) return;
  for (size_t i = before; i < window.size(); ++i) {
    if (window[i] != InputKey::kNoToken &&
        std::equal(last.begin(), last.end(), window.begin() + static_cast<ptrdiff_t>(i - before))) {
      scores[static_cast<size_t>(window[i])] = kNegativeInfinity;
    }
  }
}

// Weights are binned before they are ranked: of a vocabulary, top_p ranks the bin in which what it
// keeps ends, and the one in which the draw falls.
int32_t Sampler::DrawOfNucleus(std::span<float> weights, std::span<uint32_t> room,
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
  const auto is_enough = [&](double sum) { return sum >= enough - above; };
  const double kept = PassBin(weights, bins, last, room, is_enough).sum;
  const double target = random * (above + kept);
  if (target >= above) {
    const auto passes = [&](double sum) { return sum > target - above || sum >= kept; };
    const Passed drawn = PassBin(weights, bins, last, room, passes);
    return TokenOf(weights, drawn.last, drawn.number);
  }

  // Summed as `above` was, which is more than the target: so this ends, in a bin that is not empty.
  size_t bin = 0;
  double before = 0;
  for (; before + bins.sums[bin] <= target; ++bin) before += bins.sums[bin];
  const auto passes = [&](double sum) { return sum > target - before; };
  const Passed drawn = PassBin(weights, bins, bin, room, passes);
  return TokenOf(weights, drawn.last, drawn.number);
}

int32_t Sampler::Draw(std::span<float> scores, std::span<uint32_t> room, double random) const {
  const auto top_k = static_cast<size_t>(options_.top_k);
  if (top_k > 0 && top_k < scores.size()) {
    const std::span<const uint32_t> ranked = BestKeys(scores, top_k, room);
    const auto weights = [&](float least) { return RankedWeights(ranked, least); };
    Kept kept = KeepBest(ranked.size(), weights(0), std::numeric_limits<double>::infinity());
    if (options_.top_p < 1.0f || options_.min_p > 0.0f) {  // else all are kept
      kept = KeepBest(ranked.size(), weights(options_.min_p), options_.top_p * kept.sum);
    }
    return TokenAt(scores, ranked, Pass(kept.count, weights(options_.min_p), random * kept.sum));
  }
  WeighScores(scores);
  if (options_.top_p < 1.0f) return DrawOfNucleus(scores, room, random);
  DropWeights(scores, options_.min_p);
  return static_cast<int32_t>(DrawWeight(scores, random * SumWeights(scores)));
}

}  // namespace rondo
