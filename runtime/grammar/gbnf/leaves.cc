#include <algorithm>

#include "runtime/base/utf8.h"
#include "runtime/grammar/gbnf/reader.h"
#include "runtime/grammar/json.h"

namespace rondo::grammar {

Result<uint32_t> GbnfReader::Hex(size_t digits) {
  uint32_t value = 0;
  for (size_t i = 0; i < digits; ++i, ++at_) {
    const char c = AtEnd() ? '\0' : text_[at_];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return Wrong("an escape without its hexadecimal digits");
    value = value * 16 + static_cast<uint32_t>(digit);
  }
  if (value > CodePoints::kLast || (value >= 0xd800 && value <= 0xdfff)) {
    return Wrong("an escape that is no character");
  }
  return value;
}

Result<uint32_t> GbnfReader::Character() {
  if (!Has("\\")) {
    const auto* const begin = reinterpret_cast<const uint8_t*>(text_.data());
    const Utf8Step step = DecodeUtf8(begin + at_, begin + text_.size());
    if (step.kind != Utf8Kind::kValid) return Wrong("bytes that are not UTF-8");
    at_ += step.length;
    return step.code_point;
  }
  constexpr std::string_view kFrom = "nrt\\\"[]", kTo = "\n\r\t\\\"[]";
  const std::string_view escape = text_.substr(at_ + 1, 1);
  const size_t simple = escape.empty() ? std::string_view::npos : kFrom.find(escape);
  if (simple != std::string_view::npos) {
    at_ += 2;
    return static_cast<uint32_t>(kTo[simple]);
  }
  if (escape != "x" && escape != "u" && escape != "U") return Wrong("an escape that GBNF has not");
  at_ += 2;
  return Hex(escape == "x" ? 2 : escape == "u" ? 4 : 8);
}

Status GbnfReader::Text(std::string_view* text) {
  const size_t begin = at_++;
  room_.text.Shrink(0);
  while (!Take("\"")) {
    if (AtEnd()) return At(begin, StatusCode::kInvalidArgument, "a text that is not closed");
    RONDO_ASSIGN(const uint32_t character, Character());
    uint8_t bytes[4];
    const size_t n = EncodeUtf8(character, bytes);
    for (size_t i = 0; i < n; ++i) room_.text.Add(static_cast<char>(bytes[i]), budget_);
  }
  *text = {&room_.text[0], room_.text.size()};
  return Status();
}

Status GbnfReader::Class() {
  const size_t begin = at_++;
  CharacterClass set(Take("^"), Spelling::kUtf8, regexes_, budget_);
  while (!Take("]")) {
    if (AtEnd()) return At(begin, StatusCode::kInvalidArgument, "a class that is not closed");
    RONDO_ASSIGN(const uint32_t low, Character());
    uint32_t high = low;
    if (Has("-") && !Has("-]")) {
      ++at_;
      if (AtEnd()) return At(begin, StatusCode::kInvalidArgument, "a class that is not closed");
      RONDO_ASSIGN(high, Character());
      if (high < low) return Wrong("a range that is out of order");
    }
    set.Add({low, high});
  }
  if (set.empty()) return Wrong("a class without characters");
  PutLeaf(set.Take());
  return Status();
}

// By its number, or by its text, which may have the angle brackets itself.
Status GbnfReader::Token() {
  const size_t begin = at_;
  const size_t end = text_.find_first_of(">\n\r", begin);
  if (end == std::string_view::npos || text_[end] != '>') return Wrong("a < without its >");
  const std::string_view whole = text_.substr(begin, end + 1 - begin);
  const auto* const utf8 = reinterpret_cast<const uint8_t*>(whole.data());
  if (Utf8Prefix({utf8, whole.size()}) != whole.size()) return Wrong("bytes that are not UTF-8");
  const std::string_view inner = whole.substr(1, whole.size() - 2);
  const std::string_view digits =
      inner.starts_with('[') && inner.ends_with(']') ? inner.substr(1, inner.size() - 2) : "";
  const bool is_number = !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
  const Vocabulary& vocabulary = trie_.vocabulary();
  uint32_t token = TokenTrie::kNoToken;
  if (is_number) {
    uint64_t number = 0;
    for (const char c : digits) {
      number = std::min<uint64_t>(number * 10 + static_cast<uint64_t>(c - '0'), UINT32_MAX);
    }
    if (number < vocabulary.size) token = static_cast<uint32_t>(number);
  } else if (budget_.Spend(trie_.n_special())) {
    token = vocabulary.Find(whole);
    if (token == TokenTrie::kNoToken) token = vocabulary.Find(inner);
  }
  if (token >= vocabulary.size) {
    return At(begin, StatusCode::kInvalidArgument, "the model has no token %.*s", Shown(whole),
              whole.data());
  }
  const std::span<const uint8_t> bytes = trie_.BytesOf(token);
  if (bytes.empty()) {
    return At(begin, StatusCode::kInvalidArgument, "token %u has no text", token);
  }
  at_ = end + 1;
  PutLeaf(regexes_.Text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, budget_));
  return Status();
}

Status GbnfReader::Directive() {
  const size_t begin = at_++;
  const std::string_view name = Name();
  Spaces(true);
  if (name == "json") return Schema(begin);
  if (name == "without") return Without();
  at_ = begin;
  return Wrong("expected json or without behind %");
}

// What has the text in it is the opposite of what is wanted.
Status GbnfReader::Without() {
  if (!Has("\"")) return Wrong("expected a quoted text behind %without");
  std::string_view text;
  RONDO_RETURN_IF_ERROR(Text(&text));
  if (text.empty()) return Wrong("%without of the empty text, which every text has");
  if (text.size() > kMostWithout) return Wrong("%without of a text of over 256 bytes");
  const Regex has = regexes_.Then(
      Regexes::kAll, regexes_.Then(regexes_.Text(text, budget_), Regexes::kAll, budget_), budget_);
  const Regex both[] = {
      regexes_.Repeat(any_character_, 0, Regexes::kNoLimit, budget_),
      regexes_.Not(has, budget_),
  };
  Put(Kind::kProduction, productions_.Terminal(regexes_.Both(both, budget_), budget_));
  return Status();
}

Status GbnfReader::Schema(size_t begin) {
  const size_t first = at_;
  uint32_t nested = 0;
  bool in_string = false;
  do {
    if (AtEnd()) return At(begin, StatusCode::kInvalidArgument, "%%json of a schema without end");
    const char c = text_[at_];
    if (in_string) {
      in_string = c != '"';
      at_ += c == '\\' && at_ + 1 < text_.size();
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++nested;
    } else if (c == '}' || c == ']') {
      if (nested > 0) --nested;
    } else if (nested == 0) {
      if (Name().empty()) break;
      continue;
    }
    ++at_;
  } while (nested > 0 || in_string);
  const std::string_view text = text_.substr(first, at_ - first);
  if (++n_schemas_ > kMostSchemas) {
    return At(begin, StatusCode::kUnsupported, "over 256 %%json are not supported");
  }
  Room room = room_.schemas;
  Json json(room, text.size());
  SchemaRoom schema_room(room, text.size(), room_.most);
  const Status status = json.Read(text);
  if (!status.ok()) return At(begin, status.code(), "%%json: %s", status.message());
  const Result<Production> made =
      ReadSchema(json, options_, schema_room, regexes_, productions_, budget_);
  if (!made.ok()) return At(begin, made.status().code(), "%%json: %s", made.status().message());
  Put(Kind::kProduction, *made);
  return Status();
}

}  // namespace rondo::grammar
