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
#include "runtime/text/plain_text.h"
#include "runtime/text/pre_tokenizer.h"
#include "runtime/text/tokenizer_tables.h"
#include "runtime/text/unigram.h"
#include "runtime/text/word_piece.h"

namespace rondo {

// What a text goes through while it is encoded: one encoding's, from its beginning to its end.
struct EncoderBuffers {
  // What was read stays for a look at the character before, and gives room for a prefix.
  static constexpr size_t kHeadroom = 64;
  // An added token may begin in the last byte of a pre-token.
  static constexpr size_t kWindowBytes =
      kHeadroom + kMaxPreTokenBytes + kMaxAddedTokenBytes + 4 + Normalizer::kRoomBytes;

  HeapArray<uint8_t> window;     // [kWindowBytes] normalised text at hand
  HeapArray<uint8_t> rewritten;  // [kMaxPreTokenBytes], where a stage rewrites
  NormalizerScratch normalizer;

  size_t bytes() const { return window.size() + rewritten.size() + normalizer.bytes(); }
};

// What a piece of the work needs by itself: all encodings', in turn (EncodingTurn).
struct EncoderScratch {
  BpeScratch bpe;               // of the three
  UnigramScratch unigram;       // that of the
  WordPieceScratch word_piece;  // file's model
  HeapArray<uint8_t> patterns;  // where the model's is too small for them

  // For patterns to match in: nothing of the model waits there while one does.
  std::span<uint8_t> PatternBlock();
  size_t bytes() const {
    return bpe.bytes() + unigram.bytes() + word_piece.bytes() + patterns.size();
  }
};

// What encoding reads; immutable but for the patterns' memory.
struct EncoderParts {
  const format::Tokenizer* settings = nullptr;
  RegexMemory* memory = nullptr;
  AddedTokens raw_tokens;
  AddedTokens normalized_tokens;
  NormalizerSteps normalizer;
  PreTokenizer pre_tokenizer;
  BpeModel bpe;               // of the three
  UnigramModel unigram;       // that of the
  WordPieceModel word_piece;  // file's model

  // `tables` has passed Check and, like `memory`, outlives this.
  // Errors: kCorrupt (a pattern), kOutOfMemory.
  static Result<EncoderParts> Create(const TokenizerTables& tables, RegexMemory& memory);
  // Error: kOutOfMemory.
  Result<EncoderScratch> CreateScratch() const;
  Result<EncoderBuffers> CreateBuffers() const;
  // For one encoding of the text that the marks are of. Error: kOutOfMemory.
  Result<PlainText> CreatePlainText(std::span<const uint8_t> marks) const;
};

// Lives for one call. What is shared is this one's for a piece of the text at a time.
class Encoder {
 public:
  // `plain`: of the text, or nullptr: none of it is plain.
  Encoder(const EncoderParts& parts, EncoderScratch& scratch, EncoderBuffers& buffers,
          PlainText* plain, IdSink& sink);

  // The ids of `text`, without those around it. Error: kInvalidArgument (see Regex::Find).
  Status Encode(std::span<const uint8_t> text);

 private:
  // The text from head_ to the next added token, as far as it is certain.
  struct Piece {
    size_t end = 0;
    bool closed = false;                      // else it may go on
    const format::AddedToken* cut = nullptr;  // the token behind it
    size_t cut_end = 0;
  };

  Status EncodeText(std::span<const uint8_t> text);
  // What is shared becomes this one's, and is others' again. It is kept from one stretch of text to
  // the next, but where the way there is long.
  void TakeTurn();
  void LeaveTurn();
  // Where it has the turn.
  void Pause(size_t bytes) {
    if (has_turn_) parts_.memory->turn().Pause(bytes);
  }
  // The first added token that begins at `scan` or behind it.
  AddedTokenMatch FindRaw(std::span<const uint8_t> text, size_t begin, size_t* scan);
  size_t BlanksAt(std::span<const uint8_t> text, size_t begin);

  // Text between two added tokens, which the normaliser sees as one. `plain`: nullptr, or its
  // marks. `first`: begins the text.
  Status EncodeSegment(std::span<const uint8_t> segment, const uint8_t* plain, bool first);
  Status Refill(Normalizer& normalizer);
  // The end of the next kMaxPreTokenBytes, with the prefix that may be needed, or of what is there.
  size_t VisibleEnd() const;
  Piece FindPiece(bool last);
  void PutPrefix(size_t piece_end);
  // Marks of the window from `begin` on; nullptr: no added token is looked for there, or all may
  // be.
  uint8_t* WindowMarks(size_t begin) {
    return plain_ == nullptr || plain_->window.size() == 0 ? nullptr : &plain_->window[begin];
  }
  Status Split(size_t end, bool more, size_t* taken) {
    return parts_.pre_tokenizer.Split(buffers_.window.span().subspan(head_, end - head_), more,
                                      run_, taken);
  }

  ModelEncoder& Model();

  const EncoderParts& parts_;
  EncoderBuffers& buffers_;
  PlainText* const plain_;
  IdSink& sink_;
  BpeEncoder bpe_;
  UnigramEncoder unigram_;
  WordPieceEncoder word_piece_;
  PreTokenizer::Run run_;
  bool has_turn_ = false;
  uint64_t steps_left_ = 0;  // of the patterns, while it has not

  // Positions in the window. Whole characters of normalised text lie before tail_; what is before
  // head_ has been encoded.
  size_t head_ = 0;
  size_t tail_ = 0;
  size_t scan_ = 0;      // no added token begins before this
  size_t sentence_ = 0;  // where the segment begins; 0 once that has left the window
  bool begun_ = false;   // the piece at hand has its prefix
};

}  // namespace rondo
