// Builtins: the filters, tests, methods and functions that templates find, and how they are called.
//
// What is here was decided by what templates use: 236 distinct ones, published with models or in
// the collections of llama.cpp, huggingface.js, Ollama and unsloth, were parsed and their names
// counted. Beside these names stays what two of the three common interpreters for chat templates
// (minja, huggingface.js, llama.cpp) have. Everything else of Jinja and of Python's types is
// refused by name: by CheckChatTemplate, which the converter calls, and where a template runs into
// it.
#pragma once

#include <span>
#include <string_view>

#include "runtime/chat/jinja/ast.h"
#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

struct NamedValue {
  std::string_view name;
  Value value;
};

// Arguments as they were given.
struct Arguments {
  std::span<const Value> positional = {};
  std::span<const NamedValue> named = {};
};

// One call of a builtin.
struct Call {
  Machine& machine;
  Value self;                   // what is filtered or tested, or has the method
  std::span<const Value> args;  // one for each parameter
  const Arguments& given;
};

struct BuiltinParameter {
  const char* name = nullptr;
  Value fallback = {};  // undefined: the argument must be given
};

enum class Style : uint8_t {
  kPlain,
  kText,  // `self` becomes a text first
  kRaw,   // takes any arguments, from `given`
};

struct Builtin {
  const char* name;
  Value (*call)(const Call& call);
  BuiltinParameter parameters[4] = {};
  Style style = Style::kPlain;
};

inline constexpr Text kEmptyText = {"", 0, 0};
inline constexpr Value kEmptyString = Value::String(&kEmptyText);

struct Function {
  const Builtin* builtin;
  Value self;
};

// ---- By name; nullptr where there is none ----

const Builtin* FindFilter(std::string_view name);
const Builtin* FindTest(std::string_view name);
const Builtin* FindFunction(std::string_view name);
const Builtin* FindMethod(Kind kind, std::string_view name);
// Whether the sandbox refuses the method, as it would change the value ("append", "update").
bool IsMutatingMethod(Kind kind, std::string_view name);
// Whether Python's type has the method and Rondo does not.
bool IsUnknownMethod(Kind kind, std::string_view name);

// ---- Calls ----

// Gives each parameter its argument, in order or by name, and calls. Fails with Python's TypeError
// where an argument has no parameter or a parameter no argument.
Value Invoke(Machine& machine, const Builtin& builtin, Value self, const Arguments& arguments);
// Each fails where there is none of this name: nullptr, undefined, false.
const Builtin* WantFilter(Machine& machine, std::string_view name);
const Builtin* WantTest(Machine& machine, std::string_view name);
Value ApplyFilter(Machine& machine, std::string_view name, Value self, const Arguments& arguments);
bool ApplyTest(Machine& machine, std::string_view name, Value self, const Arguments& arguments);
Value MakeFunction(Machine& machine, const Builtin* builtin, Value self);

// ---- What arguments must be; each fails with Python's TypeError ----

bool WantInt(Machine& machine, Value value, int64_t* out);
bool WantString(Machine& machine, Value value);

// ---- The tables, one in each file ----

std::span<const Builtin> TextFilters();
std::span<const Builtin> ValueFilters();
std::span<const Builtin> SequenceFilters();
std::span<const Builtin> Tests();
std::span<const Builtin> StringMethods();
std::span<const Builtin> DictMethods();
std::span<const Builtin> Functions();
// strftime_now: `self` is the time, in seconds since 1970-01-01 00:00 on the wall clock.
extern const Builtin kStrftimeNow;

// ---- Shared by filters and methods ----

// The text without `chars` (None: whitespace) at its ends.
Value Strip(Machine& machine, Value text, Value chars, bool left, bool right);
// str.replace; `count` < 0: all.
Value ReplaceAll(Machine& machine, Value text, std::string_view from, TextView to, int64_t count);
// dict.items(), as a sequence of tuples.
Sequence* DictItems(Machine& machine, const Dict& dict);

}  // namespace rondo::jinja
