#include "runtime/decoder/routing.h"

#include <algorithm>

namespace rondo {

void RouteRow(const KernelSet& set, float* scores, size_t n_experts, size_t n_used, bool normalize,
              Route* routes) {
  constexpr float kTaken = -1.0f;  // below any share
  const size_t bytes = n_experts * sizeof(float);
  float max, total;
  set.max(bytes, scores, &max, nullptr);
  set.exp_minus_max(bytes, scores, &max, scores, &total, nullptr);
  float used = 0;
  for (size_t i = 0; i < n_used; ++i) {
    size_t best = n_experts;
    for (size_t e = 0; e < n_experts; ++e) {
      if (scores[e] == kTaken) continue;
      if (best == n_experts || scores[e] > scores[best]) best = e;
    }
    routes[i] = {static_cast<uint32_t>(best), scores[best]};
    used += scores[best];
    scores[best] = kTaken;
  }
  const float whole = normalize ? used : total;
  for (size_t i = 0; i < n_used; ++i) routes[i].weight /= whole;
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
