// WordPiece: at each place of a word the longest piece that the vocabulary has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/heap_array.h"
#include "runtime/base/status.h"
#include "runtime/text/id_sink.h"
#include "runtime/text/model_encoder.h"
#include "runtime/text/token_set.h"
#include "runtime/text/tokenizer_tables.h"
#include "runtime/text/trie.h"

namespace rondo {

// Scratch of one word, reserved once.
struct WordPieceScratch {
  HeapArray<uint32_t> ids;  // [max_word_characters]

  static Result<WordPieceScratch> Create(const format::Tokenizer& settings);
  size_t bytes() const { return ids.size() * sizeof(uint32_t); }
};

// The file's WordPiece model. Immutable; views into the file.
class WordPieceModel {
 public:
  WordPieceModel() = default;
  // `tables` has passed Check and outlives this.
  explicit WordPieceModel(const TokenizerTables& tables);

 private:
  friend class WordPieceEncoder;

  const format::Tokenizer* settings_ = nullptr;
  Trie pieces_;
  uint32_t continuation_ = 0;  // the node of what pieces behind a word's first begin with
};

// A pre-token is a word. One with a place that no piece begins at, or of too many characters, is
// the unknown token as a whole.
class WordPieceEncoder final : public ModelEncoder {
 public:
  // `barred`: pieces that no text becomes, or nullptr.
  WordPieceEncoder(const WordPieceModel& model, WordPieceScratch& scratch, IdSink& sink,
                   const TokenSet* barred = nullptr)
      : model_(model), scratch_(scratch), sink_(sink), barred_(barred) {}

  // Nothing is certain of a word before its end.
  size_t Encode(std::span<const uint8_t> text, bool more) override;

 private:
  // The ids of the word, in scratch; 0: it is unknown.
  size_t FindPieces(std::span<const uint8_t> word) const;

  const WordPieceModel& model_;
  WordPieceScratch& scratch_;
  IdSink& sink_;
  const TokenSet* const barred_;
};

}  // namespace rondo
