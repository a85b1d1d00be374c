#include "runtime/chat/jinja/access.h"

#include <algorithm>
#include <charconv>

#include "runtime/base/utf8.h"
#include "runtime/chat/jinja/buffer.h"
#include "runtime/chat/jinja/builtins.h"

namespace rondo::jinja {
namespace {

Value Missing(Machine& machine, Value object, Value name, bool unsafe = false) {
  const char* type = object.is(Kind::kNamespace) ? "jinja2.utils.Namespace" : TypeName(object);
  Value value;
  value.undefined = machine.New<Undefined>(nullptr, type, name, unsafe);
  return value;
}

Items Characters(Machine& machine, const Text& text) {
  const std::span<Value> items = machine.NewArray<Value>(Length(machine, text));
  size_t at = 0;
  for (Value& item : items) {
    if (machine.failed()) break;
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data);
    const size_t size = DecodeUtf8(bytes + at, bytes + text.size).length;
    item = ViewString(machine, text.view().substr(at, size));
    at += size;
  }
  return {items.data(), machine.failed() ? 0 : items.size()};
}

Items Keys(Machine& machine, const Dict& dict) {
  const std::span<Value> keys = machine.NewArray<Value>(dict.count);
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = dict.entries[i].key;
  return {keys.data(), keys.size()};
}

// The place that a Python index means among `count`; false where there is none.
bool Place(int64_t index, size_t count, size_t* place) {
  if (index < 0) index += static_cast<int64_t>(count);
  if (index < 0 || index >= static_cast<int64_t>(count)) return false;
  *place = static_cast<size_t>(index);
  return true;
}

// The item; false where there is none of this key.
bool FindItem(Machine& machine, Value object, Value key, Value* item) {
  size_t place = 0;
  switch (object.kind) {
    case Kind::kDict: {
      if (key.is(Kind::kList) || key.is(Kind::kDict)) return false;
      const Value* value = Find(machine, *object.dict, key);
      if (value == nullptr) return false;
      *item = *value;
      return true;
    }
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kRange:
      if (!key.is_integral() || !Place(key.as_int(), object.sequence->count, &place)) return false;
      *item = object.sequence->items[place];
      return true;
    case Kind::kString: {
      const Text& text = *object.text;
      if (!key.is_integral() || !Place(key.as_int(), Length(machine, text), &place)) return false;
      const size_t begin = ByteOffset(machine, text, place);
      const auto* bytes = reinterpret_cast<const uint8_t*>(text.data);
      const size_t size = DecodeUtf8(bytes + begin, bytes + text.size).length;
      *item = ViewString(machine, text.view().substr(begin, size));
      return true;
    }
    default:
      return false;
  }
}

bool FindLoopAttribute(Machine& machine, const Loop& loop, std::string_view name, Value* value) {
  const size_t count = loop.items.size(), index = loop.index;
  const auto number = [](size_t n) { return Value::Int(static_cast<int64_t>(n)); };
  if (name == "index") return *value = number(index + 1), true;
  if (name == "index0") return *value = number(index), true;
  if (name == "revindex") return *value = number(count - index), true;
  if (name == "revindex0") return *value = number(count - index - 1), true;
  if (name == "length") return *value = number(count), true;
  if (name == "first") return *value = Value::Bool(index == 0), true;
  if (name == "last") return *value = Value::Bool(index + 1 == count), true;
  if (name == "previtem") {
    *value =
        index > 0 ? loop.items[index - 1] : UndefinedHint(machine, "there is no previous item");
    return true;
  }
  if (name != "nextitem") return false;
  *value =
      index + 1 < count ? loop.items[index + 1] : UndefinedHint(machine, "there is no next item");
  return true;
}

// What every Python object has, and no template may touch.
bool IsInternal(std::string_view name) {
  for (const char* internal : {"__class__", "__init__", "__dict__", "__doc__", "__module__"}) {
    if (name == internal) return true;
  }
  return false;
}

// What Python's getattr finds; for what the sandbox keeps from templates, an undefined value that
// says so. False where there is none of this name.
bool FindAttribute(Machine& machine, Value object, Value name, Value* attribute) {
  const std::string_view text = name.str();
  if (object.is(Kind::kNamespace)) {
    const Value* value = Find(machine, *object.dict, name);
    if (value != nullptr) *attribute = *value;
    return value != nullptr;
  }
  if (object.is(Kind::kLoop) && FindLoopAttribute(machine, *object.loop, text, attribute)) {
    return true;
  }
  if (object.is(Kind::kMacro) && text == "name") {
    *attribute = ViewString(machine, object.macro->definition->name);
    return true;
  }
  if (const Builtin* method = FindMethod(object.kind, text)) {
    *attribute = MakeFunction(machine, method, object);
    return true;
  }
  if (IsUnknownMethod(object.kind, text)) {
    machine.Fail("unknown method '%s' of '%s'", machine.Clip(text), TypeName(object));
    return true;
  }
  const bool unsafe = IsMutatingMethod(object.kind, text) || IsInternal(text);
  if (unsafe) *attribute = Missing(machine, object, name, true);
  return unsafe;
}

bool SliceInt(Machine& machine, Value value, int64_t fallback, int64_t* out) {
  *out = fallback;
  return value.is_none() || WantInt(machine, value, out);
}

// First place and number of items of a slice of `count`.
struct SlicePlaces {
  int64_t first = 0, step = 1;
  size_t count = 0;
};

bool FindSlice(Machine& machine, Value start, Value stop, Value step, size_t count,
               SlicePlaces* out) {
  const auto n = static_cast<int64_t>(count);
  if (!SliceInt(machine, step, 1, &out->step)) return false;
  if (out->step == 0) {
    machine.Fail("ValueError: slice step cannot be zero");
    return false;
  }
  const bool backwards = out->step < 0;
  int64_t first, last;
  if (!SliceInt(machine, start, backwards ? n - 1 : 0, &first)) return false;
  if (!SliceInt(machine, stop, backwards ? -n - 1 : n, &last)) return false;
  const auto clamp = [&](int64_t i) {
    if (i < 0) i = i < -n ? -1 : i + n;
    return std::clamp<int64_t>(i, backwards ? -1 : 0, backwards ? n - 1 : n);
  };
  out->first = clamp(first);
  last = clamp(last);
  const int64_t way = backwards ? out->first - last : last - out->first;
  if (way <= 0) return true;
  const uint64_t stride =
      backwards ? -static_cast<uint64_t>(out->step) : static_cast<uint64_t>(out->step);
  out->count = static_cast<size_t>((static_cast<uint64_t>(way) - 1) / stride + 1);
  return true;
}

}  // namespace

bool IsIterable(Value value) {
  switch (value.kind) {
    case Kind::kUndefined:
    case Kind::kString:
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kGenerator:
    case Kind::kView:
    case Kind::kRange:
    case Kind::kDict:
      return true;
    default:
      return false;
  }
}

Items Iterate(Machine& machine, Value value) {
  switch (value.kind) {
    case Kind::kUndefined:
      if (value.undefined != nullptr && value.undefined->unsafe) FailUndefined(machine, value);
      return {};
    case Kind::kString:
      return Characters(machine, *value.text);
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kView:
    case Kind::kRange:
      return {value.sequence->items, value.sequence->count};
    case Kind::kGenerator: {
      const size_t next = value.sequence->next;
      value.sequence->next = value.sequence->count;
      return {value.sequence->items + next, value.sequence->count - next};
    }
    case Kind::kDict:
      return Keys(machine, *value.dict);
    default:
      FailType(machine, "", value, " object is not iterable");
      return {};
  }
}

size_t LengthOf(Machine& machine, Value value) {
  switch (value.kind) {
    case Kind::kUndefined:
      return 0;
    case Kind::kString:
      return Length(machine, *value.text);
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kView:
    case Kind::kRange:
      return value.sequence->count;
    case Kind::kDict:
      return value.dict->count;
    default:
      FailType(machine, "object of type ", value, " has no len()");
      return 0;
  }
}

bool Contains(Machine& machine, Value container, Value item) {
  if (container.is_string()) {
    if (!item.is_string()) {
      machine.Fail("TypeError: 'in <string>' requires string as left operand, not %s",
                   TypeName(item));
      return false;
    }
    return Find(machine, container.str(), item.str()) != std::string_view::npos;
  }
  if (container.is(Kind::kDict)) return Find(machine, *container.dict, item) != nullptr;
  if (!IsIterable(container)) {
    FailType(machine, "argument of type ", container, " is not iterable");
    return false;
  }
  for (const Value candidate : Iterate(machine, container)) {
    if (machine.failed()) break;
    if (Equal(machine, candidate, item)) return true;
  }
  return false;
}

bool DictHasAttribute(std::string_view name) {
  return FindMethod(Kind::kDict, name) != nullptr || IsUnknownMethod(Kind::kDict, name) ||
         IsMutatingMethod(Kind::kDict, name) || IsInternal(name);
}

Value GetAttribute(Machine& machine, Value object, Value name, bool is_key) {
  if (object.is_undefined()) FailUndefined(machine, object);
  if (machine.failed()) return Value();
  Value value;
  const bool found =
      (!(is_key && object.is(Kind::kDict)) && FindAttribute(machine, object, name, &value)) ||
      FindItem(machine, object, name, &value);
  return found ? value : Missing(machine, object, name);
}

Value GetItem(Machine& machine, Value object, Value key) {
  if (object.is_undefined()) FailUndefined(machine, object);
  if (machine.failed()) return Value();
  Value value;
  const bool found = FindItem(machine, object, key, &value) ||
                     (key.is_string() && FindAttribute(machine, object, key, &value));
  return found ? value : Missing(machine, object, key);
}

Value GetSlice(Machine& machine, Value object, Value start, Value stop, Value step) {
  if (object.is_undefined()) {
    FailUndefined(machine, object);
    return Value();
  }
  if (!object.is_string() && !object.is_sequence() && !object.is(Kind::kRange)) {
    return Missing(machine, object, ViewString(machine, "slice"));
  }
  SlicePlaces places;
  if (!FindSlice(machine, start, stop, step, LengthOf(machine, object), &places)) return Value();
  if (object.is_string() && places.step == 1) {
    const size_t begin = ByteOffset(machine, *object.text, static_cast<size_t>(places.first));
    const size_t end =
        ByteOffset(machine, *object.text, static_cast<size_t>(places.first) + places.count);
    return SubString(machine, object, object.str().substr(begin, end - begin));
  }
  if (!object.is_string() && places.step == 1) {
    return Value::Items(object.kind, SubSequence(machine, *object.sequence,
                                                 static_cast<size_t>(places.first), places.count));
  }
  const Items items = Iterate(machine, object);
  Sequence* slice = NewSequence(machine, places.count);
  for (size_t i = 0; i < places.count && machine.Spend(1); ++i) {
    const int64_t place = places.first + static_cast<int64_t>(i) * places.step;
    Append(machine, slice, items[static_cast<size_t>(place)]);
  }
  if (machine.failed()) return Value();
  if (!object.is_string()) return Value::Items(object.kind, slice);
  Buffer text(machine);
  for (size_t i = 0; i < places.count; ++i) text.Append(slice->items[i].view());
  return text.Finish();
}

Sequence* ReadPath(Machine& machine, Value path) {
  Sequence* keys = NewSequence(machine, 1);
  if (!path.is_string()) {
    Append(machine, keys, path);
    return keys;
  }
  std::string_view rest = path.str();
  while (!machine.failed()) {
    const size_t dot = Find(machine, rest, ".");
    const std::string_view part = rest.substr(0, dot);
    if (!machine.SpendCharacters(part.size())) break;
    int64_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool is_number = error == std::errc() && end == part.data() + part.size() && number >= 0;
    Append(machine, keys, is_number ? Value::Int(number) : ViewString(machine, part));
    if (dot == rest.npos) break;
    rest.remove_prefix(dot + 1);
  }
  return keys;
}

Value GetPath(Machine& machine, Value object, const Sequence* keys, Value fallback) {
  for (size_t i = 0; !machine.failed() && i < keys->count; ++i) {
    object = GetItem(machine, object, keys->items[i]);
    if (object.is_undefined() && !fallback.is_none()) object = fallback;
  }
  return object;
}

}  // namespace rondo::jinja
