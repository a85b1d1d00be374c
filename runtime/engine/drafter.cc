#include "runtime/engine/drafter.h"

#include <algorithm>
#include <span>

namespace rondo {

uint64_t Drafter::EndOfSame(const KeyHistory& keys) const {
  const KeyHistory& own = sequence_.keys();
  const uint64_t end = std::min(keys.end(), begin_ + own.end());
  uint64_t at = std::max(keys.begin(), begin_ + own.begin());
  while (at < end && keys.key(at) == own.key(at - begin_)) ++at;
  return std::min(at, end);
}

void Drafter::Follow(const KeyHistory& keys) {
  uint64_t first = keys.n_rows() == 0 ? keys.begin() : keys.end();
  while (first > keys.begin() && !keys.key(first - 1).is_row()) --first;
  const uint64_t same = EndOfSame(keys);
  // At least the last token is evaluated again, whose logits are wanted.
  const uint64_t kept = std::min(same, keys.end() - 1);
  const bool follows =
      same > begin_ && kept > begin_ && begin_ >= first && sequence_.CanTruncate(kept - begin_);
  if (follows) {
    sequence_.Truncate(kept - begin_);
  } else {
    sequence_.Truncate(0);
    begin_ = std::max(first, keys.end() - std::min(keys.end(), limits_.context));
  }
  while (end() < keys.end() && sequence_.room() > 0) {
    const std::span<const InputKey> run =
        keys.Run(end(), std::min(keys.end() - end(), sequence_.room()));
    sequence_.Append(run, run.size() - 1);
  }
}

void Drafter::CopyFrom(const Drafter& other) {
  sequence_.CopyFrom(other.sequence_);
  begin_ = other.begin_;
}

}  // namespace rondo
