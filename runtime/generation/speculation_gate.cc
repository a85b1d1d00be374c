#include "runtime/generation/speculation_gate.h"

#include <algorithm>

namespace rondo {

namespace {

// What a row more costs, as a share of a pass, until it was measured.
constexpr double kFirstGuess = 0.06;
// New measurements count this much.
constexpr double kTimeWeight = 0.2;
constexpr double kRateWeight = 0.15;
// Drafts must gain so much to be worth it.
constexpr double kLeastGain = 1.02;

void Blend(double* mean, double value, double weight) {
  *mean = *mean == 0 ? value : *mean + weight * (value - *mean);
}

}  // namespace

double SpeculationGate::Tokens(size_t drafts) const {
  double tokens = 1, all = 1;
  for (size_t i = 0; i < drafts; ++i) tokens += all *= rate_;
  return tokens;
}

// Where this number was not tried: by the nearest one that was, and a guess for the difference.
// Passes without drafts were.
double SpeculationGate::Cost(size_t drafts) const {
  size_t near = 0;
  for (size_t n = 0; n < nanoseconds_.size(); ++n) {
    const auto distance = [&](size_t tried) {
      return std::max(tried, drafts) - std::min(tried, drafts);
    };
    if (nanoseconds_[n] > 0 && distance(n) < distance(near)) near = n;
  }
  const double rows = static_cast<double>(drafts) - static_cast<double>(near);
  return nanoseconds_[near] + rows * kFirstGuess * nanoseconds_[0];
}

size_t SpeculationGate::Choose(size_t found) {
  found = std::min(found, TokenChoices::kMostDrafts);
  if (found == 0) return 0;
  if (nanoseconds_[0] == 0) return 0;  // the first time tells what a pass without takes
  if (rest_ > 0) {
    --rest_;
    return 0;
  }
  if (++since_plain_ >= kPlainEvery) return 0;
  size_t best = 0;
  double least = Cost(0) / kLeastGain;
  for (size_t drafts = 1; drafts <= found; ++drafts) {
    const double cost = Cost(drafts) / Tokens(drafts);
    if (cost >= least) continue;
    least = cost;
    best = drafts;
  }
  if (best > 0) return best;
  // A trial now and then: the text may have changed.
  rest_ = next_rest_;
  next_rest_ = std::min(2 * next_rest_, kLongestRest);
  return std::min<size_t>(found, 2);
}

void SpeculationGate::Tell(size_t drafts, size_t accepted, uint64_t nanoseconds) {
  if (nanoseconds > 0) {
    Blend(&nanoseconds_[drafts], static_cast<double>(nanoseconds), kTimeWeight);
  }
  if (drafts == 0) {
    since_plain_ = 0;
    return;
  }
  // Each draft up to the first that was wrong was one trial.
  for (size_t i = 0; i < std::min(accepted + 1, drafts); ++i) {
    rate_ += kRateWeight * ((i < accepted ? 1.0 : 0.0) - rate_);
  }
  if (accepted == drafts) {
    rest_ = 0;
    next_rest_ = kShortestRest;
  }
}

}  // namespace rondo
