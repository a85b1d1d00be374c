#include "tools/serve/fields.h"

#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "tools/common/nearest.h"

namespace rondo::tools::serve {
namespace {

constexpr int kMostLevels = 128;
constexpr size_t kMostShown = 60;  // bytes of a value in a sentence

// What other servers' clients call a field, and what it is called here.
const std::map<std::string, std::string, std::less<>> kStrangers = {
    {"repeat_penalty", "repetition_penalty"},
    {"n_predict", "max_tokens"},
    {"num_predict", "max_tokens"},
    {"guided_json", "response_format"},
    {"guided_regex", "regex"},
    {"guided_grammar", "grammar"},
    {"format", "response_format"},
    {"functions", "tools"},
    {"function_call", "tool_choice"}};

std::string Shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "an array" : "an object";
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "...";
  return text;
}

std::string Range(double low, double high) {
  const auto shown = [](double value) { return Json(value).dump(); };
  return "a number from " + shown(low) + " to " + shown(high);
}

}  // namespace

Json ParseBody(const std::string& body) {
  bool deep = false;
  const auto look = [&deep](int depth, Json::parse_event_t, const Json&) {
    deep = deep || depth > kMostLevels;
    return !deep;
  };
  Json value;
  try {
    value = Json::parse(body, look);
  } catch (const Json::exception& error) {
    std::string why = error.what();  // "[json.exception.parse_error.101] parse error at ..."
    if (const size_t at = why.find("] "); at != why.npos) why = why.substr(at + 2);
    throw ApiError(400, "the body is not JSON: " + why, "", "invalid_json");
  }
  if (deep) {
    throw ApiError(400, "the body is nested deeper than " + std::to_string(kMostLevels) + " levels",
                   "", "invalid_json");
  }
  if (!value.is_object()) RefuseValue("", value, "an object");
  return value;
}

std::string PointerTo(const std::string& pointer, const std::string& key) {
  std::string to = pointer + "/";
  for (const char c : key) {
    to += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return to;
}

std::string PointerTo(const std::string& pointer, size_t index) {
  return pointer + "/" + std::to_string(index);
}

void RefuseValue(const std::string& pointer, const Json& value, const std::string& expected) {
  throw ApiError(
      400,
      (pointer.empty() ? "the body" : pointer) + " is " + Shown(value) + ", expected " + expected,
      pointer, "invalid_value");
}

Fields::Fields(const Json& object, std::string pointer)
    : object_(object), pointer_(std::move(pointer)) {
  if (!object.is_object()) RefuseValue(pointer_, object, "an object");
}

void Fields::Refuse(const char* name, const std::string& expected) const {
  const auto found = object_.find(name);
  if (found == object_.end()) {
    throw ApiError(400, PointerOf(name) + " is missing, expected " + expected, PointerOf(name),
                   "missing_required_parameter");
  }
  RefuseValue(PointerOf(name), *found, expected);
}

const Json* Fields::Find(const char* name) {
  asked_.insert(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool Fields::Has(const char* name) { return Find(name) != nullptr; }

const Json* Fields::Typed(const char* name, bool (Json::*is)() const noexcept,
                          const char* expected) {
  const Json* const value = Find(name);
  if (value != nullptr && !(value->*is)()) Refuse(name, expected);
  return value;
}

std::optional<double> Fields::Number(const char* name, double low, double high) {
  const Json* const value = Find(name);
  if (value == nullptr) return std::nullopt;
  const double number = value->is_number() ? value->get<double>() : std::nan("");
  if (!(number >= low && number <= high)) Refuse(name, Range(low, high));
  return number;
}

std::optional<int64_t> Fields::Integer(const char* name, int64_t low, int64_t high) {
  const Json* const value = Find(name);
  if (value == nullptr) return std::nullopt;
  const auto refuse = [&] {
    Refuse(name, "an integer from " + std::to_string(low) + " to " + std::to_string(high));
  };
  if (!value->is_number_integer()) {  // 16.0 is one, as JavaScript writes no other
    const double number = value->is_number() ? value->get<double>() : std::nan("");
    if (!(number >= -9e15 && number <= 9e15) || number != std::floor(number)) refuse();
    const auto whole = static_cast<int64_t>(number);
    if (whole < low || whole > high) refuse();
    return whole;
  }
  if (value->is_number_unsigned() && value->get<uint64_t>() > uint64_t{INT64_MAX}) refuse();
  const auto number = value->get<int64_t>();
  if (number < low || number > high) refuse();
  return number;
}

std::optional<bool> Fields::Bool(const char* name) {
  const Json* const value = Typed(name, &Json::is_boolean, "true or false");
  return value == nullptr ? std::nullopt : std::optional(value->get<bool>());
}

std::optional<std::string> Fields::Text(const char* name) {
  const Json* const value = Typed(name, &Json::is_string, "a text");
  return value == nullptr ? std::nullopt : std::optional(value->get<std::string>());
}

const Json* Fields::Object(const char* name) { return Typed(name, &Json::is_object, "an object"); }

const Json* Fields::Array(const char* name) { return Typed(name, &Json::is_array, "an array"); }

std::string Fields::RequiredText(const char* name) {
  std::optional<std::string> text = Text(name);
  if (!text) Refuse(name, "a text");
  return *std::move(text);
}

const Json& Fields::RequiredArray(const char* name) {
  const Json* const array = Array(name);
  if (array == nullptr) Refuse(name, "an array");
  return *array;
}

void Fields::Ignore(std::initializer_list<const char*> names) {
  asked_.insert(names.begin(), names.end());
}

void Fields::RefuseOthers() const {
  for (const auto& [key, value] : object_.items()) {
    if (asked_.contains(key) || value.is_null()) continue;
    const auto stranger = kStrangers.find(key);
    const std::string nearest = stranger != kStrangers.end() && asked_.contains(stranger->second)
                                    ? stranger->second
                                    : Nearest(key, {asked_.begin(), asked_.end()});
    const std::string pointer = PointerTo(pointer_, key);
    throw ApiError(
        400,
        pointer + " is not known here" + (nearest.empty() ? "" : "; did you mean " + nearest + "?"),
        pointer, "unknown_parameter");
  }
}

}  // namespace rondo::tools::serve
