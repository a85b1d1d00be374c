#include "runtime/chat/jinja/text_form.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

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

// The shortest text that reads back as `number`, as Python writes it: "1.0", "1e+16". Returns its
// length; `out` holds 32 bytes.
size_t FormatFloat(double number, char* out) {
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

// Writes a value as Python's repr or, with a style, as json.dumps does.
class ValueWriter {
 public:
  ValueWriter(Machine& machine, const JsonStyle* json) : machine_(machine), out_(machine) {
    if (json != nullptr) style_ = *json;
    is_json_ = json != nullptr;
    if (style_.separator.empty()) style_.separator = style_.pretty ? "," : ", ";
    if (style_.colon.empty()) style_.colon = ": ";
  }

  Value Run(Value value) {
    Write(value);
    return out_.Finish();
  }

 private:
  // What belongs to a value from outside is outside: marks, brackets, what is in them.
  void Put(TextView text) { out_.Append({text.bytes, outside_ ? kAllOutside : text.outside}); }
  void Put(char c) { out_.Append(c, outside_); }
  void PutHex(uint32_t value, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      Put("0123456789abcdef"[value >> shift & 15]);
    }
  }

  void Write(Value value) {
    const bool before = std::exchange(outside_, outside_ || (!value.is_string() && value.outside));
    WriteValue(value);
    outside_ = before;
  }

  void WriteValue(Value value) {
    const Deeper deeper(machine_);
    if (!deeper.ok()) return;
    switch (value.kind) {
      case Kind::kNone:
        return Put(is_json_ ? "null" : "None");
      case Kind::kBool:
        if (is_json_) return Put(value.boolean ? "true" : "false");
        return Put(value.boolean ? "True" : "False");
      case Kind::kInt:
      case Kind::kFloat:
        return WriteNumber(value);
      case Kind::kString:
        return WriteString(value);
      case Kind::kList:
        return WriteItems(*value.sequence, "[", "]");
      case Kind::kTuple:
        if (is_json_) return WriteItems(*value.sequence, "[", "]");
        return WriteItems(*value.sequence, "(", value.sequence->count == 1 ? ",)" : ")");
      case Kind::kDict:
        return WriteDict(*value.dict);
      default:
        if (!is_json_) return WriteOther(value);
        machine_.Fail("TypeError: Object of type %s is not JSON serializable", TypeName(value));
    }
  }

  // What JSON has no form for.
  void WriteOther(Value value) {
    switch (value.kind) {
      case Kind::kUndefined:
        return Put("Undefined");
      case Kind::kView:
        Put(value.sequence->view_type);
        return WriteItems(*value.sequence, "([", "])");
      case Kind::kRange:
        return machine_.Fail("a range has no text; |list makes a list of it");
      case Kind::kNamespace:
        Put("<Namespace ");
        WriteDict(*value.dict);
        return Put('>');
      case Kind::kMacro:
        Put("<Macro '");
        Put(value.macro->definition->name);
        return Put("'>");
      default:  // Python shows an address here, which no template can want
        Put('<');
        Put(TypeName(value));
        Put(" object>");
    }
  }

  void WriteNumber(Value value) {
    char digits[32];
    if (value.is(Kind::kInt)) {
      const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value.integer);
      Put({digits, static_cast<size_t>(end - digits)});
    } else if (std::isnan(value.number)) {
      Put(is_json_ ? "NaN" : "nan");
    } else if (std::isinf(value.number)) {
      if (value.number < 0) Put('-');
      Put(is_json_ ? "Infinity" : "inf");
    } else {
      Put({digits, FormatFloat(value.number, digits)});
    }
  }

  void WriteString(Value value) {
    const std::string_view text = value.str();
    const TextView view = value.view();
    if (!machine_.SpendCharacters(text.size())) return;
    const bool single = !is_json_ && (text.find('\'') == text.npos || text.find('"') != text.npos);
    const bool marked = !is_json_ && value.safe;
    const char quote = single ? '\'' : '"';
    if (marked) Put("Markup(");
    out_.Append(quote, outside_ || value.has_outside());
    const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
    size_t plain = 0;  // what begins here is written as it is
    for (size_t i = 0; i < text.size() && !machine_.failed();) {
      const Utf8Step step = DecodeUtf8(bytes + i, bytes + text.size());
      const uint32_t c = step.code_point;
      i += step.length;
      if (!Escapes(c, quote)) continue;
      Put(view.substr(plain, i - step.length - plain));
      const bool before = std::exchange(outside_, outside_ || view.IsOutside(i - step.length));
      WriteEscaped(c);
      outside_ = before;
      plain = i;
    }
    Put(view.substr(plain));
    out_.Append(quote, outside_ || value.has_outside());
    if (marked) Put(')');
  }

  bool Escapes(uint32_t c, char quote) const {
    if (c == static_cast<uint32_t>(quote) || c == '\\' || c < 0x20) return true;
    return is_json_ ? style_.ascii && c >= 0x7F : !IsPrintable(c);
  }

  void WriteEscaped(uint32_t c) {
    static constexpr std::string_view kNamed = "\n\r\t\\\"'\b\f", kNames = "nrt\\\"'bf";
    const size_t named = c < 0x80 ? kNamed.find(static_cast<char>(c)) : kNamed.npos;
    if (named < (is_json_ ? kNamed.size() : kNamed.find('\b'))) {
      Put('\\');
      Put(kNames[named]);
    } else if (!is_json_) {
      Put(c < 0x100 ? "\\x" : c < 0x10000 ? "\\u" : "\\U");
      PutHex(c, c < 0x100 ? 2 : c < 0x10000 ? 4 : 8);
    } else if (c < 0x10000) {
      WriteUnit(c);
    } else {
      WriteUnit(0xD800 + ((c - 0x10000) >> 10));
      WriteUnit(0xDC00 + ((c - 0x10000) & 0x3FF));
    }
  }

  void WriteUnit(uint32_t unit) {
    Put("\\u");
    PutHex(unit, 4);
  }

  void NewLine() {
    if (!style_.pretty || !machine_.Spend(level_ / 2 + 1)) return;
    Put('\n');
    for (size_t i = 0; i < level_ && !machine_.failed(); ++i) Put(style_.indent);
  }

  // `count` items, each written by `write`.
  template <typename WriteItem>
  void WriteList(size_t count, const char* open, const char* close, WriteItem write) {
    Put(open);
    ++level_;
    for (size_t i = 0; i < count && machine_.Spend(1); ++i) {
      if (i > 0) Put(style_.separator);
      NewLine();
      write(i);
    }
    --level_;
    if (count > 0) NewLine();
    Put(close);
  }

  void WriteItems(const Sequence& sequence, const char* open, const char* close) {
    WriteList(sequence.count, open, close, [&](size_t i) { Write(sequence.items[i]); });
  }

  void WriteDict(const Dict& dict) {
    WriteList(dict.count, "{", "}", [&](size_t i) {
      WriteKey(dict.entries[i].key);
      Put(style_.colon);
      Write(dict.entries[i].value);
    });
  }

  // JSON has only texts for keys.
  void WriteKey(Value key) {
    if (!is_json_ || key.is_string()) return Write(key);
    if (!key.is_none() && !key.is_number()) {
      return machine_.Fail("TypeError: keys must be str, int, float, bool or None, not %s",
                           TypeName(key));
    }
    Put('"');
    Write(key);
    Put('"');
  }

  Machine& machine_;
  JsonStyle style_;
  bool is_json_ = false;
  bool outside_ = false;  // what is written belongs to a value from outside
  Buffer out_;
  size_t level_ = 0;
};

}  // namespace

Value ToText(Machine& machine, Value value) {
  if (value.is_string()) return value;
  if (value.is_undefined()) {
    if (value.undefined != nullptr && value.undefined->unsafe) FailUndefined(machine, value);
    return ViewString(machine, "");
  }
  return Repr(machine, value);
}

Value Repr(Machine& machine, Value value) { return ValueWriter(machine, nullptr).Run(value); }

Value ToJson(Machine& machine, Value value, const JsonStyle& style) {
  return ValueWriter(machine, &style).Run(value);
}

}  // namespace rondo::jinja
