#include "tools/convert/calibrate/block_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "tools/convert/common/vector_clones.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {
namespace {

constexpr size_t kScales = 32;  // tried side by side, one in each lane

float RoundToBfloat16(float x) { return FromBfloat16(ToBfloat16(x)); }

// Half to even, for |x| < 2^22 (as in quantize.cc), clamped to what 4 bits hold.
inline float Nearest(float x) {
  const float clamped = std::min(std::max(x, -8.0f), 7.0f);
  return (clamped + 0x1.8p23f) - 0x1.8p23f;
}

// Scales that put the value of largest magnitude from somewhat inside to somewhat beyond an end of
// the range, of either sign.
void ListScales(float extreme, float* scales, float* inverses) {
  for (size_t i = 0; i < kScales; ++i) {
    const float place = 5.5f + 0.25f * static_cast<float>(i / 2);
    const float scale = RoundToBfloat16(extreme / (i % 2 == 0 ? place : -place));
    const bool usable = std::isnormal(scale) && std::isnormal(1 / scale);
    scales[i] = usable ? scale : 0;
    inverses[i] = usable ? 1 / scale : 0;  // then all steps are 0
  }
}

// One step of coordinate descent: the step that is best for weight i with `scale`, all others as
// they are. Keeps `gradient` (of the block) and `gain` (how much less the cost is) up to date.
inline void Descend(const float* h, size_t stride, size_t width, size_t i, float scale,
                    float inverse, float* values, float* gradient, float* steps, float* gain) {
  const float curvature = h[i * stride + i];
  const float step = Nearest((values[i] + gradient[i] / curvature) * inverse);
  const float change = step * scale - values[i];
  steps[i] = step;
  if (change == 0) return;
  values[i] = step * scale;
  *gain += change * (2 * gradient[i] - change * curvature);
  const float* row = h + i * stride;
  for (size_t j = 0; j < width; ++j) gradient[j] -= change * row[j];
}

}  // namespace

RONDO_VECTOR_CLONES
void RoundBlock(const BlockTask& task, RoundedBlock* result) {
  float extreme = 0;
  for (size_t i = 0; i < task.width; ++i) {
    if (std::fabs(task.targets[i]) > std::fabs(extreme)) extreme = task.targets[i];
  }
  float scales[kScales], inverses[kScales], costs[kScales] = {};
  ListScales(extreme, scales, inverses);
  float errors[kMaxBlock][kScales], steps[kMaxBlock][kScales];
  for (size_t i = 0; i < task.width; ++i) {
    float target[kScales];
    for (size_t s = 0; s < kScales; ++s) target[s] = task.targets[i];
    for (size_t k = 0; k < i; ++k) {
      const float feedback = task.feedback[k * task.stride + i];
      for (size_t s = 0; s < kScales; ++s) target[s] += errors[k][s] * feedback;
    }
    for (size_t s = 0; s < kScales; ++s) {
      const float step = Nearest(target[s] * inverses[s]);
      const float missed = target[s] - step * scales[s];
      steps[i][s] = step;
      errors[i][s] = task.weights[i] - step * scales[s];
      costs[s] += task.variance[i] * missed * missed;
    }
  }
  const size_t best = static_cast<size_t>(std::min_element(costs, costs + kScales) - costs);
  result->scale = scales[best];
  for (size_t i = 0; i < task.width; ++i) result->steps[i] = static_cast<int8_t>(steps[i][best]);
}

RONDO_VECTOR_CLONES
bool ImproveBlock(const float* h, size_t stride, size_t width, const float* gradient, int8_t* steps,
                  float* scale, float* change) {
  std::fill_n(change, width, 0.0f);
  // The best scale for the present steps lies where the derivative along them is zero.
  float along = 0, curvature = 0;
  for (size_t i = 0; i < width; ++i) {
    const auto step = static_cast<float>(steps[i]);
    along += gradient[i] * step;
    float product = 0;
    for (size_t j = 0; j < width; ++j) product += h[i * stride + j] * static_cast<float>(steps[j]);
    curvature += product * step;
  }
  if (!(curvature > 0) || *scale == 0) return false;
  const float centre = *scale + along / curvature;

  constexpr std::array kFactors = {0.0f, 1.0f, 0.98f, 1.02f, 0.95f, 1.05f, 0.9f, 1.1f};
  constexpr int kRounds = 3;
  float least_gain = 0;
  float best_scale = 0;
  float best_steps[kMaxBlock];
  for (const float factor : kFactors) {
    const float tried = factor == 0 ? *scale : RoundToBfloat16(centre * factor);
    const float inverse = 1 / tried;
    if (!std::isnormal(tried) || !std::isnormal(inverse)) continue;
    float values[kMaxBlock], slope[kMaxBlock], chosen[kMaxBlock];
    for (size_t i = 0; i < width; ++i) {
      values[i] = static_cast<float>(steps[i]) * *scale;
      slope[i] = gradient[i];
    }
    float gain = 0;
    for (int round = 0; round < kRounds; ++round) {
      for (size_t i = 0; i < width; ++i) {
        Descend(h, stride, width, i, tried, inverse, values, slope, chosen, &gain);
      }
    }
    if (gain > least_gain) {
      least_gain = gain;
      best_scale = tried;
      std::copy_n(chosen, width, best_steps);
    }
  }
  if (best_scale == 0) return false;
  for (size_t i = 0; i < width; ++i) {
    change[i] = best_steps[i] * best_scale - static_cast<float>(steps[i]) * *scale;
    steps[i] = static_cast<int8_t>(best_steps[i]);
  }
  *scale = best_scale;
  return true;
}

}  // namespace rondo::convert
