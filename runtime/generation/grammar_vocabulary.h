// What a tokenizer's tokens are to grammars.
#pragma once

#include "runtime/grammar/token_trie.h"
#include "runtime/text/tokenizer.h"

namespace rondo {

// Of the model's `size` tokens. Views the tokenizer.
inline grammar::Vocabulary GrammarVocabulary(const Tokenizer& tokenizer, uint32_t size) {
  return {size,
          [](const void* context, uint32_t token) {
            return static_cast<const Tokenizer*>(context)->TokenBytes(static_cast<int32_t>(token));
          },
          &tokenizer,
          [](const void* context, uint32_t token) {
            return static_cast<const Tokenizer*>(context)->IsSpecial(static_cast<int32_t>(token));
          },
          [](const void* context, std::string_view text) {
            const int32_t id = static_cast<const Tokenizer*>(context)->AddedTokenId(text);
            return id < 0 ? grammar::Vocabulary::kNoToken : static_cast<uint32_t>(id);
          }};
}

}  // namespace rondo
