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

// tokenizer_config.json and added_tokens.json of a folder, either of which may be absent. Throws
// Error naming the file and the key.
class TokenizerConfig {
 public:
  explicit TokenizerConfig(const std::filesystem::path& directory);

  bool exists() const { return !config_.is_null(); }
  // "LlamaTokenizer", without the "Fast" that may end it; empty: not given.
  std::string tokenizer_class() const;
  std::optional<bool> Flag(const char* key) const;
  std::optional<std::string> Text(const char* key) const;

  // The added tokens that the files name; `find` gives the id of a text in the vocabulary.
  using Find = std::function<std::optional<uint32_t>(const std::string&)>;
  std::vector<AddedToken> AddedTokens(const Find& find) const;
  // The text of "bos_token" and the like; empty: not given.
  std::string TokenText(const char* key) const;

 private:
  JsonValue root() const { return {config_, config_path_, ""}; }

  std::string config_path_, added_path_;
  nlohmann::json config_, added_;
};

}  // namespace rondo::convert
