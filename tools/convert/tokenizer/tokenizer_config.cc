#include "tools/convert/tokenizer/tokenizer_config.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "runtime/text/tokenizer_tables.h"
#include "tools/convert/sources/input_file.h"
#include "tools/convert/sources/json_text.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kMaxConfigBytes = 64u << 20;
// The members of tokenizer_config.json that each name one token.
constexpr const char* kNamedTokens[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                        "pad_token", "cls_token", "mask_token"};

nlohmann::json ReadObject(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return nullptr;
  return ParseJsonObject(ReadWholeFile(path, kMaxConfigBytes), path.string());
}

// The id that `place` in added_tokens_decoder lies below.
uint32_t IdOf(const std::string& key, const JsonValue& place) {
  uint32_t id = 0;
  const auto parsed = std::from_chars(key.data(), key.data() + key.size(), id);
  if (parsed.ec != std::errc() || parsed.ptr != key.data() + key.size() || id >= kMaxVocabSize) {
    place.Fail("is not below the name of an id");
  }
  return id;
}

}  // namespace

AddedToken ParseAddedToken(const JsonValue& value, bool special) {
  AddedToken token;
  token.special = special;
  if (value.json().is_string()) {
    token.text = value.String();
    return token;
  }
  token.text = value.At("content").String();
  token.special = value.Find("special").BoolOr(special);
  token.normalized = value.Find("normalized").BoolOr(!token.special);
  token.strip_left = value.Find("lstrip").BoolOr(false);
  token.strip_right = value.Find("rstrip").BoolOr(false);
  token.single_word = value.Find("single_word").BoolOr(false);
  return token;
}

TokenizerConfig::TokenizerConfig(const std::filesystem::path& directory)
    : config_path_((directory / "tokenizer_config.json").string()),
      added_path_((directory / "added_tokens.json").string()),
      model_path_((directory / "config.json").string()),
      config_(ReadObject(config_path_)),
      added_(ReadObject(added_path_)),
      model_(ReadObject(model_path_)),
      merged_(config_.is_null() ? nlohmann::json::object() : config_) {
  if (merged_.contains("added_tokens_decoder")) return;
  const nlohmann::json map = ReadObject(directory / "special_tokens_map.json");
  if (!map.is_null()) merged_.update(map);
}

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
  return value.IsNull() ? "" : ParseAddedToken(value, true).text;
}

std::vector<AddedToken> TokenizerConfig::ListedTokens() const {
  std::map<uint32_t, AddedToken> tokens;
  const JsonValue decoder = JsonValue(merged_, config_path_, "").Find("added_tokens_decoder");
  if (!decoder.IsNull()) {
    if (!decoder.json().is_object()) decoder.Fail("is not an object");
    for (const auto& [key, value] : decoder.json().items()) {
      const JsonValue place(value, config_path_, "added_tokens_decoder." + key);
      tokens.emplace(IdOf(key, place), ParseAddedToken(place, false));
    }
  } else if (!added_.is_null()) {
    for (const auto& [text, id] : added_.items()) {
      AddedToken token;
      token.text = text;
      token.special = Names(text);
      token.normalized = !token.special;
      tokens.emplace(JsonValue(id, added_path_, "['" + text + "']").Uint(kMaxVocabSize), token);
    }
  }
  std::vector<AddedToken> list;
  for (auto& [id, token] : tokens) {
    if (!token.text.empty()) list.push_back(std::move(token));
  }
  return list;
}

bool TokenizerConfig::Names(const std::string& text) const {
  const std::vector<std::string> keys = NamedKeys();
  const std::vector<AddedToken> extra = ExtraTokens();
  return std::any_of(keys.begin(), keys.end(),
                     [&](const std::string& key) {
                       const auto token = NamedToken(key);
                       return token.has_value() && token->text == text;
                     }) ||
         std::any_of(extra.begin(), extra.end(),
                     [&](const AddedToken& token) { return token.text == text; });
}

std::vector<std::string> TokenizerConfig::NamedKeys() const {
  std::vector<std::string> keys(std::begin(kNamedTokens), std::end(kNamedTokens));
  for (const auto& [key, value] : merged_.items()) {
    if (!key.ends_with("_token") || !value.is_string()) continue;
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

std::optional<AddedToken> TokenizerConfig::NamedToken(const std::string& key) const {
  const JsonValue value = JsonValue(merged_, config_path_, "").Find(key);
  if (!value.json().is_string() && !value.json().is_object()) return std::nullopt;
  AddedToken token = ParseAddedToken(value, true);
  token.special = true;
  if (token.text.empty()) return std::nullopt;
  return token;
}

std::vector<AddedToken> TokenizerConfig::ExtraTokens() const {
  const JsonValue root(merged_, config_path_, "");
  JsonValue extra = root.Find("extra_special_tokens");
  if (extra.IsNull()) extra = root.Find("additional_special_tokens");
  std::vector<AddedToken> tokens;
  for (const auto& [key, value] : extra.json().items()) {
    if (!value.is_string() && !value.is_object()) continue;
    AddedToken token = ParseAddedToken({value, config_path_, "extra_special_tokens." + key}, true);
    token.special = true;
    if (!token.text.empty()) tokens.push_back(std::move(token));
  }
  return tokens;
}

std::string TokenizerConfig::model_type() const {
  const auto found = model_.is_object() ? model_.find("model_type") : model_.end();
  return model_.is_object() && found != model_.end() && found->is_string()
             ? found->get<std::string>()
             : "";
}

std::optional<uint32_t> TokenizerConfig::vocab_size() const {
  for (const char* place : {"/vocab_size", "/text_config/vocab_size"}) {
    const nlohmann::json::json_pointer pointer(place);
    if (!model_.is_object() || !model_.contains(pointer)) continue;
    const nlohmann::json& value = model_.at(pointer);
    if (value.is_number_unsigned() && value <= kMaxVocabSize) return value.get<uint32_t>();
  }
  return std::nullopt;
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
        add(ParseAddedToken(place, false), IdOf(key, place));
      }
    }
    for (const char* key : kNamedTokens) {
      const JsonValue value = root().Find(key);
      if (value.IsNull()) continue;
      AddedToken token = ParseAddedToken(value, true);
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
