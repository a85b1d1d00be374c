// Drafter: a session's text as the draft model sees it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/engine/sequence.h"

namespace rondo {

// It follows the session from draft to draft, whatever was appended, undone or restored between.
// Of what it cannot go back in, and of a text that begins behind what is remembered, it sees the
// last tokens as a text of their own: a draft need not be right. One thread at a time, as Sequence.
class Drafter {
 public:
  // `limits` are the draft model's and outlive it; `keys` has room for as many as the session's.
  Drafter(const SequenceLimits& limits, const BlockTable& kv, const KeyHistory& keys)
      : limits_(limits), sequence_(limits, kv, nullptr, keys, nullptr) {}

  // Ends its text where `keys`, the session's, end; their last one waits for a pass. Inputs are the
  // session's model's: of a text with some it sees what is behind the last. The caller may change
  // who references which KV blocks.
  void Follow(const KeyHistory& keys);
  void CopyFrom(const Drafter& other);
  void Clear() { sequence_.Truncate(0); }

  // Where its text ends, as a position of the session.
  uint64_t end() const { return begin_ + sequence_.position(); }
  Sequence& sequence() { return sequence_; }
  const Sequence& sequence() const { return sequence_; }

 private:
  // Where its text and `keys` part, as a position of these.
  uint64_t EndOfSame(const KeyHistory& keys) const;

  const SequenceLimits& limits_;
  Sequence sequence_;
  uint64_t begin_ = 0;  // the position of its first token in the session
};

}  // namespace rondo
