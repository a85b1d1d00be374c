// WordPieceTables: the WordPiece model of tokenizer.json as the tables that the runtime reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/text/trie.h"
#include "tools/convert/tokenizer/json_value.h"
#include "tools/convert/tokenizer/vocabulary.h"

namespace rondo::convert {

struct WordPieceTables {
  std::vector<TrieNode> pieces;
  std::string continuation;
  uint32_t max_word_characters = 0;
  int32_t unknown_token = -1;

  // `model`: the member of that name. Throws Error.
  static WordPieceTables Parse(const JsonValue& model, const Vocabulary& vocabulary);
};

}  // namespace rondo::convert
