#include "runtime/chat/jinja/call.h"

namespace rondo::jinja {

Builtin FindBuiltin(std::span<const NamedBuiltin> table, std::string_view name) {
  for (const NamedBuiltin& entry : table) {
    if (name == entry.name) return entry.call;
  }
  return nullptr;
}

Value MakeFunction(Machine& machine, const char* name, Builtin call, Value self) {
  return Value::Call(machine.New<Function>(name, call, self));
}

bool Bind(Machine& machine, const char* function, const Arguments& arguments,
          std::initializer_list<Slot> slots) {
  if (machine.failed()) return false;
  if (arguments.positional.size() > slots.size()) {
    machine.Fail("TypeError: %s takes at most %zu arguments (%zu given)", function, slots.size(),
                 arguments.positional.size());
    return false;
  }
  size_t i = 0;
  for (const Slot& slot : slots) {
    bool given = i < arguments.positional.size();
    if (given) *slot.value = arguments.positional[i];
    for (const NamedValue& named : arguments.named) {
      if (named.name != slot.name) continue;
      if (given) {
        machine.Fail("TypeError: %s got multiple values for argument '%s'", function, slot.name);
        return false;
      }
      *slot.value = named.value;
      given = true;
    }
    if (!given && slot.required) {
      machine.Fail("TypeError: %s is missing its argument '%s'", function, slot.name);
      return false;
    }
    ++i;
  }
  for (const NamedValue& named : arguments.named) {
    bool known = false;
    for (const Slot& slot : slots) known = known || named.name == slot.name;
    if (!known) {
      machine.Fail("TypeError: %s got an unexpected keyword argument '%.*s'", function,
                   static_cast<int>(named.name.size() > 60 ? 60 : named.name.size()),
                   named.name.data());
      return false;
    }
  }
  return true;
}

bool WantInt(Machine& machine, Value value, int64_t* out) {
  if (value.is_integral()) {
    *out = value.as_int();
    return true;
  }
  if (value.is_undefined()) {
    FailUndefined(machine, value);
  } else {
    machine.Fail("TypeError: '%s' object cannot be interpreted as an integer", TypeName(value));
  }
  return false;
}

bool WantString(Machine& machine, const char* function, Value value) {
  if (value.is_string()) return true;
  if (value.is_undefined()) {
    FailUndefined(machine, value);
  } else {
    machine.Fail("TypeError: %s expects a str, not '%s'", function, TypeName(value));
  }
  return false;
}

}  // namespace rondo::jinja
