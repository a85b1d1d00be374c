// ParseJson: RFC 8259, into values.
#include <charconv>
#include <cmath>

#include "runtime/base/decimal.h"
#include "runtime/base/hex.h"
#include "runtime/base/utf8.h"
#include "runtime/chat/jinja/text_form.h"

namespace rondo::jinja {
namespace {

class JsonReader {
 public:
  JsonReader(Machine& machine, std::string_view json, const char* what, bool outside)
      : machine_(machine), json_(json), what_(what), outside_(outside) {}

  Value Run() {
    if (!machine_.SpendBytes(json_.size() * 8)) return Value();
    const Value value = Read();
    SkipSpace();
    if (at_ < json_.size()) Fail("expected the end");
    return machine_.failed() ? Value() : value;
  }

 private:
  void Fail(const char* problem) {
    machine_.Fail("%s is not JSON: byte %zu: %s", what_, at_, problem);
  }

  void SkipSpace() {
    while (at_ < json_.size() &&
           (json_[at_] == ' ' || json_[at_] == '\n' || json_[at_] == '\r' || json_[at_] == '\t')) {
      ++at_;
    }
  }
  bool Skip(char c) {
    SkipSpace();
    if (at_ >= json_.size() || json_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool SkipWord(std::string_view word) {
    if (json_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Value Read() {
    Value value = ReadValue();
    value.outside = outside_;
    return value;
  }

  Value ReadValue() {
    const Deeper deeper(machine_);
    if (!deeper.ok() || !machine_.Spend(1)) return Value();
    SkipSpace();
    if (at_ >= json_.size()) {
      Fail("it ends early, expected a value");
      return Value();
    }
    switch (json_[at_]) {
      case '{':
        return ReadObject();
      case '[':
        return ReadArray();
      case '"':
        return ReadString();
      case 't':
        if (SkipWord("true")) return Value::Bool(true);
        break;
      case 'f':
        if (SkipWord("false")) return Value::Bool(false);
        break;
      case 'n':
        if (SkipWord("null")) return Value::None();
        break;
      default:
        if (json_[at_] == '-' || IsDigit(at_)) return ReadNumber();
    }
    Fail("expected a value");
    return Value();
  }

  Value ReadObject() {
    ++at_;
    Dict* dict = NewDict(machine_);
    if (Skip('}')) return Value::Mapping(Kind::kDict, dict);
    do {
      SkipSpace();
      if (at_ >= json_.size() || json_[at_] != '"') {
        Fail("expected a key in quotes");
        return Value();
      }
      const Value key = ReadString();
      if (!Skip(':')) Fail("expected ':' after a key");
      if (machine_.failed()) return Value();
      Put(machine_, dict, key, Read());
    } while (!machine_.failed() && Skip(','));
    if (!Skip('}')) Fail("expected ',' or '}'");
    return Value::Mapping(Kind::kDict, dict);
  }

  Value ReadArray() {
    ++at_;
    Sequence* items = NewSequence(machine_);
    if (Skip(']')) return Value::Items(Kind::kList, items);
    do {
      Append(machine_, items, Read());
    } while (!machine_.failed() && Skip(','));
    if (!Skip(']')) Fail("expected ',' or ']'");
    return Value::Items(Kind::kList, items);
  }

  bool IsDigit(size_t i) const { return i < json_.size() && json_[i] >= '0' && json_[i] <= '9'; }
  void SkipDigits() {
    if (!IsDigit(at_)) Fail("expected a digit");
    while (IsDigit(at_)) ++at_;
  }

  Value ReadNumber() {
    const size_t begin = at_;
    if (json_[at_] == '-') ++at_;
    if (at_ < json_.size() && json_[at_] == '0') {
      ++at_;
    } else {
      SkipDigits();
    }
    bool integral = true;
    if (at_ < json_.size() && json_[at_] == '.') {
      integral = false;
      ++at_;
      SkipDigits();
    }
    if (at_ < json_.size() && (json_[at_] == 'e' || json_[at_] == 'E')) {
      integral = false;
      ++at_;
      if (at_ < json_.size() && (json_[at_] == '+' || json_[at_] == '-')) ++at_;
      SkipDigits();
    }
    if (machine_.failed()) return Value();
    const char* first = json_.data() + begin;
    const char* last = json_.data() + at_;
    if (integral) {
      int64_t value = 0;
      if (std::from_chars(first, last, value).ec == std::errc()) return Value::Int(value);
      Fail("an integer beyond 64 bits");
      return Value();
    }
    double value = 0;
    if (ReadDecimal(first, last, value).ec != std::errc() || !std::isfinite(value)) {
      Fail("a number beyond the range of double");
    }
    return Value::Float(value);
  }

  // A string without escapes is not copied: the JSON text outlives the machine's use of it.
  Value ReadString() {
    ++at_;
    machine_.Spend(1);
    const std::string_view plain = ReadPlain();
    if (machine_.failed()) return Value();
    if (json_[at_] == '"') {
      ++at_;
      return ViewString(machine_, {plain, MarkOf(outside_)});
    }
    Buffer out(machine_);
    out.Append(plain);
    while (!machine_.failed() && json_[at_] == '\\') {
      ++at_;
      ReadEscape(out);
      if (!machine_.failed()) out.Append(ReadPlain());
    }
    ++at_;
    return ViewString(machine_, {out.view().bytes, MarkOf(outside_)});
  }

  // Up to the next escape, or the end of the string; fails where there is neither.
  std::string_view ReadPlain() {
    const size_t begin = at_;
    while (at_ < json_.size()) {
      const auto c = static_cast<uint8_t>(json_[at_]);
      if (c == '"' || c == '\\') return json_.substr(begin, at_ - begin);
      if (c < 0x20) {
        Fail("a control character in a string, expected \\u and its number");
        return {};
      }
      const auto* bytes = reinterpret_cast<const uint8_t*>(json_.data());
      const Utf8Step step = DecodeUtf8(bytes + at_, bytes + json_.size());
      if (step.kind != Utf8Kind::kValid) {
        Fail("not UTF-8");
        return {};
      }
      at_ += step.length;
    }
    Fail("it ends early, inside of a string");
    return {};
  }

  uint32_t ReadUnit() {
    uint32_t unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const int digit = HexDigit(at_ < json_.size() ? json_[at_] : ' ');
      if (digit < 0) {
        Fail("expected four hexadecimal digits");
        return 0;
      }
      unit = unit * 16 + static_cast<uint32_t>(digit);
    }
    return unit;
  }

  void ReadEscape(Buffer& out) {
    const char c = at_ < json_.size() ? json_[at_] : ' ';
    static constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (const size_t name = kNames.find(c); name != kNames.npos) {
      ++at_;
      return out.Append(kMeanings[name]);
    }
    if (c != 'u') return Fail("no such escape");
    ++at_;
    uint32_t code_point = ReadUnit();
    if (code_point >= 0xD800 && code_point < 0xDC00) {
      const uint32_t low = SkipWord("\\u") ? ReadUnit() : 0;
      if (low < 0xDC00 || low > 0xDFFF) return Fail("half of a surrogate pair");
      code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
    } else if (code_point >= 0xDC00 && code_point < 0xE000) {
      return Fail("half of a surrogate pair");
    }
    if (!machine_.failed()) out.AppendCodePoint(code_point);
  }

  Machine& machine_;
  const std::string_view json_;
  const char* const what_;
  const bool outside_;
  size_t at_ = 0;
};

}  // namespace

Value ParseJson(Machine& machine, std::string_view json, const char* what, bool outside) {
  return JsonReader(machine, json, what, outside).Run();
}

}  // namespace rondo::jinja
