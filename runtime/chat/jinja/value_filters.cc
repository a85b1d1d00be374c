// Filters on texts and single values.
#include <cmath>

#include "runtime/base/decimal.h"
#include "runtime/base/utf8.h"
#include "runtime/chat/jinja/access.h"
#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/operators.h"
#include "runtime/chat/jinja/text_form.h"
#include "runtime/chat/jinja/unicode_text.h"

namespace rondo::jinja {
namespace {

// ---- Texts ----

template <Case to>
Value CaseFilter(const Call& call) {
  return ChangeCase(call.machine, call.self.view(), to);
}

// Words begin after whitespace, hyphens and opening brackets.
Value Title(const Call& call) {
  Buffer out(call.machine);
  const TextView whole = call.self.view();
  const auto* bytes = reinterpret_cast<const uint8_t*>(whole.bytes.data());
  size_t begin = 0;
  const auto flush = [&](size_t end) {
    const Value word =
        ChangeCase(call.machine, whole.substr(begin, end - begin), Case::kCapitalize);
    if (word.is_string()) out.Append(word.view());
    begin = end;
  };
  for (size_t i = 0; i < whole.size() && call.machine.Spend(1);) {
    const Utf8Step step = DecodeUtf8(bytes + i, bytes + whole.size());
    i += step.length;
    const uint32_t c = step.code_point;
    if (c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || IsSpace(c)) flush(i);
  }
  flush(whole.size());
  return out.Finish();
}

Value Trim(const Call& call) { return Strip(call.machine, call.self, call.args[0], true, true); }

Value ReplaceFilter(const Call& call) {
  int64_t count = -1;
  const Value from = ToText(call.machine, call.args[0]), to = ToText(call.machine, call.args[1]);
  if (call.machine.failed()) return Value();
  if (!call.args[2].is_none() && !WantInt(call.machine, call.args[2], &count)) return Value();
  return ReplaceAll(call.machine, call.self, from.str(), to.view(), count);
}

// `width` spaces, or the text that it is.
Value Indention(Machine& machine, Value width) {
  int64_t n = 0;
  if (width.is_string() || !WantInt(machine, width, &n)) return width;
  return Arithmetic(machine, ExprKind::kMultiply, ViewString(machine, " "), Value::Int(n));
}

// The bytes of the first line of the text, and of it with its end, as str.splitlines has them.
size_t LineSize(std::string_view text, size_t* with_end) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  for (size_t i = 0; i < text.size();) {
    const Utf8Step step = DecodeUtf8(bytes + i, bytes + text.size());
    const uint32_t c = step.code_point;
    *with_end = i + step.length;
    if (c == '\r' && text.substr(*with_end).starts_with('\n')) ++*with_end;
    if ((c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
        c == 0x2029) {
      return i;
    }
    i += step.length;
  }
  return *with_end = text.size();
}

Value Indent(const Call& call) {
  const Value indention = Indention(call.machine, call.args[0]);
  const bool first = Truth(call.args[1]), blank = Truth(call.args[2]);
  // A line break more, so that one at the end makes an empty line.
  const Value text = Concatenate(call.machine, *call.self.text, "\n");
  if (call.machine.failed()) return Value();
  if (!call.machine.SpendCharacters(text.text->size)) return Value();
  Buffer out(call.machine);
  TextView rest = text.view();
  bool break_outside = false;  // who wrote the line break before the line
  for (bool is_first = true; !rest.empty() && call.machine.Spend(1); is_first = false) {
    size_t with_end = 0;
    const TextView line = rest.substr(0, LineSize(rest, &with_end));
    if (!is_first) out.Append('\n', break_outside);
    if (is_first ? first : blank || !line.empty()) out.Append(indention.view());
    out.Append(line);
    break_outside = line.size() < with_end && rest.IsOutside(line.size());
    rest.remove_prefix(with_end);
  }
  return out.Finish();
}

// Marks the text, so that + turns a text beside it to HTML.
Value Safe(const Call& call) {
  Value text = call.self;
  text.safe = true;
  return text;
}

Value String(const Call& call) { return call.self; }

constexpr Builtin kTextFilters[] = {
    {"trim", Trim, {{"chars", Value::None()}}, Style::kText},
    {"lower", CaseFilter<Case::kLower>, {}, Style::kText},
    {"upper", CaseFilter<Case::kUpper>, {}, Style::kText},
    {"capitalize", CaseFilter<Case::kCapitalize>, {}, Style::kText},
    {"title", Title, {}, Style::kText},
    {"replace", ReplaceFilter, {{"old"}, {"new"}, {"count", Value::None()}}, Style::kText},
    {"indent",
     Indent,
     {{"width", Value::Int(4)}, {"first", Value::Bool(false)}, {"blank", Value::Bool(false)}},
     Style::kText},
    {"safe", Safe, {}, Style::kText},
    {"string", String, {}, Style::kText},
};

// ---- Single values ----

Value Default(const Call& call) {
  const bool use = call.self.is_undefined() || (Truth(call.args[1]) && !Truth(call.self));
  return use ? call.args[0] : call.self;
}

Value ToJsonFilter(const Call& call) {
  Machine& machine = call.machine;
  const Value indent = call.args[1], separators = call.args[2];
  JsonStyle style;
  style.ascii = Truth(call.args[0]);
  style.pretty = !indent.is_none();
  if (style.pretty) {
    const Value indention = Indention(machine, indent);
    if (machine.failed()) return Value();
    style.indent = indention.view();
  }
  if (!separators.is_none()) {
    const Items pair = Iterate(machine, separators);
    if (!machine.failed() && (pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())) {
      machine.Fail("ValueError: separators of tojson are two strings");
    }
    if (machine.failed()) return Value();
    style.separator = pair[0].view();
    style.colon = pair[1].view();
  }
  return ToJson(machine, call.self, style);
}

// Python's int(text) and float(text); false where the text is none.
template <typename T>
bool ParseNumber(Machine& machine, std::string_view text, T* out) {
  if (!machine.SpendCharacters(text.size() * 2)) return false;
  text.remove_prefix(LeadingSpace(text));
  text.remove_suffix(TrailingSpace(text));
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  if (text.empty() || (plus && text[0] == '-')) return false;
  const auto [end, error] = ReadDecimal(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

Value Int(const Call& call) {
  const Value self = call.self;
  if (self.is_integral()) return Value::Int(self.as_int());
  int64_t integer = 0;
  if (self.is_string() && ParseNumber(call.machine, self.str(), &integer))
    return Value::Int(integer);
  double number = NAN;
  if (self.is_string() && !ParseNumber(call.machine, self.str(), &number)) return call.args[0];
  if (self.is(Kind::kFloat)) number = self.number;
  return std::fabs(number) < 9.2e18 ? Value::Int(static_cast<int64_t>(number)) : call.args[0];
}

Value Float(const Call& call) {
  double number = 0;
  if (call.self.is_number()) return Value::Float(call.self.as_double());
  const bool parsed = call.self.is_string() && ParseNumber(call.machine, call.self.str(), &number);
  return parsed ? Value::Float(number) : call.args[0];
}

Value Abs(const Call& call) {
  const Value self = call.self;
  const bool negative =
      self.is(Kind::kFloat) ? std::signbit(self.number) : self.is_integral() && self.as_int() < 0;
  return Sign(call.machine, negative ? ExprKind::kNegative : ExprKind::kPositive, self);
}

constexpr BuiltinParameter kFallback = {"default_value", kEmptyString};
constexpr Builtin kValueFilters[] = {
    {"default", Default, {kFallback, {"boolean", Value::Bool(false)}}},
    {"d", Default, {kFallback, {"boolean", Value::Bool(false)}}},
    {"tojson",
     ToJsonFilter,
     {{"ensure_ascii", Value::Bool(false)},
      {"indent", Value::None()},
      {"separators", Value::None()}}},
    {"int", Int, {{"default", Value::Int(0)}}},
    {"float", Float, {{"default", Value::Float(0)}}},
    {"abs", Abs},
};

}  // namespace

std::span<const Builtin> TextFilters() { return kTextFilters; }
std::span<const Builtin> ValueFilters() { return kValueFilters; }

}  // namespace rondo::jinja
