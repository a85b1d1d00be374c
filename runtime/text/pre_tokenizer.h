// PreTokenizer: splits a piece of normalised text into pre-tokens, which merges never cross.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"
#include "runtime/text/model_encoder.h"
#include "runtime/text/regex.h"
#include "runtime/text/tokenizer_tables.h"

namespace rondo {

// The file's stages, each of which splits the pieces of the one before. A stage may see only the
// beginning of its piece: it then splits off only what cannot change any more. Immutable but for
// the patterns' memory: one thread at a time.
class PreTokenizer {
 public:
  // What a Rewrite writes to: kMaxPreTokenBytes.
  struct Run {
    ModelEncoder& model;
    std::span<uint8_t> rewritten;
    bool at_start;  // of the whole text: no pre-token has gone before
  };

  // `tables` has passed Check and, like `memory`, outlives this.
  // Errors: kCorrupt (a pattern), kOutOfMemory.
  static Result<PreTokenizer> Create(const TokenizerTables& tables, RegexMemory& memory);

  bool rewrites() const { return rewrites_; }

  // Gives the model the pre-tokens that are certain in `text`, whole characters; *taken bytes are
  // then done with. `more`: the piece may go on behind them; else all of it is taken.
  // Error: kInvalidArgument (see Regex::Find).
  Status Split(std::span<const uint8_t> text, bool more, Run& run, size_t* taken) const {
    return Split(0, text, more, run, taken);
  }

 private:
  // A beginning of a text; empty where what follows decides.
  struct Piece {
    size_t size = 0;
    bool open = false;   // it may go on behind the text, but no place in it is special
    bool match = false;  // what the stage looks for, or the text before it
  };

  struct Stage {
    const format::Stage* settings = nullptr;
    Regex regex;

    bool Matches(uint32_t code_point) const;
    // A match, or the text before the next one.
    Status Next(std::span<const uint8_t> text, bool more, Piece* piece) const;
    // The same with what belongs to it by the stage's behaviour.
    Status First(std::span<const uint8_t> text, bool more, Piece* piece) const;
  };

  Status Split(size_t stage, std::span<const uint8_t> text, bool more, Run& run,
               size_t* taken) const;
  Status Rewrite(size_t stage, std::span<const uint8_t> text, Run& run) const;

  Stage stages_[kMaxStages];
  size_t count_ = 0;
  bool rewrites_ = false;
  EncodingTurn* turn_ = nullptr;
};

}  // namespace rondo
