#include "tools/convert/tokenizer/unigram_tables.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/text/tokenizer_tables.h"
#include "tools/convert/tokenizer/trie_builder.h"

namespace rondo::convert {
namespace {

// By how much a character that is no piece is worse than the worst piece: SentencePiece's.
constexpr double kUnknownPenalty = 10;

}  // namespace

UnigramTables UnigramTables::Parse(const JsonValue& model, const Vocabulary& vocabulary) {
  UnigramTables tables;
  const JsonValue vocab = model.At("vocab");
  if (!vocab.json().is_array()) vocab.Fail("is not a list, as Unigram's is");
  const std::vector<JsonValue> items = vocab.Items();
  if (items.empty()) vocab.Fail("is empty");
  tables.scores.resize(vocabulary.size(), 0);
  std::vector<std::pair<std::string, uint32_t>> texts;
  double least = 0;
  for (size_t id = 0; id < items.size(); ++id) {
    const std::vector<JsonValue> pair = items[id].Items();
    tables.scores[id] = pair[1].Number();
    least = id == 0 ? tables.scores[id] : std::min(least, tables.scores[id]);
    std::string text = pair[0].String();
    if (text.size() > kMaxTokenBytes) items[id].Fail("is longer than 4096 bytes");
    if (text.empty() || vocabulary.Find(text) != static_cast<uint32_t>(id)) continue;
    tables.max_piece_bytes = std::max(tables.max_piece_bytes, static_cast<uint32_t>(text.size()));
    texts.emplace_back(std::move(text), static_cast<uint32_t>(id));
  }
  tables.unknown_score = least - kUnknownPenalty;
  std::sort(texts.begin(), texts.end());
  tables.pieces = BuildTrie(texts);

  if (const JsonValue unknown = model.Find("unk_id"); !unknown.IsNull()) {
    tables.unknown_token = static_cast<int32_t>(unknown.Uint(static_cast<uint32_t>(items.size())));
  }
  if (model.Find("byte_fallback").BoolOr(false)) {
    tables.byte_tokens = vocabulary.ByteTokens();
    if (std::count(tables.byte_tokens.begin(), tables.byte_tokens.end(), -1) > 0) {
      model.Find("byte_fallback").Fail("is set, but not all of the 256 byte tokens are there");
    }
  }
  return tables;
}

}  // namespace rondo::convert
