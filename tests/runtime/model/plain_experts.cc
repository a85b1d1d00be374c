// PlainForward's experts, as runtime/model/rondo.fbs defines them.
#include <algorithm>
#include <cmath>

#include "tests/runtime/model/plain_forward.h"

namespace rondo {
namespace {

using format::Activation, format::Experts, format::Scoring;
using Values = std::vector<double>;

double Activated(Activation activation, double x) {
  switch (activation) {
    case Activation::kGeluQuick:
      return x / (1 + std::exp(-1.702 * x));
    case Activation::kReluSquared:
      return x > 0 ? x * x : 0;
    default:
      return x / (1 + std::exp(-x));
  }
}

// What the first `size` values of gate_up and those behind them become.
Values ActivatedGate(const Experts& experts, const Values& gate_up, size_t size) {
  Values active(size);
  for (size_t i = 0; i < size; ++i) {
    double gate = gate_up[i], up = gate_up[size + i];
    if (experts.limit() > 0) {
      gate = std::min<double>(gate, experts.limit());
      up = std::clamp<double>(up, -experts.limit(), experts.limit());
    }
    active[i] = Activated(experts.activation(), gate) * (up + experts.up_offset());
  }
  return active;
}

size_t Largest(const Values& values) {
  return static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

Values Scores(const Experts& experts, const Values& s) {
  Values scores = s;
  double all = 0;
  for (const double x : s) all += std::exp(x);
  for (double& x : scores) {
    if (experts.scoring() == Scoring::kSoftmax) x = std::exp(x) / all;
    if (experts.scoring() == Scoring::kSigmoid) x = 1 / (1 + std::exp(-x));
  }
  return scores;
}

// Only the best groups' choices stay.
void LeaveOutGroups(const Experts& experts, Values& choices) {
  if (experts.n_groups() == 0) return;
  const size_t size = choices.size() / experts.n_groups();
  Values groups;
  for (size_t g = 0; g < experts.n_groups(); ++g) {
    Values its(choices.begin() + static_cast<long>(g * size),
               choices.begin() + static_cast<long>((g + 1) * size));
    std::sort(its.rbegin(), its.rend());
    groups.push_back(its[0] + (experts.group_best() == 2 ? its[1] : 0));
  }
  for (uint32_t i = 0; i < experts.n_groups_used(); ++i) groups[Largest(groups)] = -INFINITY;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g] == -INFINITY) continue;
    std::fill_n(choices.begin() + static_cast<long>(g * size), size, -INFINITY);
  }
}

double MixerWeight(const Experts& experts, const Values& s, size_t best,
                   const std::vector<size_t>& before) {
  double total = 0;
  for (size_t e = 0; e < s.size(); ++e) {
    if (std::find(before.begin(), before.end(), e) != before.end()) continue;
    const double distance = (s[best] - s[e]) / std::max(std::abs(s[e]), s[best]);
    if (distance <= 2 * experts.jitter()) total += std::exp(s[e] - s[best]);
  }
  return 1 / total;
}

}  // namespace

std::vector<double> PlainForward::Mix(const Experts& experts, const format::Norm& norm,
                                      size_t n_rows, const std::vector<double>& read) const {
  const auto normalized = [&](const format::Norm* own, const Values& x) {
    return own == nullptr ? x : Normalized(*own, 1, x);
  };
  const auto vector = [&](int32_t index) { return tensors_[static_cast<size_t>(index)]; };
  const size_t n = experts.experts()->size(), hidden = read.size() / n_rows;
  Values all;
  for (size_t row = 0; row < n_rows; ++row) {
    const Values y(read.begin() + static_cast<long>(row * hidden),
                   read.begin() + static_cast<long>((row + 1) * hidden));
    const Values in = Normalized(norm, 1, y);
    const Values to_router =
        experts.router_norm() == nullptr ? in : Normalized(*experts.router_norm(), 1, y);
    Values s = Apply(*experts.router(), 1, to_router);
    const double gate = experts.shared_gate() ? 1 / (1 + std::exp(-s.back())) : 1;
    s.resize(n);
    const Values scores = Scores(experts, s);
    Values choices = scores;
    if (experts.choice_bias() >= 0) {
      for (size_t e = 0; e < n; ++e) choices[e] += vector(experts.choice_bias())[e];
    }
    LeaveOutGroups(experts, choices);
    std::vector<size_t> chosen;
    Values weights;
    double used = 0;
    while (chosen.size() < experts.n_used()) {
      const size_t best = Largest(choices);
      choices[best] = -INFINITY;
      used += scores[best];
      weights.push_back(experts.scoring() == Scoring::kSparseMixer
                            ? MixerWeight(experts, s, best, chosen)
                            : scores[best]);
      chosen.push_back(best);
    }
    const double whole =
        std::max<double>(used + experts.normalize_epsilon(), experts.normalize_min());
    Values out(hidden);
    for (size_t i = 0; i < chosen.size(); ++i) {
      double weight = weights[i] * experts.weight_scale();
      if (experts.normalize()) weight /= whole;
      if (experts.weight_scales() >= 0) weight *= vector(experts.weight_scales())[chosen[i]];
      Values its_in = in;
      if (experts.weigh_input()) {
        for (double& x : its_in) x *= weight;
        weight = 1;
      }
      const format::Expert& expert = *experts.experts()->Get(static_cast<uint32_t>(chosen[i]));
      const Values made = Apply(
          *expert.down(), 1,
          ActivatedGate(experts, Apply(*expert.gate_up(), 1, its_in), experts.intermediate_size()));
      for (size_t j = 0; j < hidden; ++j) out[j] += weight * made[j];
    }
    out = normalized(experts.experts_post_norm(), out);
    if (const format::Expert* shared = experts.shared()) {
      const Values its_in =
          experts.shared_norm() == nullptr ? in : Normalized(*experts.shared_norm(), 1, y);
      const Values made = normalized(
          experts.shared_post_norm(),
          Apply(
              *shared->down(), 1,
              ActivatedGate(experts, Apply(*shared->gate_up(), 1, its_in), experts.shared_size())));
      for (size_t j = 0; j < hidden; ++j) out[j] += gate * made[j];
    }
    all.insert(all.end(), out.begin(), out.end());
  }
  return all;
}

}  // namespace rondo
