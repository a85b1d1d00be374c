#include "runtime/sampling/score_loops.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cstring>
#include <limits>

#include "runtime/base/portable_math.h"
#include "runtime/sampling/ranking.h"

namespace rondo {

namespace {

constexpr size_t kLanes = 16;
constexpr size_t kPiece = 2 * kLanes;
constexpr size_t kStretch = 1024;  // a multiple of kLanes
constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

constexpr int kBinShift = 18;

// By the exponent and the first five bits of the fraction; floats of [0, 1] are ordered as
// integers.
size_t BinOf(float weight) {
  const uint32_t below =
      (std::bit_cast<uint32_t>(1.0f) - std::bit_cast<uint32_t>(weight)) >> kBinShift;
  return std::min<uint32_t>(below, WeightBins::kBins - 1);
}

inline size_t CountBetween(std::span<const float, kPiece> scores, float least, float most) {
  uint32_t count = 0;
  for (const float score : scores) count += score >= least && score <= most ? 1 : 0;
  return count;
}

// visit(score) of all scores of pieces that hold one between these two: most do not.
template <typename Visit>
void ForPiecesWith(float least, float most, std::span<const float> scores, const Visit& visit) {
  for (size_t begin = 0; begin < scores.size(); begin += kPiece) {
    const auto piece = scores.subspan(begin, std::min(kPiece, scores.size() - begin));
    const bool is_whole = piece.size() == kPiece;
    if (is_whole && CountBetween(piece.first<kPiece>(), least, most) == 0) continue;
    for (const float score : piece) visit(score);
  }
}

}  // namespace

float LargestScore(std::span<const float> scores) {
  using Four [[gnu::vector_size(16)]] = float;  // in arrays of floats gcc sees no maximum
  Four lanes[kLanes / 4];
  for (Four& four : lanes) four = Four{} + kNegativeInfinity;
  size_t i = 0;
  for (; i + kLanes <= scores.size(); i += kLanes) {
    Four next[kLanes / 4];
    std::memcpy(next, &scores[i], sizeof(next));
    for (size_t l = 0; l < kLanes / 4; ++l) lanes[l] = next[l] > lanes[l] ? next[l] : lanes[l];
  }
  float largest = kNegativeInfinity;
  for (; i < scores.size(); ++i) largest = std::max(largest, scores[i]);
  for (const Four& four : lanes) {
    for (size_t l = 0; l < 4; ++l) largest = std::max(largest, four[l]);
  }
  return largest;
}

size_t SelectKeys(std::span<const float> scores, float least, float most,
                  std::span<uint32_t> keys) {
  size_t n = 0;
  ForPiecesWith(least, most, scores, [&](float score) {
    keys[n] = std::bit_cast<uint32_t>(score);  // without a branch, which nobody could predict
    n += static_cast<size_t>(score >= least) & static_cast<size_t>(score <= most);
  });
  for (uint32_t& key : keys.first(n)) key = RankKey(std::bit_cast<float>(key));
  return n;
}

size_t CountScores(std::span<const float> scores, float score) {
  uint32_t count = 0;
  for (const float other : scores) count += other == score ? 1 : 0;
  return count;
}

void MaskScores(std::span<float> scores, std::span<const uint32_t> allowed) {
  constexpr size_t kBits = 32;
  for (size_t begin = 0; begin < scores.size(); begin += kBits) {
    const uint32_t word = allowed[begin / kBits];
    const std::span<float> part = scores.subspan(begin, std::min(kBits, scores.size() - begin));
    for (uint32_t i = 0; i < part.size(); ++i) {
      part[i] = (word >> i & 1) != 0 ? part[i] : kNegativeInfinity;
    }
  }
}

void ScaleScores(std::span<float> scores, float max, float temperature) {
  for (float& score : scores) {
    const float finite = score < FLT_MAX ? score : FLT_MAX;
    const float scaled = (finite - max) / temperature;
    score = score >= kNegativeInfinity ? scaled : kNegativeInfinity;
  }
}

void WeighScores(std::span<float> scores) {
  for (float& score : scores) score = PortableExp(score);
}

void WeighKeys(std::span<const uint32_t> keys, std::span<float> weights) {
  for (size_t i = 0; i < keys.size(); ++i) weights[i] = PortableExp(ScoreOfKey(keys[i]));
}

void DropWeights(std::span<float> weights, float least) {
  if (least == 0) return;
  for (float& weight : weights) weight = weight < least ? 0.0f : weight;
}

double SumWeights(std::span<const float> weights) {
  double lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= weights.size(); i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) lanes[l] += static_cast<double>(weights[i + l]);
  }
  for (size_t l = 0; i < weights.size(); ++i, ++l) lanes[l] += static_cast<double>(weights[i]);
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

double SumBetween(std::span<const float> weights, float least, float most) {
  std::array<float, kStretch> between;
  double sum = 0;
  for (size_t begin = 0; begin < weights.size(); begin += kStretch) {
    const auto stretch = weights.subspan(begin, std::min(kStretch, weights.size() - begin));
    for (size_t i = 0; i < stretch.size(); ++i) {
      between[i] = stretch[i] >= least && stretch[i] <= most ? stretch[i] : 0.0f;
    }
    sum += SumWeights(std::span(between).first(stretch.size()));
  }
  return sum;
}

size_t DrawWeight(std::span<const float> weights, double target) {
  double sum = 0;
  size_t last = 0;  // that is not 0
  for (size_t begin = 0; begin < weights.size(); begin += kStretch) {
    const auto stretch = weights.subspan(begin, std::min(kStretch, weights.size() - begin));
    const double behind = sum + SumWeights(stretch);
    if (behind <= target) {
      sum = behind;
      continue;
    }
    for (size_t i = 0; i < stretch.size(); ++i) {
      if (stretch[i] == 0) continue;
      last = begin + i;
      sum += static_cast<double>(stretch[i]);
      if (sum > target) return last;
    }
    return last;  // the sums of a stretch in lanes and in order differ in their last bits
  }
  // And so do those of all.
  for (size_t i = weights.size(); i-- > 0;) {
    if (weights[i] > 0) return i;
  }
  return 0;
}

WeightBins::WeightBins(std::span<const float> weights) {
  const float least = LeastOf(kCommonBins - 1);
  ForPiecesWith(least, 1.0f, weights, [&](float weight) {
    const size_t bin = BinOf(weight);
    const uint32_t common = bin < kCommonBins ? UINT32_MAX : 0;  // others add 0, without a branch
    sums[bin] +=
        static_cast<double>(std::bit_cast<float>(std::bit_cast<uint32_t>(weight) & common));
  });
}

void WeightBins::AddRare(std::span<const float> weights) {
  ForPiecesWith(LeastOf(kBins - 1), MostOf(kCommonBins), weights, [&](float weight) {
    const size_t bin = BinOf(weight);
    if (bin >= kCommonBins) sums[bin] += static_cast<double>(weight);
  });
}

float WeightBins::MostOf(size_t bin) {
  const auto below = static_cast<uint32_t>(bin) << kBinShift;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(1.0f) - below);
}

float WeightBins::LeastOf(size_t bin) {
  if (bin + 1 == kBins) return std::numeric_limits<float>::denorm_min();
  return std::bit_cast<float>(std::bit_cast<uint32_t>(MostOf(bin + 1)) + 1);
}

}  // namespace rondo
