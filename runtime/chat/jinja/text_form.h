// Values as text: Python's str() and repr(), JSON as json.dumps writes it, JSON read.
#pragma once

#include <cstddef>
#include <string_view>

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

// A text that grows at its end; in the machine's memory.
class Buffer {
 public:
  explicit Buffer(Machine& machine) : machine_(machine) {}

  void Append(std::string_view text);
  void Append(char c) {
    if (size_ == capacity_) return Append(std::string_view(&c, 1));
    data_[size_++] = c;
  }
  void AppendCodePoint(uint32_t code_point);
  std::string_view view() const { return {data_, size_}; }
  // The text as a value, undefined after a failure; nothing may be appended afterwards.
  Value Finish() { return ViewString(machine_, view()); }

 private:
  Machine& machine_;
  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// str(value): what `{{ value }}` shows. A string is itself.
Value ToText(Machine& machine, Value value);
Value Repr(Machine& machine, Value value);

struct JsonStyle {
  bool ascii = false;          // \uXXXX for all that is not ASCII
  bool pretty = false;         // a line for each item
  std::string_view indent;     // where pretty: one level's
  std::string_view separator;  // between items; empty: ", ", or "," where pretty
  std::string_view colon;      // after a key; empty: ": "
};
// Fails with a TypeError for what JSON cannot express.
Value ToJson(Machine& machine, Value value, const JsonStyle& style);

// Reads a JSON text; `what` names it in messages ("messages"). Fails for anything but one whole
// JSON value in UTF-8, for integers beyond 64 bits and for nesting beyond the machine's depth.
Value ParseJson(Machine& machine, std::string_view json, const char* what);

}  // namespace rondo::jinja
