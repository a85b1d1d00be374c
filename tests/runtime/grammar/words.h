// A vocabulary of all bytes, some words, and special tokens, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/grammar/grammar.h"

namespace rondo::grammar {

struct Words {
  std::vector<std::string> tokens;
  uint32_t first_special = 0;  // all from it on are

  Words() {
    for (unsigned byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    for (const char* const text : {"{\"", "\":", "\",", "\"}", "ab", "abc", "12", "true", "]}"}) {
      tokens.emplace_back(text);
    }
    first_special = static_cast<uint32_t>(tokens.size());
    for (const char* const text : {"<think>", "<think>!", "[CALL]", "<end>"}) {
      tokens.emplace_back(text);
    }
  }
  uint32_t end() const { return static_cast<uint32_t>(tokens.size()) - 1; }
  // The token that is written so.
  uint32_t IdOf(std::string_view text) const {
    return static_cast<uint32_t>(std::find(tokens.begin(), tokens.end(), text) - tokens.begin());
  }
  Result<TokenTrie> Trie() const {
    const auto bytes = [](const void* context, uint32_t token) -> std::span<const uint8_t> {
      const auto& text = static_cast<const Words*>(context)->tokens[token];
      return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
    };
    Vocabulary vocabulary = {static_cast<uint32_t>(tokens.size()), bytes, this};
    vocabulary.is_special = [](const void* context, uint32_t token) {
      return token >= static_cast<const Words*>(context)->first_special;
    };
    vocabulary.find = [](const void* context, std::string_view text) {
      const auto& words = *static_cast<const Words*>(context);
      const uint32_t token = words.IdOf(text);
      return token < words.tokens.size() ? token : Vocabulary::kNoToken;
    };
    return TokenTrie::Create(vocabulary);
  }
};

}  // namespace rondo::grammar
