// Which experts of a mixture work on which rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/decoder/decoder_spec.h"
#include "runtime/kernels/kernel_set.h"

namespace rondo {

struct Route {
  uint32_t expert;
  float weight;
};

// The experts that one row goes to and their weights, as runtime/model/rondo.fbs defines them.
// `scores`: score_floats(), of which the router has made the first; the experts' are overwritten.
// `choice_bias`, `weight_scales`: [n_experts], or null. Whatever the numbers are, the routes go to
// n_used different experts.
void RouteRow(const KernelSet& set, const ExpertsSpec& experts, const float* choice_bias,
              const float* weight_scales, float* scores, Route* routes);

// Sorts `n` routes by expert, those of one in their order: routes order[begin[e]] up to
// order[begin[e + 1]] are expert e's. `begin`: n_experts + 1.
void GroupByExpert(const Route* routes, size_t n, size_t n_experts, uint32_t* begin,
                   uint32_t* order);

}  // namespace rondo
