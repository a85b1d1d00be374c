#include "tools/convert/tokenizer/gguf_chat.h"

namespace rondo::convert {
namespace {

constexpr const char* kTemplate = "tokenizer.chat_template";
constexpr const char* kTokensKey = "tokenizer.ggml.tokens";

}  // namespace

ChatSource ReadGgufChat(const Config& keys, const nlohmann::json& metadata,
                        std::vector<std::string>& notes) {
  ChatSource chat;
  if (keys.Has(kTemplate)) chat.templates.emplace_back("default", keys.Text(kTemplate, ""));
  for (const std::string& name : keys.Texts("tokenizer.chat_templates")) {
    const std::string key = std::string(kTemplate) + "." + name;
    if (!keys.Has(key.c_str())) keys.Refuse(key.c_str(), "is missing");
    chat.templates.emplace_back(name, keys.Text(key.c_str(), ""));
  }
  const auto tokens = metadata.find(kTokensKey);
  if (tokens == metadata.end() || !tokens->is_array() || tokens->empty()) return chat;
  // Names of config and template on one side, of GGUF on the other.
  const std::pair<const char*, const char*> kNames[] = {
      {"bos_token", "tokenizer.ggml.bos_token_id"},
      {"eos_token", "tokenizer.ggml.eos_token_id"},
      {"unk_token", "tokenizer.ggml.unknown_token_id"},
      {"sep_token", "tokenizer.ggml.seperator_token_id"},
      {"pad_token", "tokenizer.ggml.padding_token_id"}};
  for (const auto& [name, key] : kNames) {
    const std::vector<uint32_t> id = keys.Tokens(key, tokens->size(), notes);
    if (id.empty()) continue;
    const nlohmann::json& text = (*tokens)[id.front()];
    if (text.is_string()) chat.tokens.emplace_back(name, text.get<std::string>());
  }
  return chat;
}

}  // namespace rondo::convert
