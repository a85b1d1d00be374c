#include "runtime/chat/calls/json_scanner.h"

#include "runtime/chat/calls/marked_text.h"

namespace rondo::calls {
namespace {

// How far a number is: what may end it is marked.
enum : uint8_t { kSign, kZero, kInteger, kPoint, kFraction, kE, kESign, kExponent };

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsHex(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

size_t JsonScanner::Scan(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && state_ == State::kMore) {
    const char c = text[at];
    if (expect_ == Expect::kNumber && !TakeNumber(c)) {
      if (!NumberMayEnd()) {
        state_ = State::kError;
        break;
      }
      EndValue();  // and this byte is behind it
      continue;
    }
    if (expect_ != Expect::kNumber && !Take(c)) {
      state_ = State::kError;
      break;
    }
    ++at;
  }
  return at;
}

void JsonScanner::Finish() {
  if (state_ != State::kMore) return;
  if (expect_ == Expect::kNumber && depth_ == 0 && NumberMayEnd()) {
    state_ = State::kDone;
  } else {
    state_ = State::kError;
  }
}

bool JsonScanner::Take(char c) {
  switch (expect_) {
    case Expect::kString:
      if (c == '"') {
        if (is_key_) {
          expect_ = Expect::kColon;
        } else {
          EndValue();
        }
      } else if (c == '\\') {
        expect_ = Expect::kEscape;
      }
      return static_cast<uint8_t>(c) >= 0x20;
    case Expect::kEscape:
      expect_ = c == 'u' ? Expect::kHex : Expect::kString;
      hex_ = 4;
      return std::string_view("\"\\/bfnrtu").find(c) != std::string_view::npos;
    case Expect::kHex:
      if (--hex_ == 0) expect_ = Expect::kString;
      return IsHex(c);
    case Expect::kWord:
      if (word_.front() != c) return false;
      word_.remove_prefix(1);
      if (word_.empty()) EndValue();
      return true;
    default:
      break;
  }
  if (IsSpace(c)) return true;
  switch (expect_) {
    case Expect::kFirstKey:
      if (c == '}') return Close(true);
      [[fallthrough]];
    case Expect::kKey:
      is_key_ = true;
      expect_ = Expect::kString;
      return c == '"';
    case Expect::kColon:
      expect_ = Expect::kValue;
      return c == ':';
    case Expect::kNext:
      if (c != ',') return (c == '}' || c == ']') && Close(c == '}');
      expect_ = in_object() ? Expect::kKey : Expect::kValue;
      return true;
    case Expect::kFirstItem:
      if (c == ']') return Close(false);
      [[fallthrough]];
    default:
      return TakeValue(c);
  }
}

bool JsonScanner::TakeValue(char c) {
  if (c == '{') return Open(true);
  if (c == '[') return Open(false);
  if (c == '"') {
    is_key_ = false;
    expect_ = Expect::kString;
    return true;
  }
  if (c == '-' || IsDigit(c)) {
    expect_ = Expect::kNumber;
    number_ = c == '-' ? kSign : c == '0' ? kZero : kInteger;
    return true;
  }
  for (const std::string_view word : {"true", "false", "null"}) {
    if (word[0] != c) continue;
    word_ = word.substr(1);
    expect_ = Expect::kWord;
    return true;
  }
  return false;
}

bool JsonScanner::NumberMayEnd() const {
  return number_ == kZero || number_ == kInteger || number_ == kFraction || number_ == kExponent;
}

// False where the byte is no part of the number.
bool JsonScanner::TakeNumber(char c) {
  if (IsDigit(c)) {
    switch (number_) {
      case kSign:
        number_ = c == '0' ? kZero : kInteger;
        return true;
      case kZero:
        return false;
      case kPoint:
        number_ = kFraction;
        return true;
      case kE:
      case kESign:
        number_ = kExponent;
        return true;
      default:
        return true;
    }
  }
  if (c == '.' && (number_ == kZero || number_ == kInteger)) {
    number_ = kPoint;
  } else if ((c == 'e' || c == 'E') &&
             (number_ == kZero || number_ == kInteger || number_ == kFraction)) {
    number_ = kE;
  } else if ((c == '+' || c == '-') && number_ == kE) {
    number_ = kESign;
  } else {
    return false;
  }
  return true;
}

void JsonScanner::EndValue() {
  expect_ = Expect::kNext;
  if (depth_ == 0) state_ = State::kDone;
}

bool JsonScanner::Open(bool object) {
  if (depth_ == kMaxDepth) return false;
  const uint64_t bit = uint64_t{1} << (depth_ % 64);
  open_[depth_ / 64] = (open_[depth_ / 64] & ~bit) | (object ? bit : 0);
  ++depth_;
  expect_ = object ? Expect::kFirstKey : Expect::kFirstItem;
  return true;
}

bool JsonScanner::Close(bool object) {
  if (depth_ == 0 || in_object() != object) return false;
  --depth_;
  EndValue();
  return true;
}

}  // namespace rondo::calls
