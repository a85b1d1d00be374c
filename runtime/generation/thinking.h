// Thinking: where a text is inside of a thought, and how a thought that grows too long is ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/text/tokenizer.h"

namespace rondo {

inline constexpr size_t kMaxThinkingMarkBytes = 64;

struct ThinkingOptions {
  bool on = false;
  // What begins and ends a thought. They are found without the white space around them.
  std::string_view begin, end;
  uint64_t most_tokens = 0;  // of a thought; 0: any number
};

// Immutable after Init.
class Thinking {
 public:
  // Where a text has come to. Of plain numbers: going back is taking an older one.
  struct Place {
    bool inside = false;
    uint8_t matched = 0;     // bytes of the mark that is looked for: they end the text
    uint8_t unfinished = 0;  // bytes that a character at the end still lacks
    uint8_t written = 0;     // tokens of closing_ that were written
    uint64_t tokens = 0;     // of the thought, with what ended it so far
  };

  // Errors: kInvalidArgument (a mark without letters or too long), kUnsupported (no tokenizer).
  // `vocab_size`: the model's.
  Status Init(const ThinkingOptions& options, const Tokenizer* tokenizer, size_t vocab_size);
  bool exists() const { return tokenizer_ != nullptr; }

  // Behind one more token. `closes`: what a thought's end is written with behind its mark is
  // written, too, where the model ended it.
  Place Next(Place place, int32_t token, bool closes) const;
  // The token that must come, or -1: any. A thought that has too many tokens ends where a character
  // does.
  int32_t Forced(const Place& place) const;
  // The end of a thought is being written.
  static bool IsClosing(const Place& place) { return place.written > 0; }
  // Of plain numbers from elsewhere: they may be where a text has come to.
  bool IsPlace(const Place& place) const {
    return place.matched < (place.inside ? end_ : begin_).size() && place.unfinished <= 3 &&
           (place.written == 0 || place.written < n_closing_);
  }
  // Equal where the same place means the same.
  uint64_t Identity() const;
  // The tokens that a thought begins with.
  std::span<const int32_t> opening() const { return {opening_.data(), n_opening_}; }

 private:
  // Finds a text byte by byte. Formula: Knuth, Morris, Pratt.
  class Mark {
   public:
    Status Init(std::string_view text, const char* what);
    std::string_view text() const { return {text_.data(), size_}; }
    size_t size() const { return size_; }
    // How many bytes match behind one more.
    size_t Step(size_t matched, char byte) const;
    bool IsWhole(size_t matched) const { return matched == size_; }

   private:
    std::array<char, kMaxThinkingMarkBytes> text_ = {};
    std::array<uint8_t, kMaxThinkingMarkBytes> fallback_ = {};
    size_t size_ = 0;
  };
  static constexpr size_t kMostTokens = 2 * kMaxThinkingMarkBytes;
  using Tokens = std::array<int32_t, kMostTokens>;

  Status Tokenise(std::string_view text, size_t vocab_size, Tokens* tokens, size_t* count) const;
  Status TokeniseWithin(std::string_view text, Tokens* tokens, size_t* count) const;
  Status Encode(std::string_view text, Tokens* tokens, size_t* count) const;
  std::string_view TextOf(int32_t token) const;

  const Tokenizer* tokenizer_ = nullptr;
  Mark begin_, end_;
  Tokens opening_ = {}, closing_ = {};
  size_t n_opening_ = 0, n_closing_ = 0;
  size_t behind_mark_ = 0;  // tokens of closing_ up to where its mark is whole
  uint64_t most_tokens_ = 0;
};

}  // namespace rondo
