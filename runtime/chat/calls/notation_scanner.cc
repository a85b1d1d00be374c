#include "runtime/chat/calls/notation_scanner.h"

#include <algorithm>

#include "runtime/base/hex.h"
#include "runtime/base/json_scanner.h"
#include "runtime/base/utf8.h"
#include "runtime/chat/calls/marked_text.h"

namespace rondo::calls {
namespace {

constexpr size_t kMostWritten = 16;  // for anything but strings and bare texts

// What a bare text is in JSON; empty: a string.
std::string_view JsonWord(std::string_view text) {
  if (text == "True") return "true";
  if (text == "False") return "false";
  if (text == "None") return "null";
  JsonScanner scanner;
  const size_t size = scanner.Scan(text, true);
  return scanner.done() && size == text.size() ? text : std::string_view();
}

}  // namespace

size_t NotationScanner::Scan(std::string_view text, bool last, Output* out) {
  size_t at = 0;
  while (state_ == State::kMore && at < text.size() &&
         out->room() >= kMostWritten + kMaxBare * Output::kMostPerByte) {
    const size_t taken = Take(text.substr(at), last, out);
    if (taken == 0) break;
    at += taken;
  }
  return at;
}

size_t NotationScanner::Take(std::string_view text, bool last, Output* out) {
  if (expect_ == Expect::kString) return TakeString(text, last, out);
  const char c = text[0];
  if (IsSpace(c)) return 1;
  const auto fail = [this] {
    state_ = State::kError;
    return size_t{0};
  };
  if (expect_ == Expect::kColon) {
    if (c != ':') return fail();
    out->Append(": ");
    expect_ = Expect::kValue;
    return 1;
  }
  if (expect_ == Expect::kNext && c == ',') {
    out->Append(", ");
    expect_ = nesting_.in_object() ? Expect::kKey : Expect::kValue;
    return 1;
  }
  const bool may_close =
      expect_ == Expect::kNext || expect_ == Expect::kFirstItem || expect_ == Expect::kFirstKey;
  if (may_close && (c == '}' || c == ']')) {
    if (c != nesting_.end()) return fail();
    nesting_.Close();
    EndValue();
    out->Append(c);
    return 1;
  }
  if (expect_ == Expect::kNext) return fail();
  is_key_ = expect_ == Expect::kKey || expect_ == Expect::kFirstKey;
  bool partial = false;
  if (const size_t quote = QuoteAt(text, last, &partial); quote > 0) {
    python_quote_ = c;
    expect_ = Expect::kString;
    out->Append('"');
    return quote;
  }
  if (partial) return 0;
  if (!is_key_ && (c == '{' || c == '[')) {
    if (!nesting_.Open(c == '{')) return fail();
    expect_ = c == '{' ? Expect::kFirstKey : Expect::kFirstItem;
    out->Append(c);
    return 1;
  }
  if (c == ',' || c == ':' || c == '}' || c == ']' || c == '{' || c == '[') return fail();
  return TakeBare(text, last, out);
}

size_t NotationScanner::QuoteAt(std::string_view text, bool last, bool* partial) const {
  if (python_) {
    if (expect_ == Expect::kString) return text[0] == python_quote_ ? 1 : 0;
    return text[0] == '\'' || text[0] == '"' ? 1 : 0;
  }
  if (text.starts_with(quote_)) return quote_.size();
  *partial = !last && quote_.starts_with(text);
  return 0;
}

size_t NotationScanner::TakeString(std::string_view text, bool last, Output* out) {
  bool partial = false;
  if (const size_t quote = QuoteAt(text, last, &partial); quote > 0) {
    out->Append('"');
    if (is_key_) {
      expect_ = Expect::kColon;
    } else {
      EndValue();
    }
    return quote;
  }
  if (partial) return 0;
  if (python_ && text[0] == '\\') return TakeEscape(text, out);
  // As far as no quote can begin and there is room.
  const char stop = python_ ? python_quote_ : quote_[0];
  const size_t most = std::min(text.size(), (out->room() - kMostWritten) / Output::kMostPerByte);
  size_t size = 1;
  while (size < most && text[size] != stop && !(python_ && text[size] == '\\')) ++size;
  out->AppendEscaped(text.substr(0, size));
  return size;
}

size_t NotationScanner::TakeEscape(std::string_view text, Output* out) {
  if (text.size() < 2) return 0;
  const char c = text[1];
  if (const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0; digits > 0) {
    if (text.size() < 2 + digits) return 0;
    uint32_t code = 0;
    for (const char d : text.substr(2, digits)) {
      if (HexDigit(d) < 0 || code > kMaxCodePoint) {
        state_ = State::kError;
        return 0;
      }
      code = code * 16 + static_cast<uint32_t>(HexDigit(d));
    }
    if (code > kMaxCodePoint || (code >= 0xD800 && code < 0xE000)) code = kReplacementCharacter;
    uint8_t bytes[4];
    const size_t size = EncodeUtf8(code, bytes);
    out->AppendEscaped({reinterpret_cast<const char*>(bytes), size});
    return 2 + digits;
  }
  const char plain = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  out->AppendEscaped({&plain, 1});
  return 2;
}

// A bare text is taken when it is whole.
size_t NotationScanner::TakeBare(std::string_view text, bool last, Output* out) {
  const auto fail = [this] {
    state_ = State::kError;
    return size_t{0};
  };
  size_t size = 0;
  for (; size < text.size(); ++size) {
    const char c = text[size];
    if (c == ',' || c == '}' || c == ']' || (is_key_ && c == ':')) break;
    if (size == kMaxBare || (python_ && (c == '\'' || c == '"'))) return fail();
  }
  if (size == text.size() && !(last && nesting_.depth() == 0)) return 0;
  const std::string_view bare = TrimRight(text.substr(0, size));
  const std::string_view word = is_key_ ? std::string_view() : JsonWord(bare);
  if (word.empty()) {
    out->Append('"');
    out->AppendEscaped(bare);
    out->Append('"');
  } else {
    out->Append(word);
  }
  if (is_key_) {
    expect_ = Expect::kColon;
  } else {
    EndValue();
  }
  return size;
}

void NotationScanner::EndValue() {
  expect_ = Expect::kNext;
  if (nesting_.depth() == 0) state_ = State::kDone;
}

}  // namespace rondo::calls
