// Parts of values: items, attributes, slices, iteration.
#pragma once

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

// What a `for` goes through: items in memory, or the numbers of a range.
struct Items {
  const Value* items = nullptr;
  size_t count = 0;
  int64_t start = 0, step = 0;  // where items is null

  Value operator[](size_t i) const {
    return items != nullptr ? items[i] : Value::Int(start + step * static_cast<int64_t>(i));
  }
};

// Fails for what is not iterable. A dict gives its keys, a string its characters, an undefined
// value nothing; a generator is used up.
Items Iterate(Machine& machine, Value value);
bool IsIterable(Value value);
// len(value); fails where it has none.
size_t LengthOf(Machine& machine, Value value);
bool Contains(Machine& machine, Value container, Value item);

// object.name: methods first, then items. Undefined where there is none; fails for undefined
// objects. `name` is a string.
Value GetAttribute(Machine& machine, Value object, Value name);
// object[key]: items first, then attributes.
Value GetItem(Machine& machine, Value object, Value key);
// object[start:stop:step]; each part may be None.
Value GetSlice(Machine& machine, Value object, Value start, Value stop, Value step);
// "a.b.0", a name or a number, as filters take for `attribute`. Where a part is not there, it is
// `fallback` (undefined: none).
Value GetPath(Machine& machine, Value object, Value path, Value fallback = Value());

}  // namespace rondo::jinja
