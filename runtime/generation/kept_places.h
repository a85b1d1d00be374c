// KeptPlaces: where a text stood behind some of its tokens, so that going back, and going on where
// what was made for it is gone, read few of them again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "runtime/generation/thinking.h"
#include "runtime/grammar/grammar.h"

namespace rondo {

// Where a generation stands by its grammar and by its thoughts.
struct ConstraintPlace {
  static constexpr uint64_t kNowhere = std::numeric_limits<uint64_t>::max();

  uint64_t position = kNowhere;  // the first token that was not read
  Thinking::Place thought;
  bool is_thought = false;            // the last token
  bool waits = false;                 // for the thought to end, and then the grammar begins
  uint32_t opened = 0;                // tokens of a thought's opening, with which the text begins
  uint64_t grammar_begin = kNowhere;  // where the grammar's text begins
  grammar::GrammarPlace grammar;
};

struct KeptPlace {
  static constexpr size_t kMostBytes = 1024;

  uint64_t begin = 0;  // of the generation
  ConstraintPlace place;
  uint16_t size = 0;  // of what Grammar::Describe told; 0 outside of a grammar's text
  std::array<uint8_t, kMostBytes> bytes;

  std::span<const uint8_t> known() const { return {bytes.data(), size}; }
};

// In the order of their positions: the nearer to the last the more of them, so that going back
// reads about as many tokens again as were dropped, or a block of them. One thread at a time, but
// for Latest.
class KeptPlaces {
 public:
  static constexpr uint64_t kBlock = 64;  // tokens between two of them, at least
  static constexpr size_t kMost = 20;

  void Clear() { size_ = 0; }
  // Tokens from `position` on were dropped.
  void BackTo(uint64_t position) {
    while (size_ > 0 && places_[size_ - 1].place.position > position) --size_;
  }
  // One behind all others; it counts from Keep on. Tokens before `first_held` are not known.
  KeptPlace& Fresh(uint64_t first_held);
  void Keep() { ++size_; }
  // The last one of this generation, at `position` or before it, from which on all tokens are
  // known; null: there is none.
  const KeptPlace* Latest(uint64_t begin, uint64_t position, uint64_t first_held) const;
  std::span<const KeptPlace> all() const { return {places_.data(), size_}; }

 private:
  void Erase(size_t i);

  std::array<KeptPlace, kMost + 1> places_;
  size_t size_ = 0;
};

}  // namespace rondo
