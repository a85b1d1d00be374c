// Scores are adjusted, scaled and weighed in a copy of the logits, in loops over the vocabulary;
// only those are ranked among which top_k or top_p draws a line. Ranking is a total order, and sums
// run in a fixed order or are exact: no result hangs on how it is done. All of it takes time linear
// in the vocabulary, whatever the logits are.
#include "runtime/sampling/sampler.h"

#include <algorithm>
#include <cstring>
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

// The last tokens, `most` of them where so many are held, copied to the beginning of `room`.
std::span<int32_t> LastTokens(const SampledText& text, uint64_t most, std::span<int32_t> room) {
  const uint64_t count = std::min<uint64_t>(text.end() - text.begin(), most);
  for (uint64_t i = 0; i < count; ++i) room[i] = text[text.end() - count + i];
  return room.first(count);
}

// The best k above minus infinity, or all of them; in `room`, of as many as there are scores, in
// the order of ids.
std::span<int32_t> BestIds(std::span<const float> scores, size_t k, std::span<int32_t> room) {
  const bool rises = k < scores.size() / 8;  // else there is little that `least` passes by
  size_t n = 0;
  float least = kNegativeInfinity;  // once there are k: of equals the later id is behind
  const auto score = [&](size_t i) { return scores[static_cast<size_t>(room[i])]; };
  const auto keep_best = [&] {
    const BestScores best = FindBest(n, score, [&](size_t count, double) { return count >= k; });
    size_t kept = 0, equal = 0;
    for (size_t i = 0; i < n; ++i) {
      const bool is_last = score(i) == best.last && equal++ < best.last_equal;
      const bool stays = is_last || score(i) > best.last;
      room[kept] = room[i];  // without a branch, which nobody could predict
      kept += stays ? 1 : 0;
    }
    n = kept;
    least = best.last;
  };
  for (size_t begin = 0; begin < scores.size(); begin += kStretch) {
    const size_t end = std::min(begin + kStretch, scores.size());
    if (!(LargestScore(scores.subspan(begin, end - begin)) > least)) continue;
    for (size_t i = begin; i < end; ++i) {
      if (scores[i] > least) room[n++] = static_cast<int32_t>(i);
    }
    if (n >= 2 * k && rises) keep_best();
  }
  if (n > k) keep_best();
  return room.first(n);
}

// Scores that are ranked, by their keys: what stood in the place of the keys are their ids.
std::span<const uint32_t> RankedKeys(std::span<const float> scores, std::span<int32_t> ids) {
  const std::span<uint32_t> keys(reinterpret_cast<uint32_t*>(ids.data()), ids.size());
  for (size_t i = 0; i < ids.size(); ++i) keys[i] = RankKey(scores[static_cast<size_t>(ids[i])]);
  SortKeys(keys);
  return keys;
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

// Of n weights, the best first: the fewest of them that weigh `enough` together, or all.
struct Kept {
  size_t count;
  double sum;
};
template <typename Weights>
Kept KeepBest(size_t n, const Weights& weights, double enough) {
  Kept kept = {};
  while (kept.count < n && kept.sum < enough) {
    kept.sum += static_cast<double>(weights(kept.count++));
  }
  return kept;
}

// The first at which the sum of n weights passes `target`; the last that has a weight where
// rounding kept the sum from it; n: none has.
template <typename Weights>
size_t Pass(size_t n, const Weights& weights, double target) {
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

// The tokens of a bin. Of all bins but the last, the weights are multiples of one power of two,
// each by 2^24 at most: every sum of them is exact, and they need not be ranked to be summed.
class Bin {
  auto Weights() const {
    return [this](size_t i) { return weights_[static_cast<size_t>(ids_[i])]; };
  }
  auto Ranked() const {
    return [this](size_t rank) { return ScoreOfKey(ranked_[rank]); };
  }

 public:
  // In `room`, of as many as there are weights.
  Bin(std::span<const float> weights, size_t bin, std::span<int32_t> room)
      : weights_(weights),
        ids_(room.first(WeightBins::Select(weights, bin, room))),
        is_exact_(bin + 1 < WeightBins::kBins),
        count_(ids_.size()) {
    static_assert(kMaxVocab <= uint64_t{1} << (53 - 24));
    if (!is_exact_) ranked_ = RankedKeys(weights, ids_);
  }
  // As the functions of these names. What KeepBest leaves out is not passed.
  double KeepBest(double enough) {
    Kept kept;
    if (is_exact_) {
      const BestScores best =
          FindBest(count_, Weights(), [&](size_t, double sum) { return sum >= enough; });
      kept = {best.count, best.sum};
    } else {
      kept = rondo::KeepBest(count_, Ranked(), enough);
    }
    count_ = kept.count;
    return kept.sum;
  }
  int32_t Pass(double target) const {
    if (count_ == 0) return Sampler::kNoToken;
    if (!is_exact_) {
      return TokenAt(weights_, ranked_, rondo::Pass(count_, Ranked(), target));
    }
    const BestScores best = FindBest(ids_.size(), Weights(), [&](size_t count, double sum) {
      return sum > target || count >= count_;
    });
    return TokenOf(weights_, best.last, best.last_equal);
  }

 private:
  std::span<const float> weights_;
  std::span<int32_t> ids_;
  std::span<const uint32_t> ranked_;  // where sums are not exact: in the place of ids_
  bool is_exact_;
  size_t count_;
};

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
  return Draw(scores, room, RandomUnit(options_.seed, text.end()));
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
  const std::span<int32_t> window =
      LastTokens(text, static_cast<uint64_t>(options_.penalty_last_n), room.subspan(scores.size()));
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
  Bin ends(weights, last, room);
  const double target = random * (above + ends.KeepBest(enough - above));
  if (target >= above) return ends.Pass(target - above);

  // Summed as `above` was, which is more than the target: so this ends, in a bin that is not empty.
  size_t bin = 0;
  double before = 0;
  for (; before + bins.sums[bin] <= target; ++bin) before += bins.sums[bin];
  return Bin(weights, bin, room).Pass(target - before);
}

int32_t Sampler::Draw(std::span<float> scores, std::span<int32_t> room, double random) const {
  const auto top_k = static_cast<size_t>(options_.top_k);
  if (top_k > 0 && top_k < scores.size()) {
    const auto ranked = RankedKeys(scores, BestIds(scores, top_k, room));
    const auto weight = [&](size_t rank) { return PortableExp(ScoreOfKey(ranked[rank])); };
    const auto dropped = [&](size_t rank) {
      return weight(rank) < options_.min_p ? 0.0f : weight(rank);
    };
    double sum = 0;
    for (size_t rank = 0; rank < ranked.size(); ++rank) sum += static_cast<double>(weight(rank));
    const double enough = options_.top_p < 1.0f ? options_.top_p * sum : sum;
    const Kept kept = KeepBest(ranked.size(), dropped, enough);
    return TokenAt(scores, ranked, Pass(kept.count, dropped, random * kept.sum));
  }
  WeighScores(scores);
  if (options_.top_p < 1.0f) return DrawOfNucleus(scores, room, random);
  DropWeights(scores, options_.min_p);
  return static_cast<int32_t>(DrawWeight(scores, random * SumWeights(scores)));
}

}  // namespace rondo
