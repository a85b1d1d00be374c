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

  void Append(TextView text);
  void Append(char c, bool outside = false) {
    if (size_ == capacity_ || outside || outside_ != nullptr) {
      return Append(TextView({&c, 1}, MarkOf(outside)));
    }
    data_[size_++] = c;
  }
  void AppendCodePoint(uint32_t code_point, bool outside = false);
  TextView view() const { return {{data_, size_}, outside_}; }
  // The text as a value, undefined after a failure; nothing may be appended afterwards.
  Value Finish() { return ViewString(machine_, view()); }

 private:
  bool Grow(size_t bytes);
  void AppendMarks(TextView text);

  Machine& machine_;
  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  uint8_t* marks_ = nullptr;  // [capacity_]; nullptr while the text is uniform
  const uint8_t* outside_ = nullptr;
};

// str(value): what `{{ value }}` shows. A string is itself.
Value ToText(Machine& machine, Value value);
Value Repr(Machine& machine, Value value);

struct JsonStyle {
  bool ascii = false;   // \uXXXX for all that is not ASCII
  bool pretty = false;  // a line for each item
  TextView indent;      // where pretty: one level's
  TextView separator;   // between items; empty: ", ", or "," where pretty
  TextView colon;       // after a key; empty: ": "
};
// Fails with a TypeError for what JSON cannot express.
Value ToJson(Machine& machine, Value value, const JsonStyle& style);

// Reads a JSON text; `what` names it in messages ("messages"). `outside`: all of it is (TextView).
// Fails for anything but one whole JSON value in UTF-8, for integers beyond 64 bits and for nesting
// beyond the machine's depth.
Value ParseJson(Machine& machine, std::string_view json, const char* what, bool outside = false);

}  // namespace rondo::jinja
