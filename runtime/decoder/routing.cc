#include "runtime/decoder/routing.h"

#include <algorithm>
#include <cmath>

namespace rondo {

namespace {

constexpr float kTaken = -INFINITY;
// Beyond any score that means something; the sum of two is a number.
constexpr float kMostChoice = 1e30f;

// The first of the largest that are not taken, which there must be.
size_t Best(const float* choices, size_t n) {
  size_t best = n;
  for (size_t i = 0; i < n; ++i) {
    if (choices[i] == kTaken) continue;
    if (best == n || choices[i] > choices[best]) best = i;
  }
  return best;
}

// A number, and not taken: the largest, or the sum of the two largest.
float SumOfBest(const float* choices, size_t n, size_t n_best) {
  float first = -kMostChoice, second = -kMostChoice;
  for (size_t i = 0; i < n; ++i) {
    if (choices[i] > first) {
      second = first;
      first = choices[i];
    } else if (choices[i] > second) {
      second = choices[i];
    }
  }
  return n_best == 1 ? first : first + second;
}

// Takes the experts of all groups but the best.
void TakeOtherGroups(const ExpertsSpec& experts, float* choices, float* groups) {
  const size_t size = experts.n_experts / experts.n_groups;
  for (size_t g = 0; g < experts.n_groups; ++g) {
    groups[g] = SumOfBest(choices + g * size, size, experts.group_best);
  }
  for (size_t i = 0; i < experts.n_groups_used; ++i) {
    groups[Best(groups, experts.n_groups)] = kTaken;
  }
  for (size_t g = 0; g < experts.n_groups; ++g) {
    if (groups[g] != kTaken) std::fill_n(choices + g * size, size, kTaken);
  }
}

// `others`: n scratch floats.
float SparseMixerWeight(const KernelSet& set, const ExpertsSpec& experts, const float* scores,
                        size_t best, const Route* before, size_t n_before, float* others) {
  const size_t n = experts.n_experts;
  const float most = scores[best];
  for (size_t e = 0; e < n; ++e) {
    const float distance = (most - scores[e]) / std::max(std::abs(scores[e]), most);
    // Far enough down that its share is 0.
    const bool out = distance > 2 * experts.jitter;
    others[e] = out ? std::min(scores[e], most - 200.0f) : scores[e];
  }
  for (size_t i = 0; i < n_before; ++i) others[before[i].expert] = most - 200.0f;
  float total;
  set.exp_minus_max(n * sizeof(float), others, &most, others, &total, nullptr);
  return 1 / total;
}

void Score(const KernelSet& set, const ExpertsSpec& experts, float* scores) {
  const size_t bytes = experts.n_experts * sizeof(float);
  float max, total;
  switch (experts.scoring) {
    case Scoring::kSoftmax:
      set.max(bytes, scores, &max, nullptr);
      set.exp_minus_max(bytes, scores, &max, scores, &total, nullptr);
      for (size_t e = 0; e < experts.n_experts; ++e) scores[e] /= total;
      return;
    case Scoring::kSigmoid:
      set.sigmoid(bytes, scores, scores, nullptr);
      return;
    case Scoring::kSparseMixer:
      return;
  }
}

}  // namespace

void RouteRow(const KernelSet& set, const ExpertsSpec& experts, const float* choice_bias,
              const float* weight_scales, float* scores, Route* routes) {
  const size_t n = experts.n_experts;
  const bool mixer = experts.scoring == Scoring::kSparseMixer;
  float* choices = scores + experts.router_outputs();
  Score(set, experts, scores);
  for (size_t e = 0; e < n; ++e) {
    const float choice = choice_bias == nullptr ? scores[e] : scores[e] + choice_bias[e];
    choices[e] = std::clamp(choice, -kMostChoice, kMostChoice);
  }
  if (experts.n_groups > 0) TakeOtherGroups(experts, choices, choices + n);
  float used = 0;
  for (size_t i = 0; i < experts.n_used; ++i) {
    const size_t best = Best(choices, n);
    choices[best] = kTaken;
    routes[i] = {static_cast<uint32_t>(best), scores[best]};
    used += scores[best];
  }
  if (mixer) {
    for (size_t i = 0; i < experts.n_used; ++i) {
      routes[i].weight =
          SparseMixerWeight(set, experts, scores, routes[i].expert, routes, i, choices);
    }
  }
  const float whole =
      experts.normalize ? std::max(used + experts.normalize_epsilon, experts.normalize_min) : 1;
  for (size_t i = 0; i < experts.n_used; ++i) {
    float weight = routes[i].weight / whole * experts.weight_scale;
    if (weight_scales != nullptr) weight *= weight_scales[routes[i].expert];
    routes[i].weight = weight;
  }
}

void GroupByExpert(const Route* routes, size_t n, size_t n_experts, uint32_t* begin,
                   uint32_t* order) {
  std::fill_n(begin, n_experts + 1, 0u);
  for (size_t i = 0; i < n; ++i) ++begin[routes[i].expert + 1];
  for (size_t e = 0; e < n_experts; ++e) begin[e + 1] += begin[e];
  for (size_t i = 0; i < n; ++i) order[begin[routes[i].expert]++] = static_cast<uint32_t>(i);
  // Each begin has moved to its end, which is the next one's begin.
  for (size_t e = n_experts; e > 0; --e) begin[e] = begin[e - 1];
  begin[0] = 0;
}

}  // namespace rondo
