#include "runtime/chat/jinja/value.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/base/checksum.h"
#include "runtime/chat/jinja/text_form.h"

namespace rondo::jinja {
namespace {

constexpr size_t kSmallDict = 8;  // searched one by one
constexpr size_t kLongList = 16;  // items from which a list has room to grow

// Equal keys have equal hashes; `ok` becomes false for values that cannot be keys.
uint64_t Hash(Machine& machine, Value value, bool* ok) {
  const auto mix = [](uint64_t h) { return (h ^ (h >> 31)) * 0x9E3779B97F4A7C15u; };
  switch (value.kind) {
    case Kind::kNone:
      return 7;
    case Kind::kBool:
    case Kind::kInt:
      return mix(static_cast<uint64_t>(value.as_int()));
    case Kind::kFloat: {
      const double d = value.number;
      if (d == std::floor(d) && std::fabs(d) < 9e18) {
        return mix(static_cast<uint64_t>(static_cast<int64_t>(d)));
      }
      uint64_t bits;
      std::memcpy(&bits, &d, sizeof bits);
      return mix(bits);
    }
    case Kind::kString:
      if (!machine.SpendBytes(value.text->size)) return 0;
      return Checksum({reinterpret_cast<const uint8_t*>(value.text->data), value.text->size});
    case Kind::kTuple: {
      const Deeper deeper(machine);
      uint64_t h = 3;
      for (size_t i = 0; deeper.ok() && machine.Spend(1) && i < value.sequence->count; ++i) {
        h = mix(h + Hash(machine, value.sequence->items[i], ok));
      }
      return h;
    }
    case Kind::kList:
    case Kind::kDict:
      *ok = false;
      return 0;
    default:  // by identity
      return mix(reinterpret_cast<uintptr_t>(value.sequence));
  }
}

// Most keys are short texts, which differ in their sizes.
bool IsKey(Machine& machine, Value candidate, Value key) {
  if (!candidate.is_string() || !key.is_string()) return Equal(machine, candidate, key);
  const size_t size = key.text->size;
  return candidate.text->size == size && machine.Spend(size / 64) && candidate.str() == key.str();
}

// The entry's number, or dict.count.
size_t FindEntry(Machine& machine, const Dict& dict, Value key) {
  bool hashable = true;
  const uint64_t hash =
      dict.index == nullptr && key.is_string() ? 0 : Hash(machine, key, &hashable);
  if (!hashable) {
    machine.Fail("TypeError: unhashable type: '%s'", TypeName(key));
    return dict.count;
  }
  if (dict.index == nullptr) {
    if (!machine.Spend(1)) return dict.count;
    for (size_t i = 0; i < dict.count; ++i) {
      if (IsKey(machine, dict.entries[i].key, key)) return i;
    }
    return dict.count;
  }
  for (size_t slot = hash & (dict.index_size - 1);; slot = (slot + 1) & (dict.index_size - 1)) {
    if (dict.index[slot] == 0 || !machine.Spend(1)) return dict.count;
    const size_t entry = dict.index[slot] - 1;
    if (IsKey(machine, dict.entries[entry].key, key)) return entry;
  }
}

void AddToIndex(Machine& machine, Dict* dict, size_t entry) {
  bool hashable = true;
  size_t slot = Hash(machine, dict->entries[entry].key, &hashable) & (dict->index_size - 1);
  while (dict->index[slot] != 0 && machine.Spend(1)) slot = (slot + 1) & (dict->index_size - 1);
  if (machine.failed()) return;
  dict->index[slot] = static_cast<uint32_t>(entry + 1);
}

void Reindex(Machine& machine, Dict* dict) {
  const size_t size = dict->capacity * 2;
  const std::span<uint32_t> index = machine.NewArray<uint32_t>(size);
  if (index.empty()) return;
  dict->index = index.data();
  dict->index_size = size;
  for (size_t i = 0; i < dict->count && machine.Spend(1); ++i) AddToIndex(machine, dict, i);
}

bool EqualItems(Machine& machine, const Sequence& a, const Sequence& b) {
  if (a.count != b.count) return false;
  for (size_t i = 0; i < a.count; ++i) {
    if (!Equal(machine, a.items[i], b.items[i])) return false;
  }
  return true;
}

bool EqualDicts(Machine& machine, const Dict& a, const Dict& b) {
  if (a.count != b.count) return false;
  for (const Dict::Entry& entry : a.all()) {
    const Value* other = Find(machine, b, entry.key);
    if (other == nullptr || !Equal(machine, entry.value, *other)) return false;
  }
  return true;
}

}  // namespace

Value ViewString(Machine& machine, TextView text) {
  return Value::String(
      machine.New<Text>(text.bytes.data(), text.size(), kUnknownLength, text.outside));
}

Value CopyString(Machine& machine, std::string_view text) {
  char* bytes = static_cast<char*>(machine.Allocate(text.size()));
  if (bytes == nullptr) return Value();
  if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
  return ViewString(machine, {bytes, text.size()});
}

Value SubString(Machine& machine, Value whole, std::string_view part) {
  if (part.size() == whole.text->size) return whole;
  const auto begin = static_cast<size_t>(part.data() - whole.text->data);
  const bool ascii = whole.text->length == whole.text->size;
  Value value = Value::String(
      machine.New<Text>(part.data(), part.size(), ascii ? part.size() : kUnknownLength,
                        whole.view().substr(begin).outside, whole.text->room));
  value.safe = whole.safe;
  return value;
}

size_t Length(Machine& machine, const Text& text) {
  if (text.length == kUnknownLength) {
    if (!machine.SpendBytes(text.size)) return 0;
    size_t continuations = 0;
    for (char c : text.view().bytes) {
      continuations += (static_cast<uint8_t>(c) & 0xC0) == 0x80 ? 1 : 0;
    }
    text.length = text.size - continuations;
  }
  return text.length;
}

size_t ByteOffset(Machine& machine, const Text& text, size_t index) {
  if (Length(machine, text) == text.size) return index;
  size_t at = 0;
  if (!machine.SpendBytes(std::min(text.size, index * 4) * 8)) return 0;
  for (; index > 0 && at < text.size; --index) {
    do {
      ++at;
    } while (at < text.size && (static_cast<uint8_t>(text.data[at]) & 0xC0) == 0x80);
  }
  return at;
}

Sequence* NewSequence(Machine& machine, size_t capacity) {
  Sequence* sequence = machine.New<Sequence>();
  if (sequence == nullptr || capacity == 0) return sequence;
  sequence->items = machine.NewArray<Value>(capacity).data();
  if (sequence->items == nullptr) return nullptr;
  sequence->capacity = capacity;
  return sequence;
}

void Append(Machine& machine, Sequence* sequence, Value item) {
  if (sequence == nullptr) return;
  if (sequence->count == sequence->capacity) {
    const size_t capacity = std::max<size_t>(4, sequence->capacity * 2);
    const std::span<Value> items = machine.NewArray<Value>(capacity);
    if (items.empty()) return;
    std::copy_n(sequence->items, sequence->count, items.data());
    sequence->items = items.data();
    sequence->capacity = capacity;
  }
  sequence->items[sequence->count++] = item;
}

Sequence* SubSequence(Machine& machine, const Sequence& whole, size_t begin, size_t count) {
  return machine.New<Sequence>(whole.items + begin, count, count, whole.room);
}

Sequence* Concatenate(Machine& machine, const Sequence& a, const Sequence& b) {
  const bool prepends = b.count > a.count;  // the smaller one is copied
  const Sequence& base = prepends ? b : a;
  const Sequence& other = prepends ? a : b;
  const size_t count = a.count + b.count;
  if (!machine.SpendBytes(other.count * sizeof(Value))) return nullptr;
  // Which may lie anywhere in its room.
  if (other.count == 0) return machine.New<Sequence>(base.items, count, count, base.room);
  ItemRoom* room = base.room;
  const bool at_begin = room != nullptr && base.items == room->begin;
  const bool at_end = room != nullptr && base.items + base.count == room->end;
  size_t before = at_begin ? static_cast<size_t>(room->begin - room->low) : 0;
  size_t behind = at_end ? static_cast<size_t>(room->high - room->end) : 0;
  if (room == nullptr || other.count > (prepends ? before : behind)) {
    const size_t spare = count < kLongList ? 0 : count;
    // What was free on the other side stays so.
    before = prepends ? spare : std::min(before, spare);
    behind = prepends ? std::min(behind, spare) : spare;
    before += prepends ? other.count : 0;
    behind += prepends ? 0 : other.count;
    const std::span<Value> items = machine.NewArray<Value>(before + base.count + behind);
    if (machine.failed()) return nullptr;
    Value* const to = items.data() + before;
    std::copy_n(base.items, base.count, to);
    room = machine.New<ItemRoom>(items.data(), to, to + base.count, items.data() + items.size());
    if (room == nullptr) return nullptr;
  }
  if (prepends) {
    room->begin -= other.count;
    std::copy_n(other.items, other.count, room->begin);
    return machine.New<Sequence>(room->begin, count, count, room);
  }
  std::copy_n(other.items, other.count, room->end);
  room->end += other.count;
  return machine.New<Sequence>(room->end - count, count, count, room);
}

Dict* NewDict(Machine& machine) {
  return machine.New<Dict>(nullptr, size_t{0}, size_t{0}, nullptr, size_t{0});
}

void Put(Machine& machine, Dict* dict, Value key, Value value) {
  if (dict == nullptr || machine.failed()) return;
  const size_t entry = FindEntry(machine, *dict, key);
  if (machine.failed()) return;
  if (entry < dict->count) {
    dict->entries[entry].value = value;
    return;
  }
  if (dict->count == dict->capacity) {
    const size_t capacity = std::max<size_t>(4, dict->capacity * 2);
    const std::span<Dict::Entry> entries = machine.NewArray<Dict::Entry>(capacity);
    if (entries.empty()) return;
    std::copy_n(dict->entries, dict->count, entries.data());
    dict->entries = entries.data();
    dict->capacity = capacity;
    if (capacity > kSmallDict) Reindex(machine, dict);
    if (machine.failed()) return;
  }
  dict->entries[dict->count++] = {key, value};
  if (dict->index != nullptr) AddToIndex(machine, dict, dict->count - 1);
}

void Put(Machine& machine, Dict* dict, std::string_view key, Value value) {
  Put(machine, dict, CopyString(machine, key), value);
}

const Value* Find(Machine& machine, const Dict& dict, Value key) {
  const size_t entry = FindEntry(machine, dict, key);
  return entry < dict.count ? &dict.entries[entry].value : nullptr;
}

const Value* Find(Machine& machine, const Dict& dict, std::string_view key) {
  const Text text = {key.data(), key.size(), kUnknownLength};
  return Find(machine, dict, Value::String(&text));
}

const char* TypeName(Value value) {
  static constexpr const char* kNames[] = {
      // in the order of Kind
      "Undefined", "NoneType", "bool",  "int",  "float",     "str",   "list",     "tuple",
      "generator", "view",     "range", "dict", "Namespace", "Macro", "function", "LoopContext"};
  if (value.is_string() && value.safe) return "Markup";
  if (value.is(Kind::kView)) return value.sequence->view_type;
  return kNames[static_cast<size_t>(value.kind)];
}

void FailType(Machine& machine, const char* before, Value value, const char* behind) {
  if (value.is_undefined()) FailUndefined(machine, value);
  machine.Fail("TypeError: %s'%s'%s", before, TypeName(value), behind);
}

void FailUndefined(Machine& machine, Value value) {
  const Undefined* undefined = value.undefined;
  if (undefined == nullptr) {
    machine.Fail("UndefinedError: the value is undefined");
    return;
  }
  if (undefined->hint != nullptr) {
    machine.Fail("UndefinedError: %s", undefined->hint);
    return;
  }
  const Value name = Repr(machine, undefined->name);
  if (machine.failed()) return;
  const char* text = name.text->data;
  const int size = CutForMessage({text, name.text->size}, 120);
  if (undefined->object == nullptr) {
    machine.Fail("UndefinedError: %.*s is undefined", size, text);
  } else if (undefined->unsafe) {
    machine.Fail("SecurityError: access to attribute %.*s of '%s' object is unsafe.", size, text,
                 undefined->object);
  } else {
    const bool is_none = std::strcmp(undefined->object, "NoneType") == 0;
    const bool attribute = undefined->name.is_string();
    const char* quote = attribute ? "'" : "";
    machine.Fail("UndefinedError: %s%s%s%s has no %s %.*s", quote,
                 is_none ? "None" : undefined->object, is_none ? "" : " object", quote,
                 attribute ? "attribute" : "element", size, text);
  }
}

Value UndefinedHint(Machine& machine, const char* hint) {
  Value value;
  value.undefined = machine.New<Undefined>(hint, nullptr, Value(), false);
  return value;
}

bool Truth(Value value) {
  switch (value.kind) {
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
      return value.boolean;
    case Kind::kInt:
      return value.integer != 0;
    case Kind::kFloat:
      return value.number != 0;
    case Kind::kString:
      return value.text->size != 0;
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kView:
    case Kind::kRange:
      return value.sequence->count != 0;
    case Kind::kDict:
      return value.dict->count != 0;
    default:
      return true;
  }
}

bool Equal(Machine& machine, Value a, Value b) {
  if (!machine.Spend(1)) return false;
  if (a.is_integral() && b.is_integral()) return a.as_int() == b.as_int();
  if (a.is_number() && b.is_number()) return a.as_double() == b.as_double();
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kUndefined:
    case Kind::kNone:
      return true;
    case Kind::kString:
      if (a.text->size != b.text->size) return false;
      return machine.Spend(a.text->size / 64) && a.str() == b.str();
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kRange: {
      const Deeper deeper(machine);
      return deeper.ok() && EqualItems(machine, *a.sequence, *b.sequence);
    }
    case Kind::kDict: {
      const Deeper deeper(machine);
      return deeper.ok() && EqualDicts(machine, *a.dict, *b.dict);
    }
    default:
      return a.sequence == b.sequence;
  }
}

}  // namespace rondo::jinja
