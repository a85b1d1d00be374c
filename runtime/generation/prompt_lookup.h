// Prompt lookup: drafts out of the text itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/kv/key_history.h"

namespace rondo {

// An n-gram that comes again proposes what followed it. The last tokens must be found with so many
// in a row at least:
inline constexpr size_t kShortestMatch = 2;
// and a match of so many is as good as a longer one.
inline constexpr size_t kLongestMatch = 16;
// So many tokens are looked through, the last ones: the time has a bound.
inline constexpr uint64_t kMostLookedThrough = 1u << 16;

// Fills `drafts` with the tokens that followed the place that has most of the last tokens in a row,
// the latest one of equals. What follows where the text ends is what was just proposed: a text that
// repeats itself goes on so. Returns how many: all, those before a row of an input, or 0 where
// there is no such place. Rows of inputs are found nowhere.
size_t LookUpPrompt(const KeyHistory& tokens, std::span<int32_t> drafts);

}  // namespace rondo
