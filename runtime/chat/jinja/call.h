// How functions, methods, filters and tests are called: one signature for all.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

class Interpreter;

struct NamedValue {
  std::string_view name;
  Value value;
};

struct Arguments {
  std::span<const Value> positional = {};
  std::span<const NamedValue> named = {};
};

// `self`: what a method is called on, a filter's or test's subject; undefined for globals.
using Builtin = Value (*)(Interpreter& interpreter, Value self, const Arguments& arguments);

struct NamedBuiltin {
  const char* name;
  Builtin call;
};
// nullptr where none has this name.
Builtin FindBuiltin(std::span<const NamedBuiltin> table, std::string_view name);

struct Function {
  const char* name;
  Builtin call;
  Value self;
};
Value MakeFunction(Machine& machine, const char* name, Builtin call, Value self = Value());

// A parameter and where its argument goes. The value there before is the default.
struct Slot {
  const char* name;
  Value* value;
  bool required = false;
};
// Gives each argument its slot, in order or by name. False, and the machine has failed, where one
// has none or a required slot gets none. `function` names it in messages.
bool Bind(Machine& machine, const char* function, const Arguments& arguments,
          std::initializer_list<Slot> slots);

// ---- What arguments must be; each fails with Python's TypeError ----

bool WantInt(Machine& machine, Value value, int64_t* out);
bool WantString(Machine& machine, const char* function, Value value);

}  // namespace rondo::jinja
