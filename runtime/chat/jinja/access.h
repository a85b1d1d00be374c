// Parts of values: items, attributes, slices, iteration.
#pragma once

#include <span>

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

// What a `for` goes through.
using Items = std::span<const Value>;

// The variable `loop` of a for statement.
struct Loop {
  Items items;
  size_t index;  // of the item that runs
};

// Fails for what is not iterable. A dict gives its keys, a string its characters, an undefined
// value nothing; a generator is used up.
Items Iterate(Machine& machine, Value value);
bool IsIterable(Value value);
// len(value); fails where it has none.
size_t LengthOf(Machine& machine, Value value);
bool Contains(Machine& machine, Value container, Value item);

// object.name: methods first, then items. Undefined where there is none; fails for undefined
// objects. `name` is a string. `is_key`: DictHasAttribute is known to be false.
Value GetAttribute(Machine& machine, Value object, Value name, bool is_key = false);
// Whether `name` means something else than a key where the object is a dict.
bool DictHasAttribute(std::string_view name);
// object[key]: items first, then attributes.
Value GetItem(Machine& machine, Value object, Value key);
// object[start:stop:step]; each part may be None.
Value GetSlice(Machine& machine, Value object, Value start, Value stop, Value step);
// The keys of "a.b.0", a name or a number, as filters take for `attribute`.
Sequence* ReadPath(Machine& machine, Value path);
// What lies there. Where a part of it is not there, it is `fallback` (None: undefined).
Value GetPath(Machine& machine, Value object, const Sequence* keys, Value fallback = Value::None());

}  // namespace rondo::jinja
