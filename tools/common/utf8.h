// Text that comes from outside as UTF-8: whatever its bytes were, what is made of it can be kept,
// shown and handed on as JSON.
#pragma once

#include <string>
#include <string_view>

namespace rondo::tools {

// With U+FFFD for bytes that are none; what could have begun one character counts as one.
std::string AsUtf8(std::string_view text);

// Takes away the mark that some systems put before a text in UTF-8.
void DropByteOrderMark(std::string* text);

// Whole characters of a text that comes in pieces.
class Utf8Pieces {
 public:
  // Those that end with these bytes, as AsUtf8. The begin of one waits for what follows.
  std::string Add(std::string_view bytes);
  // What waits is no part of the text.
  void Reset() { waiting_.clear(); }

 private:
  std::string waiting_;
};

}  // namespace rondo::tools
