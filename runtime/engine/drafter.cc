#include "runtime/engine/drafter.h"

#include <algorithm>
#include <span>

namespace rondo {

uint64_t Drafter::EndOfSame(const TokenHistory& tokens) const {
  const TokenHistory& own = sequence_.tokens();
  const uint64_t end = std::min(tokens.end(), begin_ + own.end());
  uint64_t at = std::max(tokens.begin(), begin_ + own.begin());
  while (at < end && tokens[at] == own[at - begin_]) ++at;
  return std::min(at, end);
}

void Drafter::Follow(const TokenHistory& tokens) {
  const uint64_t same = EndOfSame(tokens);
  // At least the last token is evaluated again, whose logits are wanted.
  const uint64_t kept = std::min(same, tokens.end() - 1);
  const bool follows = same > begin_ && kept > begin_ && sequence_.CanTruncate(kept - begin_);
  if (follows) {
    sequence_.Truncate(kept - begin_);
  } else {
    sequence_.Truncate(0);
    begin_ = std::max(tokens.begin(), tokens.end() - std::min(tokens.end(), limits_.context));
  }
  while (end() < tokens.end() && sequence_.room() > 0) {
    const std::span<const int32_t> run =
        tokens.Run(end(), std::min(tokens.end() - end(), sequence_.room()));
    sequence_.Append(run, run.size() - 1);
  }
}

void Drafter::CopyFrom(const Drafter& other) {
  sequence_.CopyFrom(other.sequence_);
  begin_ = other.begin_;
}

}  // namespace rondo
