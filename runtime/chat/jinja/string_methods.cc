// Methods of strings that make strings.
#include <algorithm>

#include "runtime/base/utf8.h"
#include "runtime/chat/jinja/interpreter.h"
#include "runtime/chat/jinja/methods.h"
#include "runtime/chat/jinja/printf_text.h"
#include "runtime/chat/jinja/text_form.h"
#include "runtime/chat/jinja/unicode_text.h"

namespace rondo::jinja {
namespace {

// The code point at the beginning (`last` false) or the end, with its bytes.
std::string_view EdgeCharacter(std::string_view text, bool last) {
  const auto* begin = reinterpret_cast<const uint8_t*>(text.data());
  const uint8_t* end = begin + text.size();
  if (!last) return text.substr(0, DecodeUtf8(begin, end).length);
  return text.substr(static_cast<size_t>(PreviousUtf8(begin, end) - begin));
}

template <bool left, bool right>
Value StripMethod(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Value chars = Value::None();
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "strip()", arguments, {{"chars", &chars}})) return Value();
  return Strip(machine, self, chars, left, right);
}

template <Case to>
Value CaseMethod(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "the method", arguments, {})) return Value();
  return ChangeCase(machine, self.str(), to);
}

// Splits at `separator`, at most `limit` times (negative: always), from the end where `backwards`.
Sequence* SplitAt(Machine& machine, Value text, std::string_view separator, int64_t limit,
                  bool backwards) {
  Sequence* parts = NewSequence(machine);
  std::string_view rest = text.str();
  while (limit != 0 && machine.Spend(1)) {
    size_t at;
    if (backwards) {
      at = rest.rfind(separator);
      machine.SpendBytes((at == rest.npos ? rest.size() : rest.size() - at) * separator.size());
    } else {
      at = Find(machine, rest, separator);
    }
    if (at == rest.npos) break;
    if (backwards) {
      Append(machine, parts, SubString(machine, text, rest.substr(at + separator.size())));
      rest = rest.substr(0, at);
    } else {
      Append(machine, parts, SubString(machine, text, rest.substr(0, at)));
      rest = rest.substr(at + separator.size());
    }
    if (limit > 0) --limit;
  }
  Append(machine, parts, SubString(machine, text, rest));
  if (backwards && parts != nullptr) std::reverse(parts->items, parts->items + parts->count);
  return parts;
}

// Splits at runs of whitespace; nothing is empty.
Sequence* SplitSpace(Machine& machine, Value text, int64_t limit, bool backwards) {
  Sequence* parts = NewSequence(machine);
  std::string_view rest = text.str();
  machine.SpendBytes(rest.size() * 4);
  const auto skip = [&] {
    if (backwards) {
      rest.remove_suffix(TrailingSpace(rest));
    } else {
      rest.remove_prefix(LeadingSpace(rest));
    }
  };
  for (skip(); !rest.empty() && machine.Spend(1); skip()) {
    size_t size = 0;  // of the word at the edge
    if (limit == 0) {
      size = rest.size() - (backwards ? LeadingSpace(rest) : TrailingSpace(rest));
    } else {
      while (size < rest.size()) {
        const std::string_view c = EdgeCharacter(
            backwards ? rest.substr(0, rest.size() - size) : rest.substr(size), backwards);
        if (LeadingSpace(c) > 0) break;
        size += c.size();
      }
    }
    // The last part keeps the whitespace at its other end.
    if (limit == 0) size = rest.size();
    const std::string_view word =
        backwards ? rest.substr(rest.size() - size) : rest.substr(0, size);
    Append(machine, parts, SubString(machine, text, word));
    rest = backwards ? rest.substr(0, rest.size() - size) : rest.substr(size);
    if (limit > 0) --limit;
  }
  if (backwards && parts != nullptr) std::reverse(parts->items, parts->items + parts->count);
  return parts;
}

template <bool backwards>
Value Split(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value separator = Value::None(), limit = Value::Int(-1);
  int64_t n = -1;
  if (!Bind(machine, "split()", arguments, {{"sep", &separator}, {"maxsplit", &limit}}) ||
      !WantInt(machine, limit, &n)) {
    return Value();
  }
  if (separator.is_none()) {
    return Value::Items(Kind::kList, SplitSpace(machine, self, n, backwards));
  }
  if (!WantString(machine, "split()", separator)) return Value();
  if (separator.text->size == 0) {
    machine.Fail("ValueError: empty separator");
    return Value();
  }
  return Value::Items(Kind::kList, SplitAt(machine, self, separator.str(), n, backwards));
}

Value SplitLinesMethod(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "splitlines()", arguments, {})) return Value();
  return Value::Items(Kind::kList, SplitLines(interpreter.machine(), self));
}

Value Replace(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value from, to, count = Value::Int(-1);
  int64_t n = -1;
  if (!Bind(machine, "replace()", arguments,
            {{"old", &from, true}, {"new", &to, true}, {"count", &count}}) ||
      !WantString(machine, "replace()", from) || !WantString(machine, "replace()", to) ||
      !WantInt(machine, count, &n)) {
    return Value();
  }
  return ReplaceAll(machine, self, from.str(), to.str(), n);
}

Value JoinMethod(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value parts;
  if (!Bind(machine, "join()", arguments, {{"iterable", &parts, true}})) return Value();
  const Items items = Iterate(machine, parts);
  Buffer out(machine);
  for (size_t i = 0; i < items.count && machine.Spend(1); ++i) {
    const Value item = items[i];
    if (!item.is_string()) {
      machine.Fail("TypeError: sequence item %zu: expected str instance, %s found", i,
                   TypeName(item));
      return Value();
    }
    if (i > 0) out.Append(self.str());
    out.Append(item.str());
  }
  return machine.failed() ? Value() : out.Finish();
}

template <bool left, bool right>
Value PadMethod(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value width, fill = ViewString(machine, " ");
  int64_t n = 0;
  if (!Bind(machine, "the method", arguments, {{"width", &width, true}, {"fillchar", &fill}}) ||
      !WantInt(machine, width, &n) || !WantString(machine, "the method", fill)) {
    return Value();
  }
  return Pad(machine, self, n, fill.str(), left, right);
}

Value ZFill(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value width;
  int64_t n = 0;
  if (!Bind(machine, "zfill()", arguments, {{"width", &width, true}}) ||
      !WantInt(machine, width, &n)) {
    return Value();
  }
  const std::string_view text = self.str();
  const bool sign = text.starts_with('-') || text.starts_with('+');
  const Value digits = ViewString(machine, text.substr(sign ? 1 : 0));
  if (machine.failed()) return Value();
  const Value padded = Pad(machine, digits, n > 0 && sign ? n - 1 : n, "0", true, false);
  if (machine.failed() || !sign) return padded;
  return Concatenate(machine, {text.data(), 1, kUnknownLength}, padded.str());
}

template <bool prefix>
Value RemoveAffix(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value affix;
  if (!Bind(machine, "the method", arguments, {{"affix", &affix, true}}) ||
      !WantString(machine, "the method", affix)) {
    return Value();
  }
  const std::string_view text = self.str(), part = affix.str();
  machine.SpendBytes(part.size());
  if (prefix && text.starts_with(part)) return SubString(machine, self, text.substr(part.size()));
  if (!prefix && text.ends_with(part)) {
    return SubString(machine, self, text.substr(0, text.size() - part.size()));
  }
  return self;
}

Value Format(Interpreter& interpreter, Value self, const Arguments& arguments) {
  return FormatBraces(interpreter.machine(), self.str(), arguments);
}

constexpr NamedBuiltin kMethods[] = {
    {"strip", StripMethod<true, true>},
    {"lstrip", StripMethod<true, false>},
    {"rstrip", StripMethod<false, true>},
    {"lower", CaseMethod<Case::kLower>},
    {"casefold", CaseMethod<Case::kLower>},
    {"upper", CaseMethod<Case::kUpper>},
    {"title", CaseMethod<Case::kTitle>},
    {"capitalize", CaseMethod<Case::kCapitalize>},
    {"swapcase", CaseMethod<Case::kSwap>},
    {"split", Split<false>},
    {"rsplit", Split<true>},
    {"splitlines", SplitLinesMethod},
    {"replace", Replace},
    {"join", JoinMethod},
    {"center", PadMethod<true, true>},
    {"ljust", PadMethod<false, true>},
    {"rjust", PadMethod<true, false>},
    {"zfill", ZFill},
    {"removeprefix", RemoveAffix<true>},
    {"removesuffix", RemoveAffix<false>},
    {"format", Format},
};

}  // namespace

std::span<const NamedBuiltin> StringMethods() { return kMethods; }

Value Strip(Machine& machine, Value text, Value chars, bool left, bool right) {
  std::string_view rest = text.str();
  machine.SpendBytes(rest.size());
  if (chars.is_none()) {
    if (left) rest.remove_prefix(LeadingSpace(rest));
    if (right) rest.remove_suffix(TrailingSpace(rest));
    return SubString(machine, text, rest);
  }
  if (!WantString(machine, "strip()", chars)) return Value();
  const auto strip = [&](bool last) {
    while (!rest.empty() && machine.SpendBytes(chars.text->size)) {
      const std::string_view c = EdgeCharacter(rest, last);
      if (chars.str().find(c) == std::string_view::npos) break;
      if (last) {
        rest.remove_suffix(c.size());
      } else {
        rest.remove_prefix(c.size());
      }
    }
  };
  if (left) strip(false);
  if (right) strip(true);
  return SubString(machine, text, rest);
}

Sequence* SplitLines(Machine& machine, Value text) {
  Sequence* lines = NewSequence(machine);
  const std::string_view whole = text.str();
  machine.SpendBytes(whole.size() * 4);
  const auto* bytes = reinterpret_cast<const uint8_t*>(whole.data());
  size_t begin = 0;
  for (size_t i = 0; i < whole.size() && !machine.failed();) {
    const Utf8Step step = DecodeUtf8(bytes + i, bytes + whole.size());
    const uint32_t c = step.code_point;
    size_t end = i + step.length;
    const bool breaks = (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 ||
                        c == 0x2028 || c == 0x2029;
    if (breaks) {
      if (c == '\r' && end < whole.size() && whole[end] == '\n') ++end;
      Append(machine, lines, SubString(machine, text, whole.substr(begin, i - begin)));
      begin = end;
    }
    i = end;
  }
  if (begin < whole.size()) Append(machine, lines, SubString(machine, text, whole.substr(begin)));
  return lines;
}

Value ReplaceAll(Machine& machine, Value text, std::string_view from, std::string_view to,
                 int64_t count) {
  const std::string_view whole = text.str();
  Buffer out(machine);
  size_t begin = 0;  // what was not copied yet
  size_t at = 0;     // where to look
  while (count != 0 && machine.Spend(1)) {
    const size_t found = Find(machine, whole, from, at);
    if (found == whole.npos) break;
    out.Append(whole.substr(begin, found - begin));
    out.Append(to);
    begin = found + from.size();
    at = begin;
    if (from.empty()) {  // between all characters
      if (found == whole.size()) break;
      at = found + EdgeCharacter(whole.substr(found), false).size();
    }
    if (count > 0) --count;
  }
  if (machine.failed()) return Value();
  if (begin == 0 && out.view().empty()) return text;
  out.Append(whole.substr(std::min(begin, whole.size())));
  return machine.failed() ? Value() : out.Finish();
}

Value Pad(Machine& machine, Value text, int64_t width, std::string_view fill, bool left,
          bool right) {
  const auto length = static_cast<int64_t>(Length(machine, *text.text));
  if (width <= length) return text;
  const int64_t missing = width - length;
  // Where both sides get some, Python gives the odd one to the left if the width is odd.
  const int64_t before = !left ? 0 : !right ? missing : missing / 2 + (missing & width & 1);
  Buffer out(machine);
  for (int64_t i = 0; i < before && machine.Spend(1); ++i) out.Append(fill);
  out.Append(text.str());
  for (int64_t i = before; i < missing && machine.Spend(1); ++i) out.Append(fill);
  return machine.failed() ? Value() : out.Finish();
}

}  // namespace rondo::jinja
