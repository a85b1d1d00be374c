// SessionText: a session's tokens as text, whole characters and up to a stop string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/sampling/stop_strings.h"
#include "runtime/text/stream_decoder.h"
#include "runtime/text/tokenizer.h"

namespace rondo {

// One thread at a time.
class SessionText {
 public:
  struct Memory {
    std::span<std::byte> stop_strings;  // StopStrings::Bytes
    std::span<char> piece;              // StreamDecoder::MaxTextBytes
    std::span<char> text;               // 2 * (that of piece + kMaxStopStringBytes)
  };

  // `tokenizer`: null where the model has none; then there is no text. The memory is kept.
  Status Init(const Tokenizer* tokenizer, std::span<const std::string_view> stop_strings,
              const Memory& memory);

  // A new event, without text so far.
  void BeginEvent() { size_ = 0; }
  // Adds what `token` completes. True: a stop string came up, and the text ends before it.
  bool Add(int32_t token);
  // Adds what was held back: the end of a generation.
  void Flush();
  // The event's text; lives until the next event.
  std::string_view text() const { return {text_.data(), size_}; }
  // The token's raw bytes; empty without a tokenizer.
  std::string_view BytesOf(int32_t token) const;

  // Tokens that are not generated went in before: a text that follows goes on with theirs.
  void Note(std::span<const int32_t> ids);
  // The next token begins a generation.
  void BeginGeneration();
  void Reset();
  // As if what went in before had been what did there.
  void GoOnFrom(const SessionText& other) { has_text_ = other.has_text_; }

  // Whether the generation goes on with a text, or begins one; for Resume, after which the tokens
  // of the generation are added again.
  bool continues() const { return continues_; }
  void Resume(bool continues) {
    has_text_ = continues;
    BeginGeneration();
  }

 private:
  void Put(std::string_view text);

  const Tokenizer* tokenizer_ = nullptr;
  StopStrings stop_strings_;
  StreamDecoder stream_;
  bool has_text_ = false;   // a token that is not special was seen: text goes on, not begins
  bool continues_ = false;  // has_text_ when the generation began
  std::span<char> text_;
  size_t size_ = 0;
  std::span<char> piece_;
};

}  // namespace rondo
