#include "runtime/chat/jinja/printf_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "runtime/chat/jinja/access.h"
#include "runtime/chat/jinja/methods.h"
#include "runtime/chat/jinja/text_form.h"

namespace rondo::jinja {
namespace {

constexpr int64_t kMaxWidth = 10000;
constexpr int64_t kMaxPrecision = 60;

struct Spec {
  std::string_view fill = " ";
  char align = 0;  // < > ^ or = (after the sign); 0: as the type asks
  char sign = '-';
  bool comma = false;
  bool alternate = false;
  int64_t width = 0;
  int64_t precision = -1;
  char type = 's';
};

// Digits at the beginning of *text, which goes past them.
int64_t TakeNumber(std::string_view* text, int64_t fallback) {
  int64_t value = 0;
  size_t i = 0;
  while (i < text->size() && (*text)[i] >= '0' && (*text)[i] <= '9') {
    value = std::min<int64_t>(value * 10 + ((*text)[i] - '0'), 1'000'000);
    ++i;
  }
  text->remove_prefix(i);
  return i > 0 ? value : fallback;
}

bool TakeChar(std::string_view* text, char c) {
  if (!text->starts_with(c)) return false;
  text->remove_prefix(1);
  return true;
}

void AppendPadded(Machine& machine, Buffer& out, std::string_view prefix, std::string_view body,
                  const Spec& spec, char align) {
  const Text text = {body.data(), body.size(), kUnknownLength};
  const auto length = static_cast<int64_t>(prefix.size() + Length(machine, text));
  const int64_t missing = std::max<int64_t>(0, spec.width - length);
  const int64_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  for (int64_t i = 0; i < before; ++i) out.Append(spec.fill);
  out.Append(prefix);
  for (int64_t i = 0; align == '=' && i < missing; ++i) out.Append(spec.fill);
  out.Append(body);
  for (int64_t i = before; align != '=' && i < missing; ++i) out.Append(spec.fill);
}

// The digits of the number's absolute value.
size_t FormatDigits(Machine& machine, Value value, const Spec& spec, char* out, size_t capacity) {
  char* end = out + capacity;
  std::to_chars_result result{};
  const char type = spec.type;
  if (type == 'd' || type == 'x' || type == 'X' || type == 'o' || type == 'b') {
    const int64_t n = value.as_int();
    const uint64_t magnitude = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
    const int base = type == 'd' ? 10 : type == 'o' ? 8 : type == 'b' ? 2 : 16;
    result = std::to_chars(out, end, magnitude, base);
  } else {
    const double d = std::fabs(value.as_double());
    if (!std::isfinite(d)) {
      const std::string_view text = std::isnan(d) ? "nan" : "inf";
      return text.copy(out, capacity);
    }
    const int precision = static_cast<int>(spec.precision < 0 ? 6 : spec.precision);
    const char lower = type >= 'A' && type <= 'Z' ? static_cast<char>(type + 32) : type;
    const auto format = lower == 'e'   ? std::chars_format::scientific
                        : lower == 'g' ? std::chars_format::general
                                       : std::chars_format::fixed;
    result = std::to_chars(out, end, type == '%' ? d * 100 : d, format,
                           lower == 'g' && precision == 0 ? 1 : precision);
  }
  if (result.ec != std::errc()) {
    machine.Fail("ValueError: a number is too long to format");
    return 0;
  }
  if (type == 'X' || type == 'E' || type == 'G') {
    for (char* c = out; c < result.ptr; ++c) {
      if (*c >= 'a' && *c <= 'z') *c = static_cast<char>(*c - 32);
    }
  }
  return static_cast<size_t>(result.ptr - out);
}

void AppendNumber(Machine& machine, Buffer& out, Value value, const Spec& spec) {
  char digits[512];
  const size_t size = FormatDigits(machine, value, spec, digits, sizeof digits);
  if (machine.failed()) return;
  const bool negative = value.is(Kind::kFloat) ? std::signbit(value.number) : value.as_int() < 0;
  Buffer body(machine);
  const std::string_view plain(digits, size);
  const size_t point = std::min(plain.find('.'), size);
  for (size_t i = 0; i < size; ++i) {
    if (spec.comma && i > 0 && i < point && (point - i) % 3 == 0) body.Append(',');
    body.Append(digits[i]);
  }
  if (spec.type == '%') body.Append('%');
  char prefix[4];
  size_t prefix_size = 0;
  if (negative || spec.sign != '-') prefix[prefix_size++] = negative ? '-' : spec.sign;
  if (spec.alternate && (spec.type == 'x' || spec.type == 'X' || spec.type == 'o')) {
    prefix[prefix_size++] = '0';
    prefix[prefix_size++] = spec.type;
  }
  AppendPadded(machine, out, {prefix, prefix_size}, body.view(), spec,
               spec.align == 0 ? '>' : spec.align);
}

void AppendText(Machine& machine, Buffer& out, Value text, const Spec& spec, char align) {
  if (machine.failed()) return;
  std::string_view view = text.str();
  if (spec.precision >= 0 && static_cast<size_t>(spec.precision) < Length(machine, *text.text)) {
    view = view.substr(0, ByteOffset(machine, *text.text, static_cast<size_t>(spec.precision)));
  }
  AppendPadded(machine, out, {}, view, spec, spec.align == 0 ? align : spec.align);
}

bool CheckSpec(Machine& machine, const Spec& spec) {
  if (spec.width <= kMaxWidth && spec.precision <= kMaxPrecision) return true;
  machine.Fail("ValueError: a format asks for a width above %lld or a precision above %lld",
               static_cast<long long>(kMaxWidth), static_cast<long long>(kMaxPrecision));
  return false;
}

// ---- % ----

// Flags, width, precision and type behind a '%'.
bool ReadPercentSpec(Machine& machine, std::string_view* rest, Spec* spec) {
  for (bool flag = true; flag && !rest->empty();) {
    const char c = rest->front();
    if (c == '-') {
      spec->align = '<';
    } else if (c == '0') {
      if (spec->align == 0) {
        spec->align = '=';
        spec->fill = "0";
      }
    } else if (c == '+' || c == ' ') {
      spec->sign = c;
    } else if (c == '#') {
      spec->alternate = true;
    } else {
      flag = false;
    }
    if (flag) rest->remove_prefix(1);
  }
  spec->width = TakeNumber(rest, 0);
  if (TakeChar(rest, '.')) spec->precision = TakeNumber(rest, 0);
  if (rest->empty()) {
    machine.Fail("ValueError: incomplete format");
    return false;
  }
  spec->type = rest->front();
  rest->remove_prefix(1);
  return CheckSpec(machine, *spec);
}

void AppendPercent(Machine& machine, Buffer& out, Value value, Spec spec) {
  switch (spec.type) {
    case 's':
    case 'r':
    case 'a':
      if (spec.align == '=') spec.align = '>';
      if (spec.fill == "0") spec.fill = " ";
      AppendText(machine, out, spec.type == 's' ? ToText(machine, value) : Repr(machine, value),
                 spec, '>');
      return;
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G': {
      const bool integral = std::string_view("diuxXo").find(spec.type) != std::string_view::npos;
      if (!value.is_number() ||
          (integral && value.is(Kind::kFloat) && !(std::fabs(value.number) < 9e18))) {
        if (value.is_undefined()) return FailUndefined(machine, value);
        return machine.Fail("TypeError: %%%c format: a real number is required, not %s", spec.type,
                            TypeName(value));
      }
      if (integral && value.is(Kind::kFloat))
        value = Value::Int(static_cast<int64_t>(value.number));
      if (spec.type == 'i' || spec.type == 'u') spec.type = 'd';
      return AppendNumber(machine, out, value, spec);
    }
    default:
      machine.Fail("ValueError: unsupported format character '%c'", spec.type);
  }
}

// ---- {} ----

bool ReadBraceSpec(Machine& machine, std::string_view text, Spec* spec) {
  constexpr std::string_view kAligns = "<>^=";
  // A fill of any one character before an align.
  size_t first = 1;
  while (first < text.size() && (static_cast<uint8_t>(text[first]) & 0xC0) == 0x80) ++first;
  if (text.size() > first && kAligns.find(text[first]) != kAligns.npos) {
    spec->fill = text.substr(0, first);
    spec->align = text[first];
    text.remove_prefix(first + 1);
  } else if (!text.empty() && kAligns.find(text[0]) != kAligns.npos) {
    spec->align = text[0];
    text.remove_prefix(1);
  }
  if (text.starts_with('+') || text.starts_with(' ') || text.starts_with('-')) {
    spec->sign = text[0];
    text.remove_prefix(1);
  }
  spec->alternate = TakeChar(&text, '#');
  if (text.starts_with('0') && spec->align == 0) {
    spec->fill = "0";
    spec->align = '=';
  }
  spec->width = TakeNumber(&text, 0);
  spec->comma = TakeChar(&text, ',');
  if (TakeChar(&text, '.')) spec->precision = TakeNumber(&text, 0);
  spec->type = text.empty() ? 0 : text[0];
  if (text.size() > 1) {
    machine.Fail("ValueError: invalid format specifier");
    return false;
  }
  return CheckSpec(machine, *spec);
}

void AppendBraces(Machine& machine, Buffer& out, Value value, Spec spec) {
  const char type = spec.type;
  if (value.is_number() && !(value.is(Kind::kBool) && type == 0)) {
    const bool integral = value.is_integral();
    if (type == 0 && !integral && spec.precision < 0) {
      return AppendText(machine, out, ToText(machine, value), spec, '>');
    }
    if (type == 0) spec.type = integral ? 'd' : 'g';
    const std::string_view allowed = integral ? "dxXobfFeEgG%" : "fFeEgG%";
    if (allowed.find(spec.type) != allowed.npos) return AppendNumber(machine, out, value, spec);
  } else if (type == 0 || type == 's') {
    if (spec.align == '=') spec.align = '<';
    return AppendText(machine, out, ToText(machine, value), spec, '<');
  }
  machine.Fail("ValueError: Unknown format code '%c' for object of type '%s'", spec.type,
               TypeName(value));
}

// The value that a field names: "", "0", "name", with .attributes and [items] behind.
Value FieldValue(Machine& machine, std::string_view field, const Arguments& arguments,
                 size_t* next) {
  const size_t end = std::min(field.find_first_of(".["), field.size());
  const std::string_view head = field.substr(0, end);
  Value value;
  bool found = false;
  size_t number = 0;
  const auto [stop, error] = std::from_chars(head.data(), head.data() + head.size(), number);
  if (head.empty() || (error == std::errc() && stop == head.data() + head.size())) {
    if (head.empty()) number = (*next)++;
    found = number < arguments.positional.size();
    if (found) value = arguments.positional[number];
  } else {
    for (const NamedValue& named : arguments.named) {
      if (named.name == head) {
        value = named.value;
        found = true;
      }
    }
  }
  if (!found) {
    machine.Fail("IndexError: the format has no value for '{%.*s}'",
                 static_cast<int>(std::min<size_t>(head.size(), 60)), head.data());
    return Value();
  }
  std::string_view rest = field.substr(end);
  while (!rest.empty() && !machine.failed()) {
    const bool item = rest[0] == '[';
    const size_t close = item ? rest.find(']') : std::min(rest.find_first_of(".[", 1), rest.size());
    if (close == rest.npos) {
      machine.Fail("ValueError: a format's '[' has no ']'");
      return Value();
    }
    const Value key = ViewString(machine, rest.substr(1, close - 1));
    value = item ? GetPath(machine, value, key) : GetAttribute(machine, value, key);
    rest.remove_prefix(close + (item ? 1 : 0));
  }
  return value;
}

}  // namespace

Value FormatPercent(Machine& machine, Value format, Value values) {
  Buffer out(machine);
  std::string_view rest = format.str();
  size_t next = 0;
  bool named = false;
  const size_t count = values.is(Kind::kTuple) ? values.sequence->count : 1;
  while (!rest.empty() && machine.Spend(1)) {
    const size_t percent = std::min(rest.find('%'), rest.size());
    out.Append(rest.substr(0, percent));
    rest.remove_prefix(percent);
    if (!TakeChar(&rest, '%')) break;
    if (TakeChar(&rest, '%')) {
      out.Append('%');
      continue;
    }
    Value value;
    bool keyed = false;
    if (rest.starts_with('(')) {
      const size_t close = rest.find(')');
      if (close == rest.npos || !values.is(Kind::kDict)) {
        machine.Fail("TypeError: format requires a mapping");
        return Value();
      }
      const Value* found = Find(machine, *values.dict, rest.substr(1, close - 1));
      if (found == nullptr) {
        machine.Fail("KeyError: '%.*s'", static_cast<int>(std::min<size_t>(close - 1, 60)),
                     rest.data() + 1);
        return Value();
      }
      value = *found;
      keyed = named = true;
      rest.remove_prefix(close + 1);
    }
    Spec spec;
    if (!ReadPercentSpec(machine, &rest, &spec)) return Value();
    if (!keyed) {
      if (next == count) {
        machine.Fail("TypeError: not enough arguments for format string");
        return Value();
      }
      value = values.is(Kind::kTuple) ? values.sequence->items[next] : values;
      ++next;
    }
    AppendPercent(machine, out, value, spec);
  }
  if (!named && next < count && !values.is(Kind::kDict)) {
    machine.Fail("TypeError: not all arguments converted during string formatting");
  }
  return machine.failed() ? Value() : out.Finish();
}

Value FormatBraces(Machine& machine, std::string_view rest, const Arguments& arguments) {
  Buffer out(machine);
  size_t next = 0;
  while (!rest.empty() && machine.Spend(1)) {
    const size_t brace = std::min(rest.find_first_of("{}"), rest.size());
    out.Append(rest.substr(0, brace));
    rest.remove_prefix(brace);
    if (rest.empty()) break;
    const char c = rest[0];
    rest.remove_prefix(1);
    if (TakeChar(&rest, c)) {  // doubled: itself
      out.Append(c);
      continue;
    }
    const size_t close = rest.find_first_of("{}");
    if (c == '}' || close == rest.npos || rest[close] == '{') {
      machine.Fail("ValueError: a format has a single '%c'", c);
      return Value();
    }
    std::string_view field = rest.substr(0, close);
    rest.remove_prefix(close + 1);
    const size_t colon = std::min(field.find(':'), field.size());
    const std::string_view spec_text = field.substr(std::min(colon + 1, field.size()));
    field = field.substr(0, colon);
    const size_t bang = field.find('!');
    const std::string_view conversion = bang == field.npos ? "" : field.substr(bang + 1);
    Value value = FieldValue(machine, field.substr(0, bang), arguments, &next);
    if (conversion == "r") value = Repr(machine, value);
    if (conversion == "s") value = ToText(machine, value);
    Spec spec;
    if (machine.failed() || !ReadBraceSpec(machine, spec_text, &spec)) return Value();
    AppendBraces(machine, out, value, spec);
  }
  return machine.failed() ? Value() : out.Finish();
}

}  // namespace rondo::jinja
