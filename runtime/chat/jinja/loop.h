// The variable `loop` of a for statement.
#pragma once

#include <string_view>

#include "runtime/chat/jinja/access.h"

namespace rondo::jinja {

struct Statement;
struct Scope;

struct Loop {
  Items items;
  size_t index;  // of the item that runs
  size_t depth;  // 0: not inside of a recursive call of itself
  const Statement* statement;
  Scope* outer;  // where the statement stands
  Value last_changed;
  bool has_changed;
};

// loop.name; false where there is none of this name.
bool LoopAttribute(Machine& machine, Loop& loop, std::string_view name, Value* value);

}  // namespace rondo::jinja
