// Unigram: the segmentation of a text into pieces whose scores have the greatest sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/heap_array.h"
#include "runtime/base/status.h"
#include "runtime/text/id_sink.h"
#include "runtime/text/model_encoder.h"
#include "runtime/text/tokenizer_tables.h"
#include "runtime/text/trie.h"

namespace rondo {

// Scratch of one encoding, reserved once; untouched memory costs address space only.
struct UnigramScratch {
  // Bytes between two places that no piece spans. In natural text that is a word or less.
  static constexpr size_t kMaxBytes = size_t{1} << 20;

  // The best way to get to a place in the text.
  struct Node {
    double score;
    uint32_t from;  // where its last piece begins; kNone: no way found yet
    uint32_t id;    // of that piece
    uint32_t to;    // while a path is read back: where the next piece ends
  };

  HeapArray<uint8_t> text;  // [kMaxBytes]
  HeapArray<Node> nodes;    // [kMaxBytes + 1], by place in text

  static Result<UnigramScratch> Create();
  static constexpr size_t bytes() { return kMaxBytes + (kMaxBytes + 1) * sizeof(Node); }
};

// The file's Unigram model. Immutable; views into the file.
class UnigramModel {
 public:
  UnigramModel() = default;
  // `tables` has passed Check and outlives this.
  explicit UnigramModel(const TokenizerTables& tables);

 private:
  friend class UnigramEncoder;
  const format::Tokenizer* settings_ = nullptr;
  Trie pieces_;
  std::span<const double> scores_;
  uint32_t max_piece_bytes_ = 0;
  double unknown_score_ = 0;
};

// Encodes a sequence of pre-tokens, by dynamic programming over the places between characters.
// Sums and comparisons are in double and in text order, as in Hugging Face's implementation, so
// that ties break alike. Exact whatever the length: where no piece spans a place, the best path
// leads through it, and what lies before is settled. O(bytes * longest piece).
class UnigramEncoder final : public ModelEncoder {
 public:
  UnigramEncoder(const UnigramModel& model, UnigramScratch& scratch, IdSink& sink)
      : model_(model), scratch_(scratch), sink_(sink) {}

  Status Append(std::span<const uint8_t> bytes) override;
  Status EndPreToken() override;
  Status PreToken(std::span<const uint8_t> bytes) override;

 private:
  // Finds the pieces that begin at the places from position_ on; `last`: the text ends at size_.
  void Advance(bool last);
  void AddPieces(size_t begin);
  // A piece from `from` to `to`.
  void Consider(size_t from, size_t to, uint32_t id, double score);
  // Gives out the best path from begin_ to position_, which becomes the beginning.
  void Settle();
  void AddUnknown(size_t from, size_t to);
  void EndUnknown();

  const UnigramModel& model_;
  UnigramScratch& scratch_;
  IdSink& sink_;
  // Places in scratch_.text: begin_ <= position_ <= reach_ <= size_ but while none has been looked
  // at; nodes are valid from begin_ to reach_.
  size_t begin_ = 0;
  size_t position_ = 0;
  size_t reach_ = 0;
  size_t size_ = 0;
  bool unknown_pending_ = false;  // an unknown token that may yet take in more characters
};

}  // namespace rondo
