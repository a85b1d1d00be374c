// Loops over the scores of a whole vocabulary. Sums run in lanes, in an order that is fixed: the
// same bits whatever a compiler makes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo {

// The largest; minus infinity of none. What is no number is passed by.
float LargestScore(std::span<const float> scores);

// Stores the keys (ranking.h) of those between these two, in their order; returns how many there
// are. `keys`: of as many as there are scores.
size_t SelectKeys(std::span<const float> scores, float least, float most, std::span<uint32_t> keys);

// How many are equal to this one.
size_t CountScores(std::span<const float> scores, float score);

// Those without their bit, i % 32 of word i / 32, become minus infinity.
void MaskScores(std::span<float> scores, std::span<const uint32_t> allowed);

// score = (score - max) / temperature, of finite scores at most `max`; what is no number becomes
// minus infinity, and plus infinity what the largest float does.
void ScaleScores(std::span<float> scores, float max, float temperature);

// weight = e^score of scaled scores, in [0, 1].
void WeighScores(std::span<float> scores);
// The same of scores' keys; `weights`: as many.
void WeighKeys(std::span<const uint32_t> keys, std::span<float> weights);

// Those below `least` become 0.
void DropWeights(std::span<float> weights, float least);

double SumWeights(std::span<const float> weights);
// Of those between these two.
double SumBetween(std::span<const float> weights, float least, float most);

// The first weight at which the sum of weights, which all together are more than `target`, passes
// it.
size_t DrawWeight(std::span<const float> weights, double target);

// The sums of weights that are about equal: 32 bins for each halving, from 1 down to 2^-32; what is
// smaller is in the last one.
struct WeightBins {
  static constexpr size_t kBins = 1024;
  static constexpr size_t kCommonBins = 640;  // down to 2^-20: most of a vocabulary is below
  double sums[kBins] = {};

  // Of the common bins.
  explicit WeightBins(std::span<const float> weights);
  // Of the others, once.
  void AddRare(std::span<const float> weights);

  // The largest weight of a bin, and the smallest but 0.
  static float MostOf(size_t bin);
  static float LeastOf(size_t bin);
};

}  // namespace rondo
