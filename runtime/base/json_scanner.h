// JsonScanner: RFC 8259, one event after another, in a text that may come in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rondo {

enum class JsonEvent : uint8_t {
  kNull,  // values: whole ones, and the begin of an array or an object
  kFalse,
  kTrue,
  kNumber,
  kString,
  kArray,
  kObject,
  kKey,
  kClose,  // the innermost array or object ends
  kEnd,    // the text ends, behind the value
  kMore,   // the piece ends before the next event
  kError
};

// What is wrong at the byte at which a text ceases to be JSON.
enum class JsonProblem : uint8_t {
  kNone,
  kValue,  // no value, where one is due
  kKey,
  kColon,
  kNextMember,  // no comma, and not the object's end
  kNextItem,
  kBehind,  // something behind the value
  kDigits,  // a number has none
  kFractionDigits,
  kExponentDigits,
  kStringEnd,
  kEscape,
  kHexDigits,  // not four of them
  kControl,    // a control character in a string
  kUtf8,       // a string is none
  kNested      // too deeply
};

// Which of the arrays and objects that are open are objects.
class JsonNesting {
 public:
  static constexpr uint32_t kUsual = 256, kMost = 512;

  explicit JsonNesting(uint32_t most) : most_(most) {}

  uint32_t depth() const { return depth_; }
  bool in_object() const {
    return depth_ > 0 && (objects_[(depth_ - 1) / 64] >> (depth_ - 1) % 64 & 1) != 0;
  }
  // What closes the innermost.
  char end() const { return in_object() ? '}' : ']'; }
  // False where it is one too many.
  bool Open(bool object) {
    if (depth_ == most_) return false;
    const uint64_t bit = uint64_t{1} << depth_ % 64;
    uint64_t& word = objects_[depth_++ / 64];
    word = object ? word | bit : word & ~bit;
    return true;
  }
  void Close() { --depth_; }

 private:
  uint32_t most_, depth_ = 0;
  uint64_t objects_[kMost / 64] = {};  // a bit for each level
};

// Follows nesting, strings and numbers in fixed memory, and makes no values. Does not look whether
// strings are UTF-8, and surrogates whole.
class JsonScanner {
 public:
  // At most JsonNesting::kMost.
  explicit JsonScanner(uint32_t most_nested = JsonNesting::kUsual) : nesting_(most_nested) {}

  // Takes the bytes of `piece` from `*at` on, up to the next event's end or to the first byte that
  // JSON cannot have there. `last`: the text ends with the piece.
  JsonEvent Next(std::string_view piece, size_t* at, bool last);
  // The same up to the value's end; returns how many bytes were taken. A number at the top ends
  // only with what is behind it.
  size_t Scan(std::string_view piece, bool last = false);

  bool done() const { return expect_ == Expect::kNothing; }
  bool failed() const { return problem_ != JsonProblem::kNone; }
  JsonProblem problem() const { return problem_; }
  // Where in its piece the last string or number begins, and whether it has escapes.
  size_t token() const { return token_; }
  bool escaped() const { return escaped_; }

 private:
  enum class Expect : uint8_t {
    kValue,
    kFirstItem,  // or the array's end
    kFirstKey,   // or the object's end
    kKey,
    kColon,
    kNext,     // a comma, or the end of what is open
    kNothing,  // but white space
    kString,   // from here on within a token
    kEscape,
    kHexDigit,
    kNumber,
    kWord
  };

  JsonEvent Take(int c);
  JsonEvent TakeValue(int c);
  const char* SkipNumber(const char* at, const char* end);
  JsonEvent Begin(JsonEvent token, Expect expect, const char* word = nullptr);
  JsonEvent EndToken(JsonProblem lacks = JsonProblem::kNone);
  JsonEvent Close();
  JsonEvent Fail(JsonProblem problem);
  void EndValue() { expect_ = nesting_.depth() == 0 ? Expect::kNothing : Expect::kNext; }

  Expect expect_ = Expect::kValue;
  JsonProblem problem_ = JsonProblem::kNone;
  JsonEvent what_ = JsonEvent::kMore;  // the token under way
  bool escaped_ = false;
  uint8_t number_ = 0;          // how far a number is
  uint8_t hex_digits_ = 0;      // still to come
  const char* word_ = nullptr;  // what is still to come of true, false or null
  size_t token_ = 0;
  JsonNesting nesting_;
};

}  // namespace rondo
