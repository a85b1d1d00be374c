// log softmax in two passes: the maximum, then the sum of exponentials in eight fixed lanes, which
// lets the compiler vectorise without changing the order of additions.
#include "runtime/sampling/log_probability.h"

#include <algorithm>
#include <limits>

#include "runtime/base/portable_math.h"
#include "runtime/sampling/score_loops.h"

namespace rondo {
namespace {

constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// NaN fails the comparison.
float Sane(float logit) {
  return logit >= kNegativeInfinity ? std::min(logit, FLT_MAX) : kNegativeInfinity;
}

}  // namespace

float LogProbability(std::span<const float> logits, int32_t token) {
  const float max = Sane(LargestScore(logits));
  const float own = Sane(logits[static_cast<size_t>(token)]);
  if (own == kNegativeInfinity) return kNegativeInfinity;

  constexpr size_t kLanes = 8;
  double lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += PortableExp(Sane(logits[i + lane]) - max);
    }
  }
  double sum = 0;
  for (; i < logits.size(); ++i) sum += PortableExp(Sane(logits[i]) - max);
  for (const double lane : lanes) sum += lane;
  return static_cast<float>(static_cast<double>(own) - max - PortableLog(sum));
}

}  // namespace rondo
