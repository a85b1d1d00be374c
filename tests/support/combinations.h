// Which combinations of parameters a test runs with. Each day each value meets each value of every
// other parameter at least once; each week, with RONDO_TESTS_WEEKLY set, all meet all.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "runtime/kernels/kernel_set.h"

namespace rondo {

inline bool Weekly() { return std::getenv("RONDO_TESTS_WEEKLY") != nullptr; }

// The portable kernels and those for the oldest CPUs: they take ten times as long as the others.
inline bool SlowKernels(std::string_view set) { return set == "scalar" || set == "sse41"; }

// Those that this CPU has: the slow ones, or the others.
inline std::vector<const KernelSet*> AvailableKernels(bool slow) {
  std::vector<const KernelSet*> sets;
  for (const KernelSet* set : AllKernelSets()) {
    if (set->available() && SlowKernels(set->name) == slow) sets.push_back(set);
  }
  return sets;
}

// A choice holds, for each parameter, which of its values.
using Choice = std::vector<size_t>;

inline std::vector<Choice> AllChoices(const std::vector<size_t>& counts) {
  std::vector<Choice> choices = {{}};
  for (const size_t count : counts) {
    std::vector<Choice> longer;
    for (const Choice& choice : choices) {
      for (size_t value = 0; value < count; ++value) {
        longer.push_back(choice);
        longer.back().push_back(value);
      }
    }
    choices = std::move(longer);
  }
  return choices;
}

using ChoicePair = std::tuple<size_t, size_t, size_t, size_t>;  // parameter, value, and another's

inline std::set<ChoicePair> PairsOf(const Choice& choice) {
  std::set<ChoicePair> pairs;
  for (size_t b = 1; b < choice.size(); ++b) {
    for (size_t a = 0; a < b; ++a) pairs.insert({a, choice[a], b, choice[b]});
  }
  return pairs;
}

// Few choices that hold every pair: the one with the most new ones is taken until none is left.
inline std::vector<Choice> PairwiseChoices(const std::vector<size_t>& counts) {
  const std::vector<Choice> all = AllChoices(counts);
  std::set<ChoicePair> missing;
  for (const Choice& choice : all) missing.merge(PairsOf(choice));
  std::vector<Choice> taken;
  while (!missing.empty()) {
    const Choice* best = nullptr;
    size_t most = 0;
    for (const Choice& choice : all) {
      size_t found = 0;
      for (const ChoicePair& pair : PairsOf(choice)) found += missing.count(pair);
      if (found > most) best = &choice, most = found;
    }
    for (const ChoicePair& pair : PairsOf(*best)) missing.erase(pair);
    taken.push_back(*best);
  }
  return taken;
}

inline std::vector<Choice> Choices(const std::vector<size_t>& counts) {
  return Weekly() ? AllChoices(counts) : PairwiseChoices(counts);
}

}  // namespace rondo
