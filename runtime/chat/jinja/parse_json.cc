// ParseJson: RFC 8259, into values.
#include <charconv>
#include <cmath>

#include "runtime/base/decimal.h"
#include "runtime/base/json_reader.h"
#include "runtime/chat/jinja/text_form.h"

namespace rondo::jinja {
namespace {

// JsonReader::Say.
constexpr char kProblems[] =
    "expected a value\0"
    "expected a key in quotes\0"
    "expected ':' after a key\0"
    "expected ',' or '}'\0"
    "expected ',' or ']'\0"
    "expected the end\0"
    "expected a digit\0"
    "expected a digit\0"
    "expected a digit\0"
    "it ends early, inside of a string\0"
    "no such escape\0"
    "expected four hexadecimal digits\0"
    "a control character in a string, expected \\u and its number\0"
    "not UTF-8\0"
    "nested too deeply\0";

class ValueReader {
 public:
  ValueReader(Machine& machine, std::string_view json, const char* what, bool outside)
      : machine_(machine),
        json_(json),
        what_(what),
        outside_(outside),
        reader_(json, JsonNesting::kMost) {}

  Value Run() {
    if (!machine_.SpendBytes(json_.size() * 8)) return Value();
    const Value value = Read(reader_.Next());
    if (!machine_.failed() && reader_.Next() != JsonEvent::kEnd) Fail();
    return machine_.failed() ? Value() : value;
  }

 private:
  Value Fail(size_t at, const char* problem) {
    machine_.Fail("%s is not JSON: byte %zu: %s", what_, at, problem);
    return Value();
  }
  // Of an event that is none.
  Value Fail() {
    if (reader_.problem() == JsonProblem::kValue && reader_.at() == json_.size()) {
      return Fail(reader_.at(), "it ends early, expected a value");
    }
    return Fail(reader_.at(), reader_.Say(kProblems));
  }

  Value Read(JsonEvent event) {
    const Deeper deeper(machine_);
    if (!deeper.ok() || !machine_.Spend(1)) return Value();
    Value value = ReadValue(event);
    value.outside = outside_;
    return value;
  }

  Value ReadValue(JsonEvent event) {
    switch (event) {
      case JsonEvent::kNull:
        return Value::None();
      case JsonEvent::kFalse:
      case JsonEvent::kTrue:
        return Value::Bool(event == JsonEvent::kTrue);
      case JsonEvent::kNumber:
        return ReadNumber();
      case JsonEvent::kString:
        return ReadString();
      case JsonEvent::kArray:
        return ReadArray();
      case JsonEvent::kObject:
        return ReadObject();
      default:
        return Fail();
    }
  }

  Value ReadObject() {
    Dict* dict = NewDict(machine_);
    while (!machine_.failed()) {
      const JsonEvent event = reader_.Next();
      if (event == JsonEvent::kClose) break;
      if (event == JsonEvent::kError) return Fail();
      const Value key = ReadString();
      Put(machine_, dict, key, Read(reader_.Next()));
    }
    return Value::Mapping(Kind::kDict, dict);
  }

  Value ReadArray() {
    Sequence* items = NewSequence(machine_);
    while (!machine_.failed()) {
      const JsonEvent event = reader_.Next();
      if (event == JsonEvent::kClose) break;
      Append(machine_, items, Read(event));
    }
    return Value::Items(Kind::kList, items);
  }

  Value ReadNumber() {
    const std::string_view token = reader_.token();
    const char* first = token.data();
    const char* last = first + token.size();
    int64_t integer = 0;
    if (const auto [end, error] = std::from_chars(first, last, integer); end == last) {
      if (error == std::errc()) return Value::Int(integer);
      return Fail(reader_.at(), "an integer beyond 64 bits");
    }
    double value = 0;
    if (ReadDecimal(first, last, value).ec != std::errc() || !std::isfinite(value)) {
      return Fail(reader_.at(), "a number beyond the range of double");
    }
    return Value::Float(value);
  }

  // A string without escapes is not copied: the JSON text outlives the machine's use of it.
  Value ReadString() {
    std::string_view text = reader_.token();
    if (reader_.escaped()) {
      char* const copy = static_cast<char*>(machine_.Allocate(text.size()));
      if (copy == nullptr) return Value();
      size_t half;
      const size_t size = UndoJsonEscapes(text, copy, &half);
      if (half != text.npos) {
        return Fail(static_cast<size_t>(text.data() - json_.data()) + half,
                    "half of a surrogate pair");
      }
      text = {copy, size};
    }
    machine_.Spend(1);
    return ViewString(machine_, {text, MarkOf(outside_)});
  }

  Machine& machine_;
  const std::string_view json_;
  const char* const what_;
  const bool outside_;
  JsonReader reader_;
};

}  // namespace

Value ParseJson(Machine& machine, std::string_view json, const char* what, bool outside) {
  return ValueReader(machine, json, what, outside).Run();
}

}  // namespace rondo::jinja
