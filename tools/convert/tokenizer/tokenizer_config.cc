#include "tools/convert/tokenizer/tokenizer_config.h"

#include <charconv>
#include <utility>

#include "runtime/text/tokenizer_tables.h"
#include "tools/convert/sources/input_file.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kMaxConfigBytes = 64u << 20;
// The members of tokenizer_config.json that each name one token.
constexpr const char* kNamedTokens[] = {"bos_token", "eos_token", "unk_token",
                                        "pad_token", "sep_token", "cls_token"};

nlohmann::json ReadObject(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return nullptr;
  nlohmann::json document = nlohmann::json::parse(ReadWholeFile(path, kMaxConfigBytes), nullptr,
                                                  /*allow_exceptions=*/false);
  if (!document.is_object()) throw Error(path.string() + ": is not a JSON object");
  return document;
}

// `value`: a text, or an object with the text and flags.
AddedToken ParseToken(const JsonValue& value, bool special) {
  AddedToken token;
  token.special = special;
  if (value.json().is_string()) {
    token.text = value.String();
    return token;
  }
  token.text = value.At("content").String();
  token.special = value.Find("special").BoolOr(special);
  token.normalized = value.Find("normalized").BoolOr(false);
  token.strip_left = value.Find("lstrip").BoolOr(false);
  token.strip_right = value.Find("rstrip").BoolOr(false);
  token.single_word = value.Find("single_word").BoolOr(false);
  return token;
}

}  // namespace

TokenizerConfig::TokenizerConfig(const std::filesystem::path& directory)
    : config_path_((directory / "tokenizer_config.json").string()),
      added_path_((directory / "added_tokens.json").string()),
      config_(ReadObject(config_path_)),
      added_(ReadObject(added_path_)) {}

std::string TokenizerConfig::tokenizer_class() const {
  std::string name = Text("tokenizer_class").value_or("");
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  return name;
}

std::optional<bool> TokenizerConfig::Flag(const char* key) const {
  if (!exists()) return std::nullopt;
  const JsonValue value = root().Find(key);
  if (value.IsNull()) return std::nullopt;
  return value.Bool();
}

std::optional<std::string> TokenizerConfig::Text(const char* key) const {
  if (!exists()) return std::nullopt;
  const JsonValue value = root().Find(key);
  if (value.IsNull()) return std::nullopt;
  return value.String();
}

std::string TokenizerConfig::TokenText(const char* key) const {
  if (!exists()) return "";
  const JsonValue value = root().Find(key);
  return value.IsNull() ? "" : ParseToken(value, true).text;
}

std::vector<AddedToken> TokenizerConfig::AddedTokens(const Find& find) const {
  std::map<uint32_t, AddedToken> tokens;
  // The first to name a token has the say.
  const auto add = [&](AddedToken token, uint32_t id) {
    token.id = id;
    if (!token.text.empty()) tokens.emplace(id, std::move(token));
  };
  if (exists()) {
    const JsonValue decoder = root().Find("added_tokens_decoder");
    if (!decoder.IsNull() && !decoder.json().is_object()) decoder.Fail("is not an object");
    if (!decoder.IsNull()) {
      for (const auto& [key, value] : decoder.json().items()) {
        const JsonValue place(value, config_path_, "added_tokens_decoder." + key);
        uint32_t id = 0;
        const auto parsed = std::from_chars(key.data(), key.data() + key.size(), id);
        if (parsed.ec != std::errc() || parsed.ptr != key.data() + key.size() ||
            id >= kMaxVocabSize) {
          place.Fail("is not below the name of an id");
        }
        add(ParseToken(place, false), id);
      }
    }
    for (const char* key : kNamedTokens) {
      const JsonValue value = root().Find(key);
      if (value.IsNull()) continue;
      AddedToken token = ParseToken(value, true);
      if (const auto id = find(token.text); id.has_value()) add(std::move(token), *id);
    }
  }
  if (!added_.is_null()) {
    for (const auto& [text, id] : added_.items()) {
      AddedToken token;
      token.text = text;
      token.special = false;
      add(std::move(token), JsonValue(id, added_path_, "['" + text + "']").Uint(kMaxVocabSize));
    }
  }
  std::vector<AddedToken> list;
  for (auto& [id, token] : tokens) list.push_back(std::move(token));
  return list;
}

}  // namespace rondo::convert
