// Values as text: Python's str() and repr(), JSON as json.dumps writes it, JSON read.
#pragma once

#include <string_view>

#include "runtime/chat/jinja/buffer.h"

namespace rondo::jinja {

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
