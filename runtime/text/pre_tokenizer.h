// PreTokenizer: splits a piece of normalised text into pre-tokens, which merges never cross.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/base/status.h"
#include "runtime/text/regex.h"
#include "runtime/text/tokenizer_tables.h"

namespace rondo {

// A stretch of a buffer that begins where the reader stands.
struct Piece {
  size_t end = 0;
  bool closed = false;   // it ends there; else more text may come and it may go on
  bool removed = false;  // the stage leaves it out
};

// Some of the file's stages, each of which splits the pieces of the one before. Text comes in as
// it is normalised, so a stage may see only the beginning of its piece: it then answers only what
// cannot change any more. Immutable but for the patterns' memory: one thread at a time.
class PreTokenizer {
 public:
  // The stages [first, last) of the file, none of them a Rewrite. `tables` has passed Check and,
  // like `memory`, outlives this. Errors: kCorrupt (a pattern), kOutOfMemory.
  static Result<PreTokenizer> Create(const TokenizerTables& tables, uint32_t first, uint32_t last,
                                     RegexMemory& memory);

  // Where the reader stands in the pieces of each stage: one per piece of text, `Reset` between.
  class Cursor {
   public:
    void Reset() { *this = Cursor(); }
    // The text moved towards the buffer's start by `bytes`.
    void Shift(size_t bytes);

   private:
    friend class PreTokenizer;
    Piece levels_[kMaxStages];
  };

  // No stages: the whole piece is one pre-token.
  bool empty() const { return count_ == 0; }

  // The pre-token that begins at `begin`, inside of `text` (begin < text.end, both on character
  // boundaries of `buffer`); `removed`: no pre-token, but text to go over. Not closed where more
  // text is needed to tell.
  // Error: kInvalidArgument (a pattern ran out of steps or memory on this text).
  Status Next(std::span<const uint8_t> buffer, size_t begin, Piece text, Cursor& cursor,
              Piece* pre_token) const;

 private:
  // A match, or the text up to the next one. `end` == begin: not known yet what begins there.
  struct Segment {
    size_t end = 0;
    bool closed = false;
    bool match = false;
  };

  struct Stage {
    format::StageKind kind = format::StageKind::Unknown;
    format::Behavior behavior = format::Behavior::Isolated;
    bool invert = false;
    bool over_bytes = false;
    uint32_t character = 0;
    Regex regex;

    bool Matches(uint32_t code_point) const;
    // The piece of `outer` that begins at `begin`.
    Status Split(std::span<const uint8_t> buffer, size_t begin, Piece outer, Piece* inner) const;
    Status Next(std::span<const uint8_t> buffer, size_t begin, Piece outer, Segment* segment) const;
    Status NextByPattern(std::span<const uint8_t> buffer, size_t begin, Piece outer,
                         Segment* segment) const;
    Segment NextByClass(std::span<const uint8_t> buffer, size_t begin, Piece outer) const;
  };

  Stage stages_[kMaxStages];
  size_t count_ = 0;
};

}  // namespace rondo
