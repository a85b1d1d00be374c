// Knuth, Morris and Pratt, once per stop string, side by side: the state of each is the length of
// text that may still become it, and the largest of them is what must be held.
#include "runtime/sampling/stop_strings.h"

#include <algorithm>
#include <type_traits>

#include "runtime/base/checked.h"

namespace rondo {

static_assert(std::is_trivially_copyable_v<StopStrings>);
static_assert(kMaxStopStringBytes <= UINT8_MAX);

size_t StopStrings::Bytes(size_t max_text) {
  static_assert(alignof(Pattern) == 1);
  const CheckedSize bytes =
      CheckedSize(kMaxStopStrings * sizeof(Pattern) + kMaxStopStringBytes) + CheckedSize(max_text);
  return bytes.valid() ? bytes.value() : SIZE_MAX;
}

Status StopStrings::Init(std::span<const std::string_view> strings, std::span<std::byte> memory) {
  if (memory.size() < Bytes(0)) {
    return Status::Error(StatusCode::kInternal, "stop strings were given %zu bytes of memory",
                         memory.size());
  }
  if (strings.size() > kMaxStopStrings) {
    return Status::Error(StatusCode::kInvalidArgument, "%zu stop strings; at most %zu are possible",
                         strings.size(), kMaxStopStrings);
  }
  for (size_t i = 0; i < strings.size(); ++i) {
    if (strings[i].empty() || strings[i].size() > kMaxStopStringBytes) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "stop string %zu has %zu bytes; expected 1 to %zu", i, strings[i].size(),
                           kMaxStopStringBytes);
    }
  }
  patterns_ = reinterpret_cast<Pattern*>(memory.data());
  count_ = strings.size();
  text_ = reinterpret_cast<char*>(memory.data() + kMaxStopStrings * sizeof(Pattern));
  text_capacity_ = memory.size() - kMaxStopStrings * sizeof(Pattern);
  for (size_t i = 0; i < count_; ++i) {
    Pattern& pattern = patterns_[i];
    pattern.length = static_cast<uint8_t>(strings[i].size());
    std::copy(strings[i].begin(), strings[i].end(), pattern.bytes);
    pattern.fallback[0] = 0;
    uint8_t matched = 0;
    for (size_t m = 1; m < pattern.length; ++m) {
      while (matched > 0 && pattern.bytes[m] != pattern.bytes[matched]) {
        matched = pattern.fallback[matched - 1];
      }
      if (pattern.bytes[m] == pattern.bytes[matched]) ++matched;
      pattern.fallback[m] = matched;
    }
  }
  Reset();
  return {};
}

bool StopStrings::Pattern::Advance(char c) {
  while (matched > 0 && c != bytes[matched]) matched = fallback[matched - 1];
  if (c == bytes[matched]) ++matched;
  return matched == length;
}

// The text held is the beginning of the pattern that it may become.
std::string_view StopStrings::Held() const {
  std::string_view held;
  for (const Pattern& pattern : std::span(patterns_, count_)) {
    if (pattern.matched > held.size()) held = {pattern.bytes, pattern.matched};
  }
  return held;
}

StopStrings::Released StopStrings::Feed(std::string_view text) {
  if (count_ == 0) return {text, false};
  text = text.substr(0, text_capacity_ - kMaxStopStringBytes);
  const size_t begin = Held().copy(text_, kMaxStopStringBytes);
  const size_t end = begin + text.copy(text_ + begin, text.size());
  for (size_t i = begin; i < end; ++i) {
    size_t longest = 0;
    for (Pattern& pattern : std::span(patterns_, count_)) {
      if (pattern.Advance(text_[i])) longest = std::max<size_t>(longest, pattern.length);
    }
    if (longest > 0) {
      Reset();
      return {{text_, i + 1 - longest}, true};
    }
  }
  return {{text_, end - Held().size()}, false};
}

std::string_view StopStrings::Flush() {
  const std::string_view held = Held();
  Reset();
  return held;
}

void StopStrings::Reset() {
  for (Pattern& pattern : std::span(patterns_, count_)) pattern.matched = 0;
}

}  // namespace rondo
