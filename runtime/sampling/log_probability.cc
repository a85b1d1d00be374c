// log softmax in two passes: the maximum, then the sum of exponentials in eight fixed lanes, which
// lets the compiler vectorise without changing the order of additions.
#include "runtime/sampling/log_probability.h"

#include <algorithm>
#include <array>
#include <limits>

#include "runtime/base/portable_math.h"
#include "runtime/sampling/score_loops.h"

namespace rondo {

float LogProbability(std::span<const float> logits, int32_t token) {
  constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();
  const float max = std::min(LargestScore(logits), FLT_MAX);
  const float own = std::min(logits[static_cast<size_t>(token)], FLT_MAX);
  if (!(own > kNegativeInfinity)) return kNegativeInfinity;

  constexpr size_t kLanes = 8, kStretch = 64 * kLanes;
  double lanes[kLanes] = {}, sum = 0;
  for (size_t begin = 0; begin < logits.size(); begin += kStretch) {
    const auto stretch = logits.subspan(begin, std::min(kStretch, logits.size() - begin));
    std::array<float, kStretch> weights;
    for (size_t i = 0; i < stretch.size(); ++i) {
      weights[i] = PortableExp(std::min(stretch[i], FLT_MAX) - max);
    }
    size_t i = 0;
    for (; i + kLanes <= stretch.size(); i += kLanes) {
      for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += weights[i + lane];
    }
    for (; i < stretch.size(); ++i) sum += weights[i];
  }
  for (const double lane : lanes) sum += lane;
  return static_cast<float>(static_cast<double>(own) - max - PortableLog(sum));
}

}  // namespace rondo
