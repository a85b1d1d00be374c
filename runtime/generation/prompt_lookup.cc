#include "runtime/generation/prompt_lookup.h"

#include <algorithm>

namespace rondo {

namespace {

// How many tokens before `a` are those before `b`, in a row; a < b.
size_t MatchBefore(const KeyHistory& tokens, uint64_t a, uint64_t b) {
  const uint64_t most = std::min<uint64_t>(a - tokens.begin(), kLongestMatch);
  size_t n = 0;
  while (n < most && !tokens.key(a - 1 - n).is_row() &&
         tokens.key(a - 1 - n) == tokens.key(b - 1 - n)) {
    ++n;
  }
  return n;
}

}  // namespace

size_t LookUpPrompt(const KeyHistory& tokens, std::span<int32_t> drafts) {
  const uint64_t end = tokens.end();
  if (end - tokens.begin() <= kShortestMatch) return 0;
  const uint64_t begin = std::max(tokens.begin(), end - std::min(end, kMostLookedThrough));
  size_t longest = 0;
  uint64_t place = end;
  // Each `at` is the last token of an n-gram.
  for (uint64_t at = end - 1; longest < kLongestMatch;) {
    at = tokens.FindLast(tokens.key(end - 1), begin, at);
    if (at == KeyHistory::kNotFound) break;
    const size_t match = MatchBefore(tokens, at + 1, end);
    if (match < std::max(kShortestMatch, longest + 1)) continue;
    longest = match;
    place = at + 1;
  }
  if (longest == 0) return 0;
  size_t n = 0;
  for (; n < drafts.size(); ++n) {
    drafts[n] = place + n < end ? tokens[place + n] : drafts[place + n - end];
    if (drafts[n] == InputKey::kNoToken) break;
  }
  return n;
}

}  // namespace rondo
