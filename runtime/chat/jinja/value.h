// Value: what Jinja's expressions compute with, with Python's types and manners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/chat/jinja/machine.h"
#include "runtime/chat/jinja/text_view.h"

namespace rondo::jinja {

enum class Kind : uint8_t {
  kUndefined,
  kNone,
  kBool,
  kInt,
  kFloat,
  kString,
  kList,
  kTuple,
  kGenerator,  // a sequence that is read once
  kView,       // dict.keys(), .values(), .items()
  kRange,      // range(...)
  kDict,
  kNamespace,  // a dict whose attributes a template may set
  kMacro,
  kFunction,  // a global or a bound method
  kLoop,
};

// Memory of texts that grow at their ends: what is free around the longest is for who comes first.
// A text that lies at an end of the used part is continued there; another is copied.
struct TextRoom {
  char* low;
  char* begin;  // of what is used
  char* end;
  char* high;
  // For [low, high), those of [begin, end) valid; nullptr while all of these have one mark.
  uint8_t* marks = nullptr;
};

// UTF-8. Immutable; several may share their bytes and marks.
struct Text {
  const char* data;
  size_t size;
  mutable size_t length;             // in code points; kUnknownLength until asked for
  const uint8_t* outside = nullptr;  // who wrote it (TextView)
  TextRoom* room = nullptr;

  TextView view() const { return {{data, size}, outside}; }
};
inline constexpr size_t kUnknownLength = SIZE_MAX;

struct Sequence;
struct Dict;
struct Undefined;
struct Macro;
struct Function;
struct Loop;

// 16 bytes, copied freely; what it points at lives as long as the machine.
struct Value {
  Kind kind = Kind::kUndefined;
  bool safe = false;     // a string that the filter `safe` has marked
  bool outside = false;  // not a string: its text, if it is shown, is outside
  union {
    const Undefined* undefined = nullptr;  // may be null
    bool boolean;
    int64_t integer;
    double number;
    const Text* text;
    Sequence* sequence;  // kList, kTuple, kGenerator, kView, kRange
    Dict* dict;          // kDict, kNamespace
    const Macro* macro;
    const Function* function;
    const Loop* loop;
  };

  static constexpr Value None() { return Of(Kind::kNone); }
  static constexpr Value Bool(bool value) {
    Value v = Of(Kind::kBool);
    v.boolean = value;
    return v;
  }
  static constexpr Value Int(int64_t value) {
    Value v = Of(Kind::kInt);
    v.integer = value;
    return v;
  }
  static constexpr Value Float(double value) {
    Value v = Of(Kind::kFloat);
    v.number = value;
    return v;
  }
  static constexpr Value String(const Text* text) {
    Value v = Of(text == nullptr ? Kind::kUndefined : Kind::kString);
    v.text = text;
    return v;
  }
  // A kind that has a sequence; undefined for nullptr (after a failure).
  static Value Items(Kind kind, Sequence* sequence) {
    Value v = Of(sequence == nullptr ? Kind::kUndefined : kind);
    v.sequence = sequence;
    return v;
  }
  // kDict or kNamespace; undefined for nullptr.
  static Value Mapping(Kind kind, Dict* dict) {
    Value v = Of(dict == nullptr ? Kind::kUndefined : kind);
    v.dict = dict;
    return v;
  }
  static constexpr Value Of(Kind kind) {
    Value v;
    v.kind = kind;
    return v;
  }

  bool is(Kind k) const { return kind == k; }
  bool is_string() const { return kind == Kind::kString; }
  constexpr bool is_undefined() const { return kind == Kind::kUndefined; }
  bool is_none() const { return kind == Kind::kNone; }
  // int, or a bool, which Python counts as one.
  bool is_integral() const { return kind == Kind::kInt || kind == Kind::kBool; }
  bool is_number() const { return is_integral() || kind == Kind::kFloat; }
  bool is_sequence() const { return kind == Kind::kList || kind == Kind::kTuple; }
  // Only for strings. str(): to look at; view(): to make a text of.
  std::string_view str() const { return {text->data, text->size}; }
  TextView view() const { return text->view(); }
  // Its text, if it is shown, is outside, or some of it.
  bool has_outside() const { return is_string() ? text->outside != nullptr : outside; }
  // What it points at; nullptr where it has all of itself.
  const void* pointer() const { return is_none() || is_number() ? nullptr : sequence; }
  // Only for integral ones.
  int64_t as_int() const { return kind == Kind::kBool ? int64_t{boolean} : integer; }
  // Only for numbers.
  double as_double() const { return kind == Kind::kFloat ? number : static_cast<double>(as_int()); }
};
static_assert(sizeof(Value) <= 16);

// The same for the items of lists.
struct ItemRoom {
  Value* low;
  Value* begin;
  Value* end;
  Value* high;
};

// Several may share their items; what is shared does not change.
struct Sequence {
  Value* items = nullptr;
  size_t count = 0;
  size_t capacity = 0;
  ItemRoom* room = nullptr;
  size_t next = 0;                  // kGenerator: the first that was not read
  const char* view_type = nullptr;  // kView: "dict_items"
};

struct Undefined {
  const char* hint;    // the whole message, or nullptr:
  const char* object;  // the type that lacks `name`; nullptr: it is a variable
  Value name;
  bool unsafe;  // access that the sandbox refuses
};

// Insertion-ordered, as Python's. Keys are never removed.
struct Dict {
  struct Entry {
    Value key, value;
  };
  Entry* entries;
  size_t count;
  size_t capacity;
  uint32_t* index;  // open addressing: entry + 1, or 0; nullptr while small
  size_t index_size;

  std::span<Entry> all() const { return {entries, count}; }
};

// ---- Strings ----

// A copy of `text`.
Value CopyString(Machine& machine, std::string_view text);
// Without a copy: the bytes live as long as the machine.
Value ViewString(Machine& machine, TextView text);
// `part` of the bytes of `whole`, without a copy.
Value SubString(Machine& machine, Value whole, std::string_view part);
// a followed by b. A text that grows by many of these is not copied for each (buffer.h).
Value Concatenate(Machine& machine, const Text& a, const Text& b);
Value Concatenate(Machine& machine, const Text& a, TextView b);
// Code points.
size_t Length(Machine& machine, const Text& text);
// The byte at which code point `index` (up to the length) begins.
size_t ByteOffset(Machine& machine, const Text& text, size_t index);
// Where `part` begins in `text` from `from` on, or npos, also after a failure.
size_t Find(Machine& machine, std::string_view text, std::string_view part, size_t from = 0);
// Where it begins for the last time.
size_t FindLast(Machine& machine, std::string_view text, std::string_view part);

// ---- Containers ----

// Empty, with room; nullptr after a failure.
Sequence* NewSequence(Machine& machine, size_t capacity = 0);
void Append(Machine& machine, Sequence* sequence, Value item);
// `count` items from `begin` on, without a copy.
Sequence* SubSequence(Machine& machine, const Sequence& whole, size_t begin, size_t count);
// a followed by b. A list that grows by many of these, at either end, is not copied for each.
Sequence* Concatenate(Machine& machine, const Sequence& a, const Sequence& b);
Dict* NewDict(Machine& machine);
// Replaces the value of an equal key. Fails for keys that cannot be hashed.
void Put(Machine& machine, Dict* dict, Value key, Value value);
void Put(Machine& machine, Dict* dict, std::string_view key, Value value);
// nullptr where there is none.
const Value* Find(Machine& machine, const Dict& dict, Value key);
const Value* Find(Machine& machine, const Dict& dict, std::string_view key);

// ---- Python's view ----

// Python's name of the type: "str", "NoneType".
const char* TypeName(Value value);
// Fails with what is not defined, as every use of it but output, tests and iteration does.
void FailUndefined(Machine& machine, Value undefined);
// Fails with a TypeError that names the value's type between the two texts; for an undefined value
// as above.
void FailType(Machine& machine, const char* before, Value value, const char* behind = "");
Value UndefinedHint(Machine& machine, const char* hint);
bool Truth(Value value);
// == of Python. Never fails but for depth and steps.
bool Equal(Machine& machine, Value a, Value b);

}  // namespace rondo::jinja
