// Encoder: one text through the whole pipeline, in fixed memory whatever its length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/heap_array.h"
#include "runtime/base/status.h"
#include "runtime/text/added_tokens.h"
#include "runtime/text/bpe.h"
#include "runtime/text/normalizer.h"
#include "runtime/text/pre_tokenizer.h"
#include "runtime/text/tokenizer_tables.h"
#include "runtime/text/unigram.h"

namespace rondo {

// All that encoding writes to; reserved once, used by one encoding at a time.
struct EncoderScratch {
  // Normalised text at hand: bounds a pre-token, and nothing else.
  static constexpr size_t kMaxPreTokenBytes = size_t{1} << 20;
  // What was read stays for a look at the character before, and gives room for a prefix.
  static constexpr size_t kHeadroom = 64;
  static constexpr size_t kWindowBytes =
      kMaxPreTokenBytes + 2 * kHeadroom + kMaxAddedTokenBytes + 2 * Normalizer::kRoomBytes;

  HeapArray<uint8_t> window;     // [kWindowBytes]
  HeapArray<uint8_t> rewritten;  // [kMaxPreTokenBytes], where a stage rewrites
  NormalizerScratch normalizer;
  BpeScratch bpe;          // of the two
  UnigramScratch unigram;  // that of the file's model

  // `tables` has passed Check.
  static Result<EncoderScratch> Create(const TokenizerTables& tables);
  size_t bytes() const;
};

// What encoding reads; immutable but for the patterns' memory.
struct EncoderParts {
  const format::Tokenizer* settings = nullptr;
  AddedTokens raw_tokens;
  AddedTokens normalized_tokens;
  NormalizerSteps normalizer;
  PreTokenizer pre_tokenizer;              // the stages before the rewriting one
  const format::Stage* rewrite = nullptr;  // nullptr: none
  PreTokenizer inner_pre_tokenizer;        // the stages after it
  BpeModel bpe;
  UnigramModel unigram;

  // `tables` has passed Check and, like `memory`, outlives this.
  // Errors: kCorrupt (a pattern), kOutOfMemory.
  static Result<EncoderParts> Create(const TokenizerTables& tables, RegexMemory& memory);
};

// Lives for one call.
class Encoder {
 public:
  Encoder(const EncoderParts& parts, EncoderScratch& scratch, IdSink& sink);

  // The ids of `text`, without those around it. Error: kInvalidArgument (a stretch without a
  // place to split, longer than the scratch; its place in the text).
  Status Encode(std::span<const uint8_t> text);

 private:
  // Text between two added tokens, which the normaliser sees as one. `first`: begins the text.
  Status EncodeSegment(std::span<const uint8_t> segment, bool first);
  // A pre-token of the stages before the rewriting one, in the window.
  Status EncodePreToken(size_t begin, size_t end);
  Status Refill(Normalizer& normalizer);
  // The text up to the next added token, as far as it is certain.
  Piece FindPiece(bool last);
  void PutPrefix(Piece piece);
  // Encodes what is certain of the piece; head_ moves.
  Status EncodePiece(Piece piece);
  void SkipWhitespace();

  const EncoderParts& parts_;
  EncoderScratch& scratch_;
  IdSink& sink_;
  BpeEncoder bpe_;
  UnigramEncoder unigram_;
  ModelEncoder& model_;  // one of the two

  // Positions in the window. Whole characters of normalised text lie before tail_; what is before
  // head_ has been encoded.
  size_t head_ = 0;
  size_t tail_ = 0;
  size_t scan_ = 0;        // added tokens have been looked for before this
  size_t sentence_ = 0;    // where the segment begins; 0 once that has left the window
  bool at_start_ = false;  // of the whole text: nothing of it has been encoded
  AddedTokenMatch cut_;    // the added token after the piece at hand
  bool skipping_ = false;  // the whitespace after an added token goes with it
  PreTokenizer::Cursor cursor_;
};

}  // namespace rondo
