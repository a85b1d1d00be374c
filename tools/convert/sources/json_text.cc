#include "tools/convert/sources/json_text.h"

#include <algorithm>
#include <string_view>

#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr std::string_view kSpace = " \t\r\n";

// Outside of strings, null in place of what Python writes for numbers that JSON does not have.
std::string WithoutInfinities(const std::string& text) {
  std::string json;
  bool quoted = false;
  for (size_t i = 0; i < text.size();) {
    size_t length = 0;
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      if (!quoted && text.compare(i, word.size(), word) == 0) length = word.size();
    }
    if (length > 0) {
      json += "null";
      i += length;
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\' && i + 1 < text.size()) json += text[i++];  // and what follows
    json += text[i++];
  }
  return json;
}

// What the parser says, without its own name and numbers.
std::string Reason(const json::exception& error) {
  const std::string_view what = error.what();
  const size_t at = what.find(" - ");
  if (at != std::string_view::npos) return std::string(what.substr(at + 3));
  const size_t number = what.find("] ");
  return std::string(number == std::string_view::npos ? what : what.substr(number + 2));
}

[[noreturn]] void Refuse(const std::string& text, const std::string& file,
                         const json::parse_error& error) {
  if (text.find_first_not_of(kSpace) == std::string::npos) {
    Fail(file, text.empty() ? " is empty" : " holds nothing but spaces", ", expected JSON");
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    Fail(file, " is written in UTF-16, expected JSON in UTF-8");
  }
  if (text.find_first_not_of(kSpace) == text.find('<')) {
    Fail(file, " is a web page, not JSON: the download was answered by one");
  }
  // The parser's place is the byte that it could not use, counted from 1.
  const size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
  const std::string before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_begin = before.rfind('\n') == std::string::npos ? 0 : before.rfind('\n') + 1;
  const auto column = 1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_begin),
                                        before.end(), [](char c) { return (c & 0xc0) != 0x80; });
  const std::string place =
      "line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
  const size_t last = before.find_last_not_of(kSpace);
  const bool closes = at < text.size() && (text[at] == '}' || text[at] == ']');
  if (closes && last != std::string::npos && before[last] == ',') {
    Fail(file, ": ", place, "not JSON: a comma before ", text[at]);
  }
  if (at >= text.size()) {
    Fail(file, ": ", place, "not JSON: the file ends here, in the middle of it");
  }
  Fail(file, ": ", place, "not JSON: ", Reason(error));
}

template <typename Json>
Json Parse(const std::string& text, const std::string& file) {
  // The parser takes this for the end.
  if (const size_t zero = text.find('\0'); zero != std::string::npos) {
    Fail(file, ": byte ", zero, " is 0, expected JSON");
  }
  try {
    return Json::parse(text);
  } catch (const json::parse_error& error) {
    const std::string finite = WithoutInfinities(text);
    if (finite == text) Refuse(text, file, error);
    return Parse<Json>(finite, file);
  } catch (const json::exception& error) {  // a number that no float holds
    Fail(file, ": ", Reason(error));
  }
}

}  // namespace

json ParseJson(const std::string& text, const std::string& file) { return Parse<json>(text, file); }

nlohmann::ordered_json ParseOrderedJson(const std::string& text, const std::string& file) {
  return Parse<nlohmann::ordered_json>(text, file);
}

json ParseJsonObject(const std::string& text, const std::string& file) {
  json object = ParseJson(text, file);
  if (!object.is_object()) Fail(file, " is not a JSON object, but of type ", object.type_name());
  return object;
}

}  // namespace rondo::convert
