// SpeculationGate: how many drafts pay, by measured time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/generation/token_choices.h"

namespace rondo {

// Passes with and without drafts are timed, and accepted drafts counted; the number of drafts is
// that of the least expected time for a token. Where none pays, it is tried again ever more rarely.
// It changes no token. One thread at a time; trivially copyable.
class SpeculationGate {
 public:
  // How many drafts to verify of `found`; 0: none.
  size_t Choose(size_t found);
  // A pass with `drafts` took so long, and `accepted` of them were right. nanoseconds 0: it served
  // others, too, in a way that its time tells nothing.
  void Tell(size_t drafts, size_t accepted, uint64_t nanoseconds);

 private:
  // Expected tokens of a pass with so many drafts.
  double Tokens(size_t drafts) const;
  double Cost(size_t drafts) const;  // expected nanoseconds

  // One in so many passes that could verify drafts does without, so that both times stay fresh.
  static constexpr uint32_t kPlainEvery = 64;
  static constexpr uint32_t kShortestRest = 8;   // passes without drafts after a loss
  static constexpr uint32_t kLongestRest = 256;  // after several losses in a row

  double rate_ = 0.6;                                                   // of drafts accepted
  std::array<double, 1 + TokenChoices::kMostDrafts> nanoseconds_ = {};  // by drafts; 0: unknown
  uint32_t since_plain_ = 0;
  uint32_t rest_ = 0;
  uint32_t next_rest_ = kShortestRest;
};

}  // namespace rondo
