#include "runtime/chat/calls/marked_text.h"

#include <algorithm>

#include "runtime/base/utf8.h"

namespace rondo::calls {
namespace {

constexpr size_t kMaxMarker = 128;
constexpr size_t kMaxSlot = 128;

constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLetter(char c) { return IsUpper(c) || (c >= 'a' && c <= 'z'); }

// Whether a marker may begin with these two bytes.
bool OpensMarker(char first, char second) {
  if (first == '<') {
    return IsLetter(second) || second == '/' || second == '|' ||
           static_cast<uint8_t>(second) >= 128;
  }
  return first == '[' && (IsUpper(second) || second == '/');
}

constexpr bool IsJsonPunctuation(char c) {
  return c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':';
}

constexpr bool IsIdByte(char c) {
  return !IsSpace(c) && c != '"' && c != '<' && c != '[' && c != ']' && c != '\\';
}

size_t SkipSpace(std::string_view text, size_t at) {
  while (at < text.size() && IsSpace(text[at])) ++at;
  return at;
}

bool IsSlot(char c) { return c == kIdSlot || c == kIndexSlot; }

}  // namespace

std::string_view TrimLeft(std::string_view text) { return text.substr(SkipSpace(text, 0)); }

std::string_view TrimRight(std::string_view text) {
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

size_t SharedSpace(std::string_view space, std::string_view text) {
  const size_t most = std::min(space.size(), text.size());
  size_t size = 0;
  while (size < most && space[space.size() - 1 - size] == text[text.size() - 1 - size]) ++size;
  return size;
}

size_t TrailingSpace(std::string_view text, size_t most) {
  most = std::min(most, text.size());
  return SpaceBehind(text.substr(text.size() - most)).size();
}

size_t MarkerSize(std::string_view text) {
  if (text.size() < 3 || !OpensMarker(text[0], text[1])) return 0;
  const char close = text[0] == '<' ? '>' : ']';
  for (size_t i = 1; i < std::min(text.size(), kMaxMarker); ++i) {
    if (text[i] == close) return i + 1;
    if (text[i] == '\n' || text[i] == text[0]) return 0;
  }
  return 0;
}

size_t FirstMarkerEnd(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (const size_t size = MarkerSize(text.substr(i)); size > 0) return i + size;
  }
  return 0;
}

size_t BeforeMarker(std::string_view text, size_t at) {
  const size_t least = at - std::min(at, kMaxMarker);
  for (size_t i = at; i > least; --i) {
    const char c = text[i - 1];
    if (c == '>' || c == ']' || c == '\n') break;
    if (i < text.size() && OpensMarker(c, text[i])) return i - 1;
  }
  return at;
}

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  const auto end = std::mismatch(a.begin(), a.begin() + static_cast<ptrdiff_t>(most), b.begin());
  auto size = static_cast<size_t>(end.first - a.begin());
  // Two texts may leave a marker at different places of it: the earlier start counts.
  size = std::min(BeforeMarker(a, size), BeforeMarker(b, size));
  while (size > 0 && size < a.size() && IsUtf8Continuation(static_cast<uint8_t>(a[size]))) --size;
  return size;
}

size_t CommonSuffix(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  size_t size = 0;
  while (size < most && a[a.size() - 1 - size] == b[b.size() - 1 - size]) ++size;
  for (const std::string_view text : {a, b}) {
    const size_t at = text.size() - size;
    const size_t start = BeforeMarker(text, at);
    if (start == at) continue;
    const size_t marker = MarkerSize(text.substr(start));
    if (marker > 0) size = std::min(size, text.size() - start - marker);
  }
  while (size > 0 && IsUtf8Continuation(static_cast<uint8_t>(a[a.size() - size]))) --size;
  return size;
}

Match MatchPattern(std::string_view pattern, std::string_view text) {
  Match match;
  const auto ended = [&match] {
    match.kind = Match::kPartial;
    return match;
  };
  size_t at = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (IsSpace(c)) {
      at = SkipSpace(text, at);
      continue;
    }
    if (IsSlot(c)) {
      const size_t begin = at;
      while (at < text.size() && at - begin < kMaxSlot &&
             (c == kIdSlot ? IsIdByte(text[at]) : IsAsciiDigit(text[at]))) {
        ++at;
      }
      // An id ends where what is behind it begins, if that is one of its own characters.
      if (at == text.size()) return ended();
      if (at == begin) return match;
      match.slot_begin = begin;
      match.slot_size = at - begin;
      continue;
    }
    if (at < text.size() && text[at] != c && IsSpace(text[at]) && i > 0 &&
        (IsJsonPunctuation(c) || IsJsonPunctuation(pattern[i - 1]))) {
      at = SkipSpace(text, at);
    }
    if (at == text.size()) return ended();
    if (text[at] != c) return match;
    ++at;
  }
  match.kind = Match::kYes;
  match.size = at;
  return match;
}

size_t MatchBeginning(std::string_view pattern, std::string_view text) {
  size_t matched = 0;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c != '>' && c != ']' && c != '}') continue;
    const Match match = MatchPattern(pattern.substr(0, i + 1), text);
    if (match.kind != Match::kYes) break;
    matched = match.size;
  }
  return matched;
}

}  // namespace rondo::calls
