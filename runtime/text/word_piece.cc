#include "runtime/text/word_piece.h"

namespace rondo {

Result<WordPieceScratch> WordPieceScratch::Create(const format::Tokenizer& settings) {
  WordPieceScratch scratch;
  RONDO_ASSIGN(scratch.ids,
               HeapArray<uint32_t>::CreateForOverwrite(settings.max_word_characters()));
  return scratch;
}

WordPieceModel::WordPieceModel(const TokenizerTables& tables)
    : settings_(tables.settings), pieces_(tables.pieces) {
  const flatbuffers::String* prefix = tables.settings->continuation();
  if (prefix == nullptr) return;
  for (const uint8_t byte : std::span(prefix->Data(), prefix->size())) {
    continuation_ = pieces_.Next(continuation_, byte);
    if (continuation_ == 0) return;  // no piece continues a word
  }
}

size_t WordPieceEncoder::Encode(std::span<const uint8_t> text, bool more) {
  if (more) return 0;
  const size_t count = FindPieces(text);
  for (size_t i = 0; i < count; ++i) sink_.Add(scratch_.ids[i]);
  if (count == 0 && !text.empty() && model_.settings_->unknown_token() >= 0) {
    sink_.Add(static_cast<uint32_t>(model_.settings_->unknown_token()));
  }
  return text.size();
}

size_t WordPieceEncoder::FindPieces(std::span<const uint8_t> word) const {
  // A word that begins in the middle of a character may have a piece of what is left of it.
  size_t characters = !word.empty() && (word[0] & 0xC0) == 0x80 ? 1 : 0;
  for (const uint8_t byte : word) characters += (byte & 0xC0) != 0x80;
  if (characters > scratch_.ids.size()) return 0;
  const auto* prefix = model_.settings_->continuation();
  const bool continues = prefix == nullptr || prefix->size() == 0 || model_.continuation_ != 0;
  size_t count = 0;
  for (size_t begin = 0; begin < word.size();) {
    if (begin > 0 && !continues) return 0;
    uint32_t node = begin == 0 ? 0 : model_.continuation_;
    size_t end = begin;
    for (size_t i = begin; i < word.size();) {
      node = model_.pieces_.Next(node, word[i++]);
      if (node == 0) break;
      const uint32_t id = model_.pieces_.Value(node);
      if (id == Trie::kNone || (barred_ != nullptr && barred_->Has(id))) continue;
      // Of characters as a whole, which ill-made tables may not keep to.
      if (i < word.size() && (word[i] & 0xC0) == 0x80) continue;
      end = i;
      scratch_.ids[count] = id;
    }
    if (end == begin) return 0;
    begin = end;
    ++count;
  }
  return count;
}

}  // namespace rondo
