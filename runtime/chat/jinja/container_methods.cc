// Methods of lists, tuples, dicts and cyclers, and where all methods are found.
#include <algorithm>

#include "runtime/chat/jinja/interpreter.h"
#include "runtime/chat/jinja/methods.h"

namespace rondo::jinja {
namespace {

Value ListIndex(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value item;
  if (!Bind(machine, "index()", arguments, {{"value", &item, true}})) return Value();
  for (size_t i = 0; i < self.sequence->count; ++i) {
    if (Equal(machine, self.sequence->items[i], item)) return Value::Int(static_cast<int64_t>(i));
  }
  machine.Fail("ValueError: the value is not in the %s", TypeName(self));
  return Value();
}

Value ListCount(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value item;
  if (!Bind(machine, "count()", arguments, {{"value", &item, true}})) return Value();
  int64_t count = 0;
  for (size_t i = 0; i < self.sequence->count; ++i) {
    count += Equal(machine, self.sequence->items[i], item) ? 1 : 0;
  }
  return Value::Int(count);
}

Value Copy(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "copy()", arguments, {})) return Value();
  return self;  // nothing can change either
}

Value View(Sequence* items, const char* type) {
  if (items != nullptr) items->view_type = type;
  return Value::Items(Kind::kView, items);
}

Value ItemsMethod(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "items()", arguments, {})) return Value();
  return View(DictItems(machine, *self.dict), "dict_items");
}

Value KeysMethod(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "keys()", arguments, {})) return Value();
  Sequence* keys = NewSequence(machine, self.dict->count);
  for (const Dict::Entry& entry : self.dict->all()) Append(machine, keys, entry.key);
  return View(keys, "dict_keys");
}

Value ValuesMethod(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "values()", arguments, {})) return Value();
  Sequence* values = NewSequence(machine, self.dict->count);
  for (const Dict::Entry& entry : self.dict->all()) Append(machine, values, entry.value);
  return View(values, "dict_values");
}

Value Get(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value key, fallback = Value::None();
  if (!Bind(machine, "get()", arguments, {{"key", &key, true}, {"default", &fallback}})) {
    return Value();
  }
  const Value* value = Find(machine, *self.dict, key);
  return value != nullptr ? *value : fallback;
}

// A cycler's item and, for next(), the step to the one behind it.
template <bool step>
Value CyclerItem(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "the method", arguments, {})) return Value();
  Cycler& cycler = *self.cycler;
  const Value item = cycler.items->items[cycler.position];
  if (step) cycler.position = (cycler.position + 1) % cycler.items->count;
  return item;
}

Value CyclerReset(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "reset()", arguments, {})) return Value();
  self.cycler->position = 0;
  return Value::None();
}

constexpr NamedBuiltin kListMethods[] = {
    {"index", ListIndex}, {"count", ListCount}, {"copy", Copy}};
constexpr NamedBuiltin kTupleMethods[] = {{"index", ListIndex}, {"count", ListCount}};
constexpr NamedBuiltin kDictMethods[] = {{"items", ItemsMethod},
                                         {"keys", KeysMethod},
                                         {"values", ValuesMethod},
                                         {"get", Get},
                                         {"copy", Copy}};

constexpr NamedBuiltin kCyclerMethods[] = {{"next", CyclerItem<true>}, {"reset", CyclerReset}};

const NamedBuiltin* FindIn(std::span<const NamedBuiltin> table, std::string_view name) {
  for (const NamedBuiltin& method : table) {
    if (name == method.name) return &method;
  }
  return nullptr;
}

}  // namespace

const NamedBuiltin* FindMethod(Value object, std::string_view name) {
  switch (object.kind) {
    case Kind::kString: {
      const NamedBuiltin* method = FindIn(StringMethods(), name);
      return method != nullptr ? method : FindIn(StringSearchMethods(), name);
    }
    case Kind::kList:
      return FindIn(kListMethods, name);
    case Kind::kTuple:
      return FindIn(kTupleMethods, name);
    case Kind::kDict:
      return FindIn(kDictMethods, name);
    case Kind::kCycler:
      return FindIn(kCyclerMethods, name);
    default:
      return nullptr;
  }
}

bool IsMutatingMethod(Value object, std::string_view name) {
  static constexpr std::string_view kOfLists[] = {"append", "clear", "pop",    "reverse",
                                                  "insert", "sort",  "extend", "remove"};
  static constexpr std::string_view kOfDicts[] = {"clear", "pop", "popitem", "setdefault",
                                                  "update"};
  std::span<const std::string_view> names;
  if (object.is(Kind::kList)) names = kOfLists;
  if (object.is(Kind::kDict)) names = kOfDicts;
  return std::find(names.begin(), names.end(), name) != names.end();
}

Sequence* DictItems(Machine& machine, const Dict& dict) {
  Sequence* items = NewSequence(machine, dict.count);
  for (const Dict::Entry& entry : dict.all()) {
    Sequence* pair = NewSequence(machine, 2);
    Append(machine, pair, entry.key);
    Append(machine, pair, entry.value);
    Append(machine, items, Value::Items(Kind::kTuple, pair));
  }
  return items;
}

}  // namespace rondo::jinja
