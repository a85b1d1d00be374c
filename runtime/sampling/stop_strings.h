// StopStrings: finds the end of a generation in streamed text, and holds back what may belong to
// it, so that no part of a stop string is ever shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/model/sampling_ranges.h"

namespace rondo {

// The match is the stop string that is complete first in the text; of several that are complete
// at the same byte, the longest. How the text is cut into pieces does not matter.
//
// Held back is the longest end of the text that begins any stop string. Stop strings and text of
// whole code points therefore give released text of whole code points.
//
// One thread at a time. Trivially copyable; a copy shares the memory given to Init.
class StopStrings {
 public:
  // Bytes to plan; `max_text` is the longest piece that will be fed. SIZE_MAX: overflow.
  static size_t Bytes(size_t max_text);

  // Without Init there are no stop strings, and Feed gives back what it gets.
  StopStrings() = default;

  // `memory`: Bytes(max_text), kept by the caller, any alignment. Copies the strings.
  // Errors: kInvalidArgument (more than kMaxStopStrings, an empty or too long one).
  Status Init(std::span<const std::string_view> strings, std::span<std::byte> memory);

  struct Released {
    std::string_view text;  // lives until the next call; may be longer than what was fed
    bool matched;           // `text` ends where the stop string begins
  };

  // `text`: at most max_text bytes. After a match: Reset before anything else is fed.
  Released Feed(std::string_view text);

  // What is held, given out at the end of a generation that no stop string ended.
  std::string_view Flush();

  // Forgets what is held.
  void Reset();

 private:
  // The pattern of one string and how much of it the text so far ends with.
  struct Pattern {
    uint8_t length;
    uint8_t matched;
    // fallback[m]: the longest proper end of the first m + 1 bytes that is also their beginning.
    uint8_t fallback[kMaxStopStringBytes];
    char bytes[kMaxStopStringBytes];

    bool Advance(char c);  // true: complete
  };

  std::string_view Held() const;

  Pattern* patterns_ = nullptr;
  size_t count_ = 0;
  char* text_ = nullptr;      // the held text, then the piece that is being fed
  size_t text_capacity_ = 0;  // kMaxStopStringBytes + max_text
};

}  // namespace rondo
