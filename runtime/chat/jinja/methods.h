// The methods of strings, lists and dicts that templates call as in Python.
#pragma once

#include <string_view>

#include "runtime/chat/jinja/call.h"

namespace rondo::jinja {

// nullptr where the value has no method of this name.
const NamedBuiltin* FindMethod(Value object, std::string_view name);
// Methods that would change the value ("append", "update"): the sandbox refuses them.
bool IsMutatingMethod(Value object, std::string_view name);

// The methods of each type, for FindMethod.
std::span<const NamedBuiltin> StringMethods();
std::span<const NamedBuiltin> StringSearchMethods();

// ---- Shared with filters ----

// The text without `chars` (None: whitespace) at its ends.
Value Strip(Machine& machine, Value text, Value chars, bool left, bool right);
// str.splitlines without the line ends.
Sequence* SplitLines(Machine& machine, Value text);
// str.replace; `count` < 0: all.
Value ReplaceAll(Machine& machine, Value text, std::string_view from, std::string_view to,
                 int64_t count);
// In the middle of (`left` and `right`) or at one side of a field of `width`.
Value Pad(Machine& machine, Value text, int64_t width, std::string_view fill, bool left,
          bool right);
// dict.items(), as a sequence of tuples.
Sequence* DictItems(Machine& machine, const Dict& dict);

}  // namespace rondo::jinja
