// NotationScanner: values in a notation like JSON's, with other quotes and bare keys, into JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/base/json_scanner.h"
#include "runtime/chat/calls/output.h"

namespace rondo::calls {

// Reads Python's literals, too, where the quote is ': both quotes, escapes, True, False, None. What
// is bare and no word or number of JSON becomes a string. Fixed memory.
class NotationScanner {
 public:
  static constexpr uint32_t kMaxDepth = 256;
  static constexpr size_t kMaxBare = 1024;  // bytes of a bare key or value

  enum class State : uint8_t { kMore, kDone, kError };

  NotationScanner() = default;
  // `quote` outlives this.
  explicit NotationScanner(std::string_view quote) : quote_(quote), python_(quote == "'") {}

  // Takes the text's next bytes and writes what they are in JSON, as far as they are certain and
  // `out` has room; returns how many were taken. What it leaves wants more text behind it.
  size_t Scan(std::string_view text, bool last, Output* out);
  State state() const { return state_; }

 private:
  enum class Expect : uint8_t { kValue, kFirstItem, kFirstKey, kKey, kColon, kNext, kString };

  size_t Take(std::string_view text, bool last, Output* out);
  size_t TakeString(std::string_view text, bool last, Output* out);
  size_t TakeEscape(std::string_view text, Output* out);
  size_t TakeBare(std::string_view text, bool last, Output* out);
  // Bytes of a quote that the text begins with; 0: none; `*partial`: perhaps.
  size_t QuoteAt(std::string_view text, bool last, bool* partial) const;
  void EndValue();

  std::string_view quote_;
  bool python_ = false;
  State state_ = State::kMore;
  Expect expect_ = Expect::kValue;
  bool is_key_ = false;
  char python_quote_ = 0;
  JsonNesting nesting_{kMaxDepth};
};

}  // namespace rondo::calls
