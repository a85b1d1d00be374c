// UnigramTables: the Unigram model of tokenizer.json as the tables that the runtime reads.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/text/trie.h"
#include "tools/convert/tokenizer/json_value.h"
#include "tools/convert/tokenizer/vocabulary.h"

namespace rondo::convert {

struct UnigramTables {
  std::vector<TrieNode> pieces;
  std::vector<double> scores;  // by id; 0 where an id has none
  double unknown_score = 0;
  uint32_t max_piece_bytes = 0;
  std::vector<int32_t> byte_tokens;  // [256], or empty
  int32_t unknown_token = -1;

  // `model`: the member of that name. Throws Error.
  static UnigramTables Parse(const JsonValue& model, const Vocabulary& vocabulary);
};

}  // namespace rondo::convert
