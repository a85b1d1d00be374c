#include "runtime/chat/jinja/loop.h"

#include "runtime/chat/jinja/call.h"
#include "runtime/chat/jinja/interpreter.h"

namespace rondo::jinja {
namespace {

Value LoopCycle(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (arguments.positional.empty()) {
    interpreter.machine().Fail("TypeError: no items for cycling given");
    return Value();
  }
  return arguments.positional[self.loop->index % arguments.positional.size()];
}

Value LoopChanged(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Sequence* now = NewSequence(machine, arguments.positional.size());
  for (const Value& value : arguments.positional) Append(machine, now, value);
  const Value value = Value::Items(Kind::kTuple, now);
  if (machine.failed()) return Value();
  Loop& loop = *self.loop;
  if (loop.has_changed && Equal(machine, loop.last_changed, value)) return Value::Bool(false);
  loop.last_changed = value;
  loop.has_changed = true;
  return Value::Bool(true);
}

}  // namespace

bool LoopAttribute(Machine& machine, Loop& loop, std::string_view name, Value* value) {
  const auto number = [value](size_t n) {
    *value = Value::Int(static_cast<int64_t>(n));
    return true;
  };
  if (name == "index") return number(loop.index + 1);
  if (name == "index0") return number(loop.index);
  if (name == "revindex") return number(loop.items.count - loop.index);
  if (name == "revindex0") return number(loop.items.count - loop.index - 1);
  if (name == "length") return number(loop.items.count);
  if (name == "depth") return number(loop.depth + 1);
  if (name == "depth0") return number(loop.depth);
  if (name == "first" || name == "last") {
    const size_t place = name == "first" ? 0 : loop.items.count - 1;
    *value = Value::Bool(loop.index == place);
    return true;
  }
  if (name == "previtem") {
    *value = loop.index > 0 ? loop.items[loop.index - 1]
                            : UndefinedHint(machine, "there is no previous item");
    return true;
  }
  if (name == "nextitem") {
    *value = loop.index + 1 < loop.items.count ? loop.items[loop.index + 1]
                                               : UndefinedHint(machine, "there is no next item");
    return true;
  }
  Value self = Value::Of(Kind::kLoop);
  self.loop = &loop;
  if (name == "cycle") {
    *value = MakeFunction(machine, "cycle", LoopCycle, self);
    return true;
  }
  if (name == "changed") {
    *value = MakeFunction(machine, "changed", LoopChanged, self);
    return true;
  }
  return false;
}

}  // namespace rondo::jinja
