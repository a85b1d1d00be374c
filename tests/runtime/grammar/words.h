// A vocabulary of all bytes and some words, and an end token, for tests.
#pragma once

#include <string>
#include <vector>

#include "runtime/grammar/grammar.h"

namespace rondo::grammar {

struct Words {
  std::vector<std::string> tokens;

  Words() {
    for (unsigned byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    for (const char* const text : {"{\"", "\":", "\",", "\"}", "ab", "abc", "12", "true", "]}"}) {
      tokens.emplace_back(text);
    }
    tokens.emplace_back();  // the end token has no text
  }
  uint32_t end() const { return static_cast<uint32_t>(tokens.size()) - 1; }
  Result<TokenTrie> Trie() const {
    const auto bytes = [](const void* context, uint32_t token) -> std::span<const uint8_t> {
      const auto& text = static_cast<const Words*>(context)->tokens[token];
      return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
    };
    return TokenTrie::Create({static_cast<uint32_t>(tokens.size()), bytes, this});
  }
};

}  // namespace rondo::grammar
