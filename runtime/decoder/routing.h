// Which experts of a mixture work on which rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/kernel_set.h"

namespace rondo {

struct Route {
  uint32_t expert;
  float weight;
};

// The `n_used` experts with the largest softmax(scores), of equal ones those that come first, and
// their shares: of all, or of those used if `normalize`. `scores`, [n_experts], is overwritten.
void RouteRow(const KernelSet& set, float* scores, size_t n_experts, size_t n_used, bool normalize,
              Route* routes);

// Sorts `n` routes by expert, those of one in their order: routes order[begin[e]] up to
// order[begin[e + 1]] are expert e's. `begin`: n_experts + 1.
void GroupByExpert(const Route* routes, size_t n, size_t n_experts, uint32_t* begin,
                   uint32_t* order);

}  // namespace rondo
