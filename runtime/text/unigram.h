// Unigram: the segmentation of a text into pieces whose scores have the greatest sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/heap_array.h"
#include "runtime/base/status.h"
#include "runtime/text/encoding_turn.h"
#include "runtime/text/id_sink.h"
#include "runtime/text/model_encoder.h"
#include "runtime/text/token_set.h"
#include "runtime/text/tokenizer_tables.h"
#include "runtime/text/trie.h"

namespace rondo {

// Scratch of one pre-token, reserved once.
struct UnigramScratch {
  // The best way to get to a place in the text. Sizes are of pieces, at most kMaxTokenBytes.
  struct Node {
    double score;
    uint32_t id;    // of its last piece; kNone: a character that is no piece
    uint16_t last;  // bytes of that piece; 0: no way found yet
    uint16_t next;  // while a path is read back: bytes of the piece that follows
  };

  HeapArray<Node> nodes;  // [kMaxPreTokenBytes + 1], by place in the text

  static Result<UnigramScratch> Create();
  size_t bytes() const { return nodes.size() * sizeof(Node); }
};

// The file's Unigram model. Immutable; views into the file.
class UnigramModel {
 public:
  UnigramModel() = default;
  // `tables` has passed Check and outlives this.
  explicit UnigramModel(const TokenizerTables& tables);

 private:
  friend class UnigramEncoder;
  // A character that is no piece, or the unknown token itself.
  bool IsUnknown(uint32_t id) const {
    return id == Trie::kNone || static_cast<int32_t>(id) == settings_->unknown_token();
  }

  const format::Tokenizer* settings_ = nullptr;
  Trie pieces_;
  std::span<const double> scores_;
  uint32_t max_piece_bytes_ = 0;
  double unknown_score_ = 0;
};

// Dynamic programming over the places between characters. Sums and comparisons are in double and
// in text order, as in Hugging Face's implementation, so that ties break alike. Exact whatever the
// length: where no piece spans a place, the best path leads through it, and what lies before is
// settled. O(bytes * longest piece).
class UnigramEncoder final : public ModelEncoder {
 public:
  // `barred`: pieces that only a character by itself may be, or nullptr. `turn`: by which others
  // have the scratch, too; nullptr: they do not.
  UnigramEncoder(const UnigramModel& model, UnigramScratch& scratch, IdSink& sink,
                 const TokenSet* barred = nullptr, EncodingTurn* turn = nullptr)
      : model_(model), scratch_(scratch), sink_(sink), barred_(barred), turn_(turn) {}

  size_t Encode(std::span<const uint8_t> text, bool more) override;

 private:
  // Finds the pieces that begin at position_, and goes on behind the character there.
  void AddPieces(std::span<const uint8_t> text);
  // A piece from position_ to `to`.
  void Consider(size_t to, uint32_t id, double score);
  // Gives out the best path from begin_ to position_, which becomes the beginning.
  void Settle(std::span<const uint8_t> text);
  // With nothing but the node there.
  void Pause(size_t bytes);

  const UnigramModel& model_;
  UnigramScratch& scratch_;
  IdSink& sink_;
  const TokenSet* const barred_;
  EncodingTurn* const turn_;
  double score_ = 0;  // of what the pre-token began with
  // Places in the text: begin_ <= position_ <= reach_; nodes are valid from begin_ to reach_.
  size_t begin_ = 0;
  size_t position_ = 0;
  size_t reach_ = 0;
};

}  // namespace rondo
