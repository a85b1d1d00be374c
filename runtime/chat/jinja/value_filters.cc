// Filters on single values: numbers, defaults, JSON.
#include <charconv>
#include <cmath>

#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/interpreter.h"
#include "runtime/chat/jinja/operators.h"
#include "runtime/chat/jinja/unicode_text.h"

namespace rondo::jinja {
namespace {

Value Default(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value fallback = ViewString(machine, ""), boolean = Value::Bool(false);
  if (!Bind(machine, "default()", arguments,
            {{"default_value", &fallback}, {"boolean", &boolean}})) {
    return Value();
  }
  return self.is_undefined() || (Truth(boolean) && !Truth(self)) ? fallback : self;
}

Value ToJsonFilter(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value ascii = Value::Bool(false), indent = Value::None(), separators = Value::None();
  Value sort_keys = Value::Bool(false);
  if (!Bind(machine, "tojson()", arguments,
            {{"ensure_ascii", &ascii},
             {"indent", &indent},
             {"separators", &separators},
             {"sort_keys", &sort_keys}})) {
    return Value();
  }
  JsonStyle style;
  style.ascii = Truth(ascii);
  style.sort_keys = Truth(sort_keys);
  style.pretty = !indent.is_none();
  if (style.pretty && !indent.is_string()) {
    int64_t width = 0;
    if (!WantInt(machine, indent, &width)) return Value();
    indent = Arithmetic(machine, ExprKind::kMultiply, ViewString(machine, " "), Value::Int(width));
  }
  if (machine.failed()) return Value();
  if (style.pretty) style.indent = indent.str();
  if (!separators.is_none()) {
    const Items pair = Iterate(machine, separators);
    if (!machine.failed() && (pair.count != 2 || !pair[0].is_string() || !pair[1].is_string())) {
      machine.Fail("ValueError: separators of tojson are two strings");
    }
    if (machine.failed()) return Value();
    style.separator = pair[0].str();
    style.colon = pair[1].str();
  }
  return ToJson(machine, self, style);
}

// Python's int(text, base) and float(text); false where the text is none.
bool ParseInt(std::string_view text, int base, int64_t* out) {
  text.remove_prefix(LeadingSpace(text));
  text.remove_suffix(TrailingSpace(text));
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  if (text.empty() || (plus && text[0] == '-')) return false;
  const bool minus = text[0] == '-';
  const std::string_view prefix = text.substr(minus ? 1 : 0, 2);
  const bool prefixed = (base == 16 && (prefix == "0x" || prefix == "0X")) ||
                        (base == 8 && (prefix == "0o" || prefix == "0O")) ||
                        (base == 2 && (prefix == "0b" || prefix == "0B"));
  if (prefixed && minus) return false;
  if (prefixed) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out, base);
  return error == std::errc() && end == text.data() + text.size();
}
bool ParseFloat(std::string_view text, double* out) {
  text.remove_prefix(LeadingSpace(text));
  text.remove_suffix(TrailingSpace(text));
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  if (text.empty() || (plus && text[0] == '-')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

Value Int(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value fallback = Value::Int(0), base = Value::Int(10);
  int64_t radix = 10;
  if (!Bind(machine, "int()", arguments, {{"default", &fallback}, {"base", &base}}) ||
      !WantInt(machine, base, &radix)) {
    return Value();
  }
  if (self.is_integral()) return Value::Int(self.as_int());
  double number = 0;
  int64_t integer = 0;
  if (self.is_string()) {
    if (radix >= 2 && radix <= 36 && ParseInt(self.str(), static_cast<int>(radix), &integer)) {
      return Value::Int(integer);
    }
    if (!ParseFloat(self.str(), &number)) return fallback;
  } else if (self.is(Kind::kFloat)) {
    number = self.number;
  } else {
    return fallback;
  }
  if (!(std::fabs(number) < 9.2e18)) return fallback;
  return Value::Int(static_cast<int64_t>(number));
}

Value Float(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value fallback = Value::Float(0);
  if (!Bind(machine, "float()", arguments, {{"default", &fallback}})) return Value();
  double number = 0;
  if (self.is_number()) return Value::Float(self.as_double());
  if (self.is_string() && ParseFloat(self.str(), &number)) return Value::Float(number);
  return fallback;
}

Value Abs(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "abs()", arguments, {})) return Value();
  const bool negative =
      self.is(Kind::kFloat) ? std::signbit(self.number) : self.is_integral() && self.as_int() < 0;
  return Sign(machine, negative ? ExprKind::kNegative : ExprKind::kPositive, self);
}

Value Round(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value precision = Value::Int(0), method = ViewString(machine, "common");
  int64_t digits = 0;
  if (!Bind(machine, "round()", arguments, {{"precision", &precision}, {"method", &method}}) ||
      !WantInt(machine, precision, &digits) || !WantString(machine, "round()", method)) {
    return Value();
  }
  if (!self.is_number()) {
    if (self.is_undefined()) {
      FailUndefined(machine, self);
    } else {
      machine.Fail("TypeError: type %s doesn't define __round__ method", TypeName(self));
    }
    return Value();
  }
  const double number = self.as_double();
  if (method.str() != "common") {
    if (method.str() != "ceil" && method.str() != "floor") {
      machine.Fail("FilterArgumentError: method must be common, ceil or floor");
      return Value();
    }
    const double scale = std::pow(10.0, static_cast<double>(digits));
    const double scaled = number * scale;
    return Value::Float((method.str() == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
  }
  if (self.is_integral() && digits >= 0)
    return self.is(Kind::kBool) ? Value::Int(self.as_int()) : self;
  if (!std::isfinite(number) || digits > 300) return self;
  if (digits < -308) return Value::Float(0);
  if (digits < 0) {
    const double scale = std::pow(10.0, static_cast<double>(-digits));
    return Value::Float(std::nearbyint(number / scale) * scale);
  }
  // By its decimal digits, exactly, as Python does.
  char text[700];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number,
                                          std::chars_format::fixed, static_cast<int>(digits));
  double rounded = number;
  if (error == std::errc()) std::from_chars(text, end, rounded);
  return Value::Float(rounded);
}

Value Attr(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value name;
  if (!Bind(machine, "attr()", arguments, {{"name", &name, true}})) return Value();
  name = ToText(machine, name);
  if (machine.failed()) return Value();
  const Value value = GetAttribute(machine, self, name);
  if (machine.failed() || !self.is(Kind::kDict) || value.is_undefined()) return value;
  if (value.is(Kind::kFunction) && value.function->self.is(Kind::kDict)) return value;
  Value missing;  // an item is no attribute
  missing.undefined = machine.New<Undefined>(nullptr, TypeName(self), name, false);
  return missing;
}

constexpr NamedBuiltin kFilters[] = {
    {"default", Default}, {"d", Default}, {"tojson", ToJsonFilter}, {"int", Int},
    {"float", Float},     {"abs", Abs},   {"round", Round},         {"attr", Attr},
};

}  // namespace

std::span<const NamedBuiltin> ValueFilters() { return kFilters; }

}  // namespace rondo::jinja
