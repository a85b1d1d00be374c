// Which experts of a mixture work on which rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rondo_generated.h"
#include "runtime/kernels/kernel_set.h"

namespace rondo {

// As runtime/model/rondo.fbs defines it.
using format::Scoring;

struct ExpertsSpec {
  size_t n_experts = 0;
  size_t n_used = 0;
  Scoring scoring = Scoring::kSoftmax;
  float jitter = 0;
  size_t n_groups = 0;  // of neighbours; 0: none
  size_t n_groups_used = 0;
  size_t group_best = 0;
  bool normalize = false;
  float normalize_epsilon = 0;
  float normalize_min = 0;
  float weight_scale = 1;
  bool weigh_input = false;
  bool shared_gate = false;

  size_t router_outputs() const { return n_experts + (shared_gate ? 1 : 0); }
  // Of a row: what the router makes, and behind it what RouteRow chooses by.
  size_t score_floats() const { return router_outputs() + n_experts + n_groups; }
};

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
