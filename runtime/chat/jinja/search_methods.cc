// Methods of strings that ask about them.
#include <algorithm>

#include "runtime/base/utf8.h"
#include "runtime/chat/jinja/interpreter.h"
#include "runtime/chat/jinja/methods.h"
#include "runtime/chat/jinja/unicode_text.h"
#include "runtime/text/unicode.h"

namespace rondo::jinja {
namespace {

// ---- Strings ----

// The part of the text between two code points, as Python's optional start and end.
bool Window(Machine& machine, Value text, Value start, Value stop, size_t* begin, size_t* end) {
  const auto n = static_cast<int64_t>(Length(machine, *text.text));
  int64_t first = 0, last = n;
  if (!start.is_none() && !WantInt(machine, start, &first)) return false;
  if (!stop.is_none() && !WantInt(machine, stop, &last)) return false;
  const auto clamp = [n](int64_t i) {
    if (i < 0) i = i < -n ? 0 : i + n;
    return static_cast<size_t>(std::min(i, n));
  };
  const bool none = first > n || clamp(first) > clamp(last);
  *begin = ByteOffset(machine, *text.text, clamp(first));
  *end = none ? *begin : ByteOffset(machine, *text.text, clamp(last));
  return !machine.failed();
}

template <bool prefix>
Value StartsOrEnds(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value affix, start = Value::None(), stop = Value::None();
  size_t begin = 0, end = 0;
  if (!Bind(machine, prefix ? "startswith()" : "endswith()", arguments,
            {{"prefix", &affix, true}, {"start", &start}, {"end", &stop}}) ||
      !Window(machine, self, start, stop, &begin, &end)) {
    return Value();
  }
  const std::string_view text = self.str().substr(begin, end - begin);
  const bool many = affix.is(Kind::kTuple);
  const size_t count = many ? affix.sequence->count : 1;
  for (size_t i = 0; i < count; ++i) {
    const Value one = many ? affix.sequence->items[i] : affix;
    if (!one.is_string()) {
      if (one.is_undefined()) {
        FailUndefined(machine, one);
      } else {
        machine.Fail("TypeError: %s first arg must be str or a tuple of str, not %s",
                     prefix ? "startswith" : "endswith", TypeName(one));
      }
      return Value();
    }
    machine.SpendBytes(one.text->size);
    if (prefix ? text.starts_with(one.str()) : text.ends_with(one.str())) return Value::Bool(true);
  }
  return Value::Bool(false);
}

// -1 where it is not there.
template <bool backwards, bool must>
Value FindMethodOf(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value part, start = Value::None(), stop = Value::None();
  size_t begin = 0, end = 0;
  if (!Bind(machine, "find()", arguments,
            {{"sub", &part, true}, {"start", &start}, {"end", &stop}}) ||
      !WantString(machine, "find()", part) || !Window(machine, self, start, stop, &begin, &end)) {
    return Value();
  }
  const std::string_view text = self.str().substr(begin, end - begin);
  size_t at = Find(machine, text, part.str());
  if (backwards && at != text.npos) {
    for (size_t next = at; next != text.npos; next = Find(machine, text, part.str(), at + 1))
      at = next;
  }
  if (machine.failed()) return Value();
  if (at == text.npos) {
    if (!must) return Value::Int(-1);
    machine.Fail("ValueError: substring not found");
    return Value();
  }
  const Text before = {self.text->data, begin + at, kUnknownLength};
  return Value::Int(static_cast<int64_t>(Length(machine, before)));
}

Value CountMethod(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value part, start = Value::None(), stop = Value::None();
  size_t begin = 0, end = 0;
  if (!Bind(machine, "count()", arguments,
            {{"sub", &part, true}, {"start", &start}, {"end", &stop}}) ||
      !WantString(machine, "count()", part) || !Window(machine, self, start, stop, &begin, &end)) {
    return Value();
  }
  const std::string_view text = self.str().substr(begin, end - begin);
  if (part.text->size == 0) {
    const Text window = {text.data(), text.size(), kUnknownLength};
    return Value::Int(static_cast<int64_t>(Length(machine, window)) + 1);
  }
  int64_t count = 0;
  for (size_t at = 0; (at = Find(machine, text, part.str(), at)) != text.npos; ++count) {
    at += part.text->size;
  }
  return Value::Int(count);
}

template <bool backwards>
Value Partition(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value separator;
  if (!Bind(machine, "partition()", arguments, {{"sep", &separator, true}}) ||
      !WantString(machine, "partition()", separator)) {
    return Value();
  }
  const std::string_view text = self.str();
  size_t at = separator.text->size == 0 ? text.npos : Find(machine, text, separator.str());
  if (separator.text->size == 0) machine.Fail("ValueError: empty separator");
  if (backwards && at != text.npos) {
    for (size_t next = at; next != text.npos; next = Find(machine, text, separator.str(), at + 1)) {
      at = next;
    }
  }
  Sequence* parts = NewSequence(machine, 3);
  const Value empty = ViewString(machine, "");
  if (machine.failed()) return Value();
  if (at == text.npos) {
    Append(machine, parts, backwards ? empty : self);
    Append(machine, parts, empty);
    Append(machine, parts, backwards ? self : empty);
  } else {
    Append(machine, parts, SubString(machine, self, text.substr(0, at)));
    Append(machine, parts, separator);
    Append(machine, parts, SubString(machine, self, text.substr(at + separator.text->size)));
  }
  return Value::Items(Kind::kTuple, parts);
}

bool IsDecimal(uint32_t c) { return IsNumeral(c) && !IsAlphabetic(c); }
bool IsAlphanumeric(uint32_t c) { return IsAlphabetic(c) || IsNumeral(c); }

// Whether the text has characters and all are of the class.
template <bool (*is_member)(uint32_t)>
Value AllAre(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "the method", arguments, {})) return Value();
  interpreter.machine().SpendBytes(self.text->size * 4);
  const auto* at = reinterpret_cast<const uint8_t*>(self.text->data);
  const uint8_t* end = at + self.text->size;
  bool all = at < end;
  while (all && at < end) {
    const Utf8Step step = DecodeUtf8(at, end);
    all = is_member(step.code_point);
    at += step.length;
  }
  return Value::Bool(all);
}

// Whether there is a letter of this case and none of the other.
template <bool (*is_wanted)(uint32_t), bool (*is_other)(uint32_t)>
Value CaseIs(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "the method", arguments, {})) return Value();
  interpreter.machine().SpendBytes(self.text->size * 4);
  const auto* at = reinterpret_cast<const uint8_t*>(self.text->data);
  const uint8_t* end = at + self.text->size;
  bool some = false;
  while (at < end) {
    const Utf8Step step = DecodeUtf8(at, end);
    if (is_other(step.code_point)) return Value::Bool(false);
    some = some || is_wanted(step.code_point);
    at += step.length;
  }
  return Value::Bool(some);
}

constexpr NamedBuiltin kStringMethods[] = {
    {"startswith", StartsOrEnds<true>},
    {"endswith", StartsOrEnds<false>},
    {"find", FindMethodOf<false, false>},
    {"rfind", FindMethodOf<true, false>},
    {"index", FindMethodOf<false, true>},
    {"rindex", FindMethodOf<true, true>},
    {"count", CountMethod},
    {"partition", Partition<false>},
    {"rpartition", Partition<true>},
    {"isspace", AllAre<IsSpace>},
    {"isalpha", AllAre<IsAlphabetic>},
    {"isdigit", AllAre<IsDecimal>},
    {"isdecimal", AllAre<IsDecimal>},
    {"isnumeric", AllAre<IsNumeral>},
    {"isalnum", AllAre<IsAlphanumeric>},
    {"isupper", CaseIs<IsUpper, IsLower>},
    {"islower", CaseIs<IsLower, IsUpper>},
};

}  // namespace

std::span<const NamedBuiltin> StringSearchMethods() { return kStringMethods; }

}  // namespace rondo::jinja
