// SentencePiece's compiled normalisation rules, put into the runtime's form.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/text/trie.h"
#include "tools/convert/tokenizer/json_value.h"

namespace rondo::convert {

struct Charsmap {
  std::vector<TrieNode> trie;  // from a text to where its replacement begins in `texts`
  std::vector<uint8_t> texts;  // zero-terminated UTF-8, one after another

  // `bytes`: the length of a double array (uint32), the array, and the replacements. Every place
  // in it is checked. Throws Error at `where`.
  static Charsmap Parse(std::string_view bytes, const JsonValue& where);
};

}  // namespace rondo::convert
