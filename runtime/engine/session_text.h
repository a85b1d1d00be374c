// SessionText: a session's tokens as text, whole characters and up to a stop string.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/kv/key_history.h"
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
    std::span<char> text;               // TextBytes(that of piece)
  };

  // An event has room for what one token completes and what was held back, twice; and of the tokens
  // that no event told, for so many bytes.
  static constexpr size_t kUntoldBytes = 1024;
  static size_t TextBytes(size_t piece) { return 2 * (piece + kMaxStopStringBytes) + kUntoldBytes; }

  // `tokenizer`: null where the model has none; then there is no text. The memory is kept.
  Status Init(const Tokenizer* tokenizer, std::span<const std::string_view> stop_strings,
              const Memory& memory);

  // A new event, without text so far.
  void BeginEvent() { size_ = 0; }
  // Adds what `token` completes. True: a stop string came up, and the text ends before it; or the
  // special token that a stop string is the text of.
  bool Add(int32_t token);
  // Adds what was held back: the end of a generation.
  void Flush();
  // The event's text; lives until the next event.
  std::string_view text() const { return {text_.data(), size_}; }
  // The token's raw bytes; empty without a tokenizer.
  std::string_view BytesOf(int32_t token) const;

  // The next token begins a generation behind `tokens`: it goes on with a text where one of them is
  // not special, and else begins one.
  void BeginGeneration(const KeyHistory& tokens) { BeginGeneration(GoesOn(tokens)); }
  // Whether the generation goes on with a text.
  bool continues() const { return continues_; }
  // The generation of `tokens` [begin, end) as if they had been added; `continues` as it was when
  // it began. The text of those before `told` is no event's any more, but what is held back. True:
  // the last of them ended the text, as Add tells.
  bool Resume(const KeyHistory& tokens, uint64_t begin, uint64_t end, uint64_t told,
              bool continues);

 private:
  bool GoesOn(const KeyHistory& tokens) const;
  void BeginGeneration(bool continues);
  void Put(std::string_view text);
  bool Stops(int32_t token) const;

  const Tokenizer* tokenizer_ = nullptr;
  StopStrings stop_strings_;
  std::array<int32_t, kMaxStopStrings> stop_tokens_;  // special ones: they come without text
  size_t n_stop_tokens_ = 0;
  StreamDecoder stream_;
  bool continues_ = false;
  std::span<char> text_;
  size_t size_ = 0;
  std::span<char> piece_;
};

}  // namespace rondo
