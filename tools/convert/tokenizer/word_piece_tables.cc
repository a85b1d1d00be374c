#include "tools/convert/tokenizer/word_piece_tables.h"

#include <algorithm>
#include <utility>

#include "runtime/text/tokenizer_tables.h"
#include "tools/convert/tokenizer/trie_builder.h"

namespace rondo::convert {

WordPieceTables WordPieceTables::Parse(const JsonValue& model, const Vocabulary& vocabulary) {
  WordPieceTables tables;
  std::vector<std::pair<std::string, uint32_t>> texts;
  for (const auto& [text, id] : vocabulary.ids) {
    if (text.size() > kMaxTokenBytes) model.At("vocab").Fail("has a token longer than 4096 bytes");
    if (!text.empty()) texts.emplace_back(text, id);
  }
  if (texts.empty()) model.At("vocab").Fail("is empty");
  std::sort(texts.begin(), texts.end());
  tables.pieces = BuildTrie(texts);

  const JsonValue prefix = model.Find("continuing_subword_prefix");
  tables.continuation = prefix.IsNull() ? "##" : prefix.String();
  if (tables.continuation.size() > kMaxPrefixBytes) prefix.Fail("is longer than 16 bytes");
  const JsonValue most = model.Find("max_input_chars_per_word");
  tables.max_word_characters = most.IsNull() ? 100 : most.Uint(kMaxWordCharacters + 1);
  if (tables.max_word_characters == 0) most.Fail("is 0");
  const JsonValue unknown = model.Find("unk_token");
  const auto id = vocabulary.Find(unknown.IsNull() ? "[UNK]" : unknown.String());
  if (!id.has_value()) model.Fail("has no unknown token in its vocabulary");
  tables.unknown_token = static_cast<int32_t>(*id);
  return tables;
}

}  // namespace rondo::convert
