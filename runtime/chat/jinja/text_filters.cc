// Filters on texts.
#include <algorithm>
#include <cstring>

#include "runtime/base/utf8.h"
#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/interpreter.h"
#include "runtime/chat/jinja/methods.h"
#include "runtime/chat/jinja/operators.h"
#include "runtime/chat/jinja/printf_text.h"
#include "runtime/chat/jinja/unicode_text.h"
#include "runtime/text/unicode.h"

namespace rondo::jinja {
namespace {

// str(self), of which most of these are filters.
Value Subject(Interpreter& interpreter, Value self) { return ToText(interpreter.machine(), self); }

template <Case to>
Value CaseFilter(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  const Value text = Subject(interpreter, self);
  if (!Bind(machine, "the filter", arguments, {})) return Value();
  return ChangeCase(machine, text.str(), to);
}

// Words begin after whitespace, hyphens and opening brackets.
Value Title(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  const Value text = Subject(interpreter, self);
  if (!Bind(machine, "title()", arguments, {})) return Value();
  Buffer out(machine);
  const std::string_view whole = text.str();
  size_t begin = 0;
  const auto flush = [&](size_t end) {
    const Value word = ChangeCase(machine, whole.substr(begin, end - begin), Case::kCapitalize);
    if (word.is_string()) out.Append(word.str());
    begin = end;
  };
  for (size_t i = 0; i < whole.size() && machine.Spend(1);) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(whole.data());
    const Utf8Step step = DecodeUtf8(bytes + i, bytes + whole.size());
    i += step.length;
    const uint32_t c = step.code_point;
    if (c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || IsSpace(c)) flush(i);
  }
  flush(whole.size());
  return machine.failed() ? Value() : out.Finish();
}

Value Trim(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Value chars = Value::None();
  const Value text = Subject(interpreter, self);
  if (!Bind(interpreter.machine(), "trim()", arguments, {{"chars", &chars}})) return Value();
  return Strip(interpreter.machine(), text, chars, true, true);
}

Value Replace(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value from, to, count = Value::None();
  int64_t n = -1;
  const Value text = Subject(interpreter, self);
  if (!Bind(machine, "replace()", arguments,
            {{"old", &from, true}, {"new", &to, true}, {"count", &count}})) {
    return Value();
  }
  from = ToText(machine, from);
  to = ToText(machine, to);
  if (machine.failed() || (!count.is_none() && !WantInt(machine, count, &n))) return Value();
  return ReplaceAll(machine, text, from.str(), to.str(), n);
}

Value Indent(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value width = Value::Int(4), first = Value::Bool(false), blank = Value::Bool(false);
  const Value text = Subject(interpreter, self);
  if (!Bind(machine, "indent()", arguments,
            {{"width", &width}, {"first", &first}, {"blank", &blank}})) {
    return Value();
  }
  Value indention = width;
  if (!width.is_string()) {
    int64_t n = 0;
    if (!WantInt(machine, width, &n)) return Value();
    indention = Arithmetic(machine, ExprKind::kMultiply, ViewString(machine, " "), Value::Int(n));
  }
  if (machine.failed()) return Value();
  // A line break more, so that one at the end makes an empty line.
  const Sequence* lines = SplitLines(machine, Concatenate(machine, *text.text, "\n"));
  if (machine.failed()) return Value();
  Buffer out(machine);
  for (size_t i = 0; i < lines->count && machine.Spend(1); ++i) {
    const std::string_view line = lines->items[i].str();
    if (i > 0) out.Append('\n');
    if (i == 0 ? Truth(first) : Truth(blank) || !line.empty()) out.Append(indention.str());
    out.Append(line);
  }
  return machine.failed() ? Value() : out.Finish();
}

Value Center(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value width = Value::Int(80);
  int64_t n = 0;
  const Value text = Subject(interpreter, self);
  if (!Bind(machine, "center()", arguments, {{"width", &width}}) || !WantInt(machine, width, &n)) {
    return Value();
  }
  return Pad(machine, text, n, " ", true, true);
}

Value Truncate(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value length = Value::Int(255), kill = Value::Bool(false), end = ViewString(machine, "...");
  Value leeway = Value::None();
  int64_t n = 0, slack = 5;
  const Value text = Subject(interpreter, self);
  if (!Bind(machine, "truncate()", arguments,
            {{"length", &length}, {"killwords", &kill}, {"end", &end}, {"leeway", &leeway}}) ||
      !WantInt(machine, length, &n) || !WantString(machine, "truncate()", end) ||
      (!leeway.is_none() && !WantInt(machine, leeway, &slack))) {
    return Value();
  }
  const auto size = static_cast<int64_t>(Length(machine, *text.text));
  const auto end_size = static_cast<int64_t>(Length(machine, *end.text));
  if (n < end_size || slack < 0) {
    machine.Fail("AssertionError: expected length >= %lld and leeway >= 0",
                 static_cast<long long>(end_size));
    return Value();
  }
  if (size - slack <= n) return text;
  std::string_view kept =
      text.str().substr(0, ByteOffset(machine, *text.text, static_cast<size_t>(n - end_size)));
  if (!Truth(kill)) kept = kept.substr(0, kept.rfind(' '));
  return Concatenate(machine, {kept.data(), kept.size(), kUnknownLength}, end.str());
}

Value WordCount(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  const Value text = Subject(interpreter, self);
  if (!Bind(machine, "wordcount()", arguments, {})) return Value();
  machine.SpendBytes(text.text->size * 4);
  int64_t words = 0;
  bool inside = false;
  const auto* at = reinterpret_cast<const uint8_t*>(text.text->data);
  const uint8_t* end = at + text.text->size;
  while (at < end) {
    const Utf8Step step = DecodeUtf8(at, end);
    const bool word = IsWordCharacter(step.code_point);
    words += word && !inside ? 1 : 0;
    inside = word;
    at += step.length;
  }
  return Value::Int(words);
}

Value Escape(Interpreter& interpreter, Value self, const Arguments& arguments) {
  const Value text = Subject(interpreter, self);
  if (!Bind(interpreter.machine(), "escape()", arguments, {})) return Value();
  return EscapeHtml(interpreter.machine(), text);
}

Value ForceEscape(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Value text = Subject(interpreter, self);
  if (!Bind(interpreter.machine(), "forceescape()", arguments, {})) return Value();
  text.safe = false;
  return EscapeHtml(interpreter.machine(), text);
}

Value Safe(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Value text = Subject(interpreter, self);
  if (!Bind(interpreter.machine(), "safe()", arguments, {})) return Value();
  text.safe = true;
  return text;
}

Value String(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "string()", arguments, {})) return Value();
  return Subject(interpreter, self);
}

Value Format(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  const Value text = Subject(interpreter, self);
  if (machine.failed()) return Value();
  if (!arguments.named.empty()) {
    if (!arguments.positional.empty()) {
      machine.Fail("FilterArgumentError: positional and named arguments of format cannot be mixed");
      return Value();
    }
    Dict* values = NewDict(machine);
    for (const NamedValue& named : arguments.named) Put(machine, values, named.name, named.value);
    if (machine.failed()) return Value();
    return FormatPercent(machine, text, Value::Mapping(Kind::kDict, values));
  }
  Sequence* values = NewSequence(machine, arguments.positional.size());
  for (const Value& value : arguments.positional) Append(machine, values, value);
  if (machine.failed()) return Value();
  return FormatPercent(machine, text, Value::Items(Kind::kTuple, values));
}

Value UrlEncode(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  const Value text = Subject(interpreter, self);
  if (!Bind(machine, "urlencode()", arguments, {})) return Value();
  Buffer out(machine);
  for (char c : text.str()) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
        (c != '\0' && std::strchr("-._~/", c) != nullptr)) {
      out.Append(c);
    } else {
      out.Append('%');
      out.Append("0123456789ABCDEF"[static_cast<uint8_t>(c) >> 4]);
      out.Append("0123456789ABCDEF"[static_cast<uint8_t>(c) & 15]);
    }
  }
  machine.SpendBytes(text.text->size * 4);
  return machine.failed() ? Value() : out.Finish();
}

constexpr NamedBuiltin kFilters[] = {
    {"trim", Trim},
    {"lower", CaseFilter<Case::kLower>},
    {"upper", CaseFilter<Case::kUpper>},
    {"capitalize", CaseFilter<Case::kCapitalize>},
    {"title", Title},
    {"replace", Replace},
    {"indent", Indent},
    {"center", Center},
    {"truncate", Truncate},
    {"wordcount", WordCount},
    {"escape", Escape},
    {"e", Escape},
    {"forceescape", ForceEscape},
    {"safe", Safe},
    {"string", String},
    {"format", Format},
    {"urlencode", UrlEncode},
};

}  // namespace

std::span<const NamedBuiltin> TextFilters() { return kFilters; }

}  // namespace rondo::jinja
