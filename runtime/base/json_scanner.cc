#include "runtime/base/json_scanner.h"

#include <cstring>

#include "runtime/base/hex.h"

namespace rondo {
namespace {

constexpr int kTextEnd = -1;  // in place of a byte

// How far a number is.
enum : uint8_t { kSign, kZero, kInteger, kPoint, kFraction, kE, kESign, kExponent, kOver };

// Of each of these: what comes of a digit, a point, an e or a sign, and what the number lacks.
constexpr struct {
  uint8_t next[4];
  JsonProblem lacks;
} kNumbers[] = {
    {{kInteger, kOver, kOver, kOver}, JsonProblem::kDigits},
    {{kOver, kPoint, kE, kOver}, JsonProblem::kNone},
    {{kInteger, kPoint, kE, kOver}, JsonProblem::kNone},
    {{kFraction, kOver, kOver, kOver}, JsonProblem::kFractionDigits},
    {{kFraction, kOver, kE, kOver}, JsonProblem::kNone},
    {{kExponent, kOver, kOver, kESign}, JsonProblem::kExponentDigits},
    {{kExponent, kOver, kOver, kOver}, JsonProblem::kExponentDigits},
    {{kExponent, kOver, kOver, kOver}, JsonProblem::kNone},
};

// To the next byte that is not plainly a string's.
const char* SkipPlain(const char* at, const char* end) {
  constexpr uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  for (; end - at >= 8; at += 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    const uint64_t quotes = word ^ kOnes * '"', escapes = word ^ kOnes * '\\';
    // Where a byte is 0, or below 0x20, its highest bit is set; where none is, no highest bit is.
    const uint64_t found = ((quotes - kOnes) & ~quotes) | ((escapes - kOnes) & ~escapes) |
                           ((word - kOnes * 0x20) & ~word);
    if ((found & kHighs) != 0) break;
  }
  while (at != end && *at != '"' && *at != '\\' && static_cast<uint8_t>(*at) >= 0x20) ++at;
  return at;
}

}  // namespace

JsonEvent JsonScanner::Next(std::string_view piece, size_t* at, bool last) {
  if (failed()) return JsonEvent::kError;
  const char* const begin = piece.data();
  const char* const end = begin + piece.size();
  const char* next = begin + *at;
  JsonEvent event = JsonEvent::kMore;
  while (event == JsonEvent::kMore) {
    if (expect_ == Expect::kString) {
      next = SkipPlain(next, end);
    } else if (expect_ == Expect::kNumber) {
      next = SkipNumber(next, end);
      if (next != end || last) event = EndToken(kNumbers[number_].lacks);
      break;
    } else if (expect_ < Expect::kString) {
      while (next != end && (*next == ' ' || *next == '\n' || *next == '\t' || *next == '\r'))
        ++next;
      token_ = static_cast<size_t>(next - begin);
    }
    if (next == end && !last) break;
    event = Take(next == end ? kTextEnd : static_cast<uint8_t>(*next));
    if (event != JsonEvent::kEnd && event != JsonEvent::kError) ++next;
  }
  *at = static_cast<size_t>(next - begin);
  return event;
}

size_t JsonScanner::Scan(std::string_view piece, bool last) {
  size_t at = 0;
  while (!done()) {
    const JsonEvent event = Next(piece, &at, last);
    if (event == JsonEvent::kMore || event == JsonEvent::kError) break;
  }
  return at;
}

// A byte that was not skipped.
JsonEvent JsonScanner::Take(int c) {
  switch (expect_) {
    case Expect::kString:
      if (c == '"') return EndToken();
      if (c != '\\') return Fail(c == kTextEnd ? JsonProblem::kStringEnd : JsonProblem::kControl);
      escaped_ = true;
      expect_ = Expect::kEscape;
      return JsonEvent::kMore;
    case Expect::kEscape:
      if (c <= 0 || std::strchr("\"\\/bfnrtu", c) == nullptr) return Fail(JsonProblem::kEscape);
      expect_ = c == 'u' ? Expect::kHexDigit : Expect::kString;
      hex_digits_ = 4;
      return JsonEvent::kMore;
    case Expect::kHexDigit:
      if (HexDigit(static_cast<char>(c)) < 0) return Fail(JsonProblem::kHexDigits);
      if (--hex_digits_ == 0) expect_ = Expect::kString;
      return JsonEvent::kMore;
    case Expect::kWord:
      if (*word_ != c) return Fail(JsonProblem::kValue);
      return *++word_ == '\0' ? EndToken() : JsonEvent::kMore;
    case Expect::kFirstKey:
      if (c == '}') return Close();
      [[fallthrough]];
    case Expect::kKey:
      return c == '"' ? Begin(JsonEvent::kKey, Expect::kString) : Fail(JsonProblem::kKey);
    case Expect::kColon:
      if (c != ':') return Fail(JsonProblem::kColon);
      expect_ = Expect::kValue;
      return JsonEvent::kMore;
    case Expect::kNext: {
      const bool in_object = nesting_.in_object();
      if (c == nesting_.end()) return Close();
      if (c != ',') return Fail(in_object ? JsonProblem::kNextMember : JsonProblem::kNextItem);
      expect_ = in_object ? Expect::kKey : Expect::kValue;
      return JsonEvent::kMore;
    }
    case Expect::kNothing:
      return c == kTextEnd ? JsonEvent::kEnd : Fail(JsonProblem::kBehind);
    case Expect::kFirstItem:
      if (c == ']') return Close();
      [[fallthrough]];
    default:
      return TakeValue(c);
  }
}

JsonEvent JsonScanner::TakeValue(int c) {
  switch (c) {
    case '{':
    case '[':
      if (!nesting_.Open(c == '{')) return Fail(JsonProblem::kNested);
      expect_ = c == '{' ? Expect::kFirstKey : Expect::kFirstItem;
      return c == '{' ? JsonEvent::kObject : JsonEvent::kArray;
    case '"':
      return Begin(JsonEvent::kString, Expect::kString);
    case 't':
      return Begin(JsonEvent::kTrue, Expect::kWord, "rue");
    case 'f':
      return Begin(JsonEvent::kFalse, Expect::kWord, "alse");
    case 'n':
      return Begin(JsonEvent::kNull, Expect::kWord, "ull");
    default:
      if (c != '-' && (c < '0' || c > '9')) return Fail(JsonProblem::kValue);
      number_ = c == '-' ? kSign : c == '0' ? kZero : kInteger;
      return Begin(JsonEvent::kNumber, Expect::kNumber);
  }
}

// To the first byte that is no part of the number.
const char* JsonScanner::SkipNumber(const char* at, const char* end) {
  for (; at != end; ++at) {
    const char c = *at;
    const bool digit = c >= '0' && c <= '9';
    if (!digit && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-') break;
    const uint8_t next = kNumbers[number_].next[digit               ? 0
                                                : c == '.'          ? 1
                                                : (c | 0x20) == 'e' ? 2
                                                                    : 3];
    if (next == kOver) break;
    number_ = number_ == kSign && c == '0' ? uint8_t{kZero} : next;
  }
  return at;
}

JsonEvent JsonScanner::Begin(JsonEvent token, Expect expect, const char* word) {
  what_ = token;
  expect_ = expect;
  word_ = word;
  escaped_ = false;
  return JsonEvent::kMore;
}

JsonEvent JsonScanner::EndToken(JsonProblem lacks) {
  if (lacks != JsonProblem::kNone) return Fail(lacks);
  if (what_ == JsonEvent::kKey) {
    expect_ = Expect::kColon;
  } else {
    EndValue();
  }
  return what_;
}

JsonEvent JsonScanner::Close() {
  nesting_.Close();
  EndValue();
  return JsonEvent::kClose;
}

JsonEvent JsonScanner::Fail(JsonProblem problem) {
  problem_ = problem;
  return JsonEvent::kError;
}

}  // namespace rondo
