// TokenizerConfig: what the files beside a tokenizer.model or *.tiktoken say about special tokens.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "tools/convert/tokenizer/json_value.h"
#include "tools/convert/tokenizer/surroundings.h"

namespace rondo::convert {

// `value`: a text, or an object with the text and flags. Throws Error.
AddedToken ParseAddedToken(const JsonValue& value, bool special);

// tokenizer_config.json, special_tokens_map.json, added_tokens.json and config.json of a folder,
// any of which may be absent. Throws Error naming the file and the key.
class TokenizerConfig {
 public:
  explicit TokenizerConfig(const std::filesystem::path& directory);

  bool exists() const { return !config_.is_null(); }
  // Nothing but config.json is there.
  bool empty() const { return merged_.empty() && added_.is_null(); }
  // "LlamaTokenizer", without the "Fast" that may end it; empty: not given.
  std::string tokenizer_class() const;
  std::optional<bool> Flag(const char* key) const;
  std::optional<std::string> Text(const char* key) const;

  // The added tokens that the files name; `find` gives the id of a text in the vocabulary.
  using Find = std::function<std::optional<uint32_t>(const std::string&)>;
  std::vector<AddedToken> AddedTokens(const Find& find) const;
  // The text of "bos_token" and the like; empty: not given.
  std::string TokenText(const char* key) const;

  // What transformers adds to a tokenizer, in its order: what added_tokens_decoder lists, or, where
  // that is absent, added_tokens.json.
  std::vector<AddedToken> ListedTokens() const;
  // The members that name a token: "bos_token" and the like, and the model's own.
  std::vector<std::string> NamedKeys() const;
  std::optional<AddedToken> NamedToken(const std::string& key) const;
  // additional_special_tokens, or extra_special_tokens.
  std::vector<AddedToken> ExtraTokens() const;
  bool Has(const std::string& key) const { return merged_.contains(key); }

  // Of config.json; empty, or none: not given.
  std::string model_type() const;
  std::optional<uint32_t> vocab_size() const;

 private:
  // True for the text of a token that has a name, or of an extra one.
  bool Names(const std::string& text) const;
  JsonValue root() const { return {config_, config_path_, ""}; }

  std::string config_path_, added_path_, model_path_;
  nlohmann::json config_, added_, model_;
  // tokenizer_config.json, over special_tokens_map.json or under it, as transformers has them.
  nlohmann::json merged_;
};

}  // namespace rondo::convert
