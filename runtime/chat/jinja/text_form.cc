#include "runtime/chat/jinja/text_form.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include <utf8proc.h>

#include "runtime/base/utf8.h"
#include "runtime/chat/jinja/ast.h"

namespace rondo::jinja {
namespace {

// What Python's repr shows as it is: no controls, separators (but for the space), surrogates and
// unassigned characters.
bool IsPrintable(uint32_t c) {
  if (c < 0x7F) return c >= 0x20;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category != UTF8PROC_CATEGORY_CN && category < UTF8PROC_CATEGORY_ZS;
}

void AppendHex(Buffer& out, uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    out.Append("0123456789abcdef"[value >> shift & 15]);
  }
}

void AppendReprString(Machine& machine, Buffer& out, std::string_view text) {
  const bool has_single = text.find('\'') != text.npos;
  const char quote = has_single && text.find('"') == text.npos ? '"' : '\'';
  machine.SpendBytes(text.size() * 4);
  out.Append(quote);
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const uint8_t* end = at + text.size();
  while (at < end && !machine.failed()) {
    const Utf8Step step = DecodeUtf8(at, end);
    const uint32_t c = step.code_point;
    const std::string_view same(reinterpret_cast<const char*>(at), step.length);
    at += step.length;
    if (c == static_cast<uint32_t>(quote) || c == '\\') {
      out.Append('\\');
      out.Append(same);
    } else if (c == '\n') {
      out.Append("\\n");
    } else if (c == '\r') {
      out.Append("\\r");
    } else if (c == '\t') {
      out.Append("\\t");
    } else if (IsPrintable(c)) {
      out.Append(same);
    } else if (c < 0x100) {
      out.Append("\\x");
      AppendHex(out, c, 2);
    } else if (c < 0x10000) {
      out.Append("\\u");
      AppendHex(out, c, 4);
    } else {
      out.Append("\\U");
      AppendHex(out, c, 8);
    }
  }
  out.Append(quote);
}

void AppendNumber(Buffer& out, Value value) {
  char digits[32];
  if (value.is(Kind::kFloat)) {
    out.Append({digits, FormatFloat(value.number, digits)});
  } else {
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value.as_int());
    out.Append({digits, static_cast<size_t>(end - digits)});
  }
}

void AppendRepr(Machine& machine, Buffer& out, Value value);

void AppendReprItems(Machine& machine, Buffer& out, const Sequence& sequence, const char* open,
                     const char* close) {
  out.Append(open);
  for (size_t i = 0; i < sequence.count && machine.Spend(1); ++i) {
    if (i > 0) out.Append(", ");
    AppendRepr(machine, out, sequence.items[i]);
  }
  out.Append(close);
}

void AppendReprDict(Machine& machine, Buffer& out, const Dict& dict) {
  out.Append('{');
  for (size_t i = 0; i < dict.count && machine.Spend(1); ++i) {
    if (i > 0) out.Append(", ");
    AppendRepr(machine, out, dict.entries[i].key);
    out.Append(": ");
    AppendRepr(machine, out, dict.entries[i].value);
  }
  out.Append('}');
}

void AppendRepr(Machine& machine, Buffer& out, Value value) {
  const Deeper deeper(machine);
  if (!deeper.ok()) return;
  switch (value.kind) {
    case Kind::kUndefined:
      out.Append("Undefined");
      return;
    case Kind::kNone:
      out.Append("None");
      return;
    case Kind::kBool:
      out.Append(value.boolean ? "True" : "False");
      return;
    case Kind::kInt:
    case Kind::kFloat:
      AppendNumber(out, value);
      return;
    case Kind::kString:
      if (value.safe) out.Append("Markup(");
      AppendReprString(machine, out, value.str());
      if (value.safe) out.Append(')');
      return;
    case Kind::kList:
      AppendReprItems(machine, out, *value.sequence, "[", "]");
      return;
    case Kind::kTuple:
      AppendReprItems(machine, out, *value.sequence, "(", value.sequence->count == 1 ? ",)" : ")");
      return;
    case Kind::kView:
      out.Append(value.sequence->view_type);
      AppendReprItems(machine, out, *value.sequence, "([", "])");
      return;
    case Kind::kDict:
      AppendReprDict(machine, out, *value.dict);
      return;
    case Kind::kNamespace:
      out.Append("<Namespace ");
      AppendReprDict(machine, out, *value.dict);
      out.Append('>');
      return;
    case Kind::kRange:
      return machine.Fail("a range has no text; |list makes a list of it");
    case Kind::kMacro:
      out.Append("<Macro '");
      out.Append(value.macro->definition->name);
      return out.Append("'>");
    default:  // Python shows an address here, which no template can want
      out.Append('<');
      out.Append(TypeName(value));
      out.Append(" object>");
  }
}

// ---- JSON ----

class JsonWriter {
 public:
  JsonWriter(Machine& machine, const JsonStyle& style)
      : machine_(machine),
        style_(style),
        separator_(!style.separator.empty() ? style.separator
                   : style.pretty           ? ","
                                            : ", "),
        colon_(!style.colon.empty() ? style.colon : ": "),
        out_(machine) {}

  Value Run(Value value) {
    Write(value);
    return out_.Finish();
  }

 private:
  void Write(Value value) {
    const Deeper deeper(machine_);
    if (!deeper.ok()) return;
    switch (value.kind) {
      case Kind::kNone:
        out_.Append("null");
        return;
      case Kind::kBool:
        out_.Append(value.boolean ? "true" : "false");
        return;
      case Kind::kInt:
        AppendNumber(out_, value);
        return;
      case Kind::kFloat:
        WriteFloat(value);
        return;
      case Kind::kString:
        WriteString(value.str());
        return;
      case Kind::kList:
      case Kind::kTuple:
        WriteItems(*value.sequence);
        return;
      case Kind::kDict:
        WriteDict(*value.dict);
        return;
      default:
        machine_.Fail("TypeError: Object of type %s is not JSON serializable", TypeName(value));
    }
  }

  void WriteFloat(Value value) {
    if (std::isnan(value.number)) {
      out_.Append("NaN");
    } else if (std::isinf(value.number)) {
      out_.Append(value.number < 0 ? "-Infinity" : "Infinity");
    } else {
      AppendNumber(out_, value);
    }
  }

  void WriteUnit(uint32_t unit) {
    out_.Append("\\u");
    AppendHex(out_, unit, 4);
  }

  void WriteString(std::string_view text) {
    out_.Append('"');
    machine_.SpendBytes(text.size() * 2);
    size_t plain = 0;  // what begins here is written as it is
    for (size_t i = 0; i < text.size() && !machine_.failed();) {
      const auto c = static_cast<uint8_t>(text[i]);
      if (c >= 0x20 && c != '"' && c != '\\' && (c < 0x80 || !style_.ascii)) {
        ++i;
        continue;
      }
      out_.Append(text.substr(plain, i - plain));
      i += WriteEscaped(text, i);
      plain = i;
    }
    out_.Append(text.substr(plain));
    out_.Append('"');
  }

  // Returns how many bytes it took.
  size_t WriteEscaped(std::string_view text, size_t i) {
    const auto* at = reinterpret_cast<const uint8_t*>(text.data());
    const Utf8Step step = DecodeUtf8(at + i, at + text.size());
    const uint32_t c = step.code_point;
    static constexpr std::string_view kNamed = "\"\\\b\f\n\r\t", kNames = "\"\\bfnrt";
    const size_t named = c < 0x80 ? kNamed.find(static_cast<char>(c)) : kNamed.npos;
    if (named != kNamed.npos) {
      out_.Append('\\');
      out_.Append(kNames[named]);
    } else if (c < 0x10000) {
      WriteUnit(c);
    } else {
      WriteUnit(0xD800 + ((c - 0x10000) >> 10));
      WriteUnit(0xDC00 + ((c - 0x10000) & 0x3FF));
    }
    return step.length;
  }

  void NewLine() {
    if (!style_.pretty) return;
    out_.Append('\n');
    for (size_t i = 0; i < level_ && !machine_.failed(); ++i) out_.Append(style_.indent);
  }

  void WriteItems(const Sequence& sequence) {
    if (sequence.count == 0) return out_.Append("[]");
    out_.Append('[');
    ++level_;
    for (size_t i = 0; i < sequence.count && machine_.Spend(1); ++i) {
      if (i > 0) out_.Append(separator_);
      NewLine();
      Write(sequence.items[i]);
    }
    --level_;
    NewLine();
    out_.Append(']');
  }

  void WriteDict(const Dict& dict) {
    if (dict.count == 0) return out_.Append("{}");
    out_.Append('{');
    ++level_;
    for (size_t i = 0; i < dict.count && machine_.Spend(1); ++i) {
      if (i > 0) out_.Append(separator_);
      NewLine();
      WriteKey(dict.entries[i].key);
      out_.Append(colon_);
      Write(dict.entries[i].value);
    }
    --level_;
    NewLine();
    out_.Append('}');
  }

  void WriteKey(Value key) {
    switch (key.kind) {
      case Kind::kString:
        return WriteString(key.str());
      case Kind::kNone:
      case Kind::kBool:
      case Kind::kInt:
      case Kind::kFloat:
        out_.Append('"');
        Write(key);
        return out_.Append('"');
      default:
        machine_.Fail("TypeError: keys must be str, int, float, bool or None, not %s",
                      TypeName(key));
    }
  }

  Machine& machine_;
  const JsonStyle& style_;
  const std::string_view separator_;
  const std::string_view colon_;
  Buffer out_;
  size_t level_ = 0;
};

}  // namespace

void Buffer::Append(std::string_view text) {
  if (text.size() > capacity_ - size_) {
    const size_t capacity = std::max<size_t>(64, (size_ + text.size()) * 2);
    char* data = static_cast<char*>(machine_.Allocate(capacity));
    if (data == nullptr) return;
    if (size_ > 0) std::memcpy(data, data_, size_);
    data_ = data;
    capacity_ = capacity;
  }
  if (!text.empty()) std::memcpy(data_ + size_, text.data(), text.size());
  size_ += text.size();
}

void Buffer::AppendCodePoint(uint32_t code_point) {
  uint8_t bytes[4];
  const size_t size = EncodeUtf8(code_point, bytes);
  Append({reinterpret_cast<const char*>(bytes), size});
}

Value ToText(Machine& machine, Value value) {
  if (value.is_string()) return value;
  if (value.is_undefined()) {
    if (value.undefined != nullptr && value.undefined->unsafe) FailUndefined(machine, value);
    return ViewString(machine, "");
  }
  return Repr(machine, value);
}

Value Repr(Machine& machine, Value value) {
  Buffer out(machine);
  AppendRepr(machine, out, value);
  return out.Finish();
}

size_t FormatFloat(double number, char* out) {
  const auto put = [out](const char* text) {
    std::memcpy(out, text, std::strlen(text));
    return std::strlen(text);
  };
  if (std::isnan(number)) return put("nan");
  if (std::isinf(number)) return put(number < 0 ? "-inf" : "inf");
  char scientific[32];
  const auto [end, error] = std::to_chars(scientific, scientific + sizeof scientific, number,
                                          std::chars_format::scientific);
  const char* e =
      std::find(static_cast<const char*>(scientific), static_cast<const char*>(end), 'e');
  int exponent = 0;
  std::from_chars(e + (e[1] == '+' ? 2 : 1), end, exponent);
  // Python turns to exponents where repr's 17 digits end.
  if (exponent < -4 || exponent >= 16) {
    std::memcpy(out, scientific, static_cast<size_t>(end - scientific));
    return static_cast<size_t>(end - scientific);
  }
  char* last = std::to_chars(out, out + 30, number, std::chars_format::fixed).ptr;
  if (std::find(out, last, '.') == last) {
    *last++ = '.';
    *last++ = '0';
  }
  return static_cast<size_t>(last - out);
}

Value ToJson(Machine& machine, Value value, const JsonStyle& style) {
  return JsonWriter(machine, style).Run(value);
}

}  // namespace rondo::jinja
