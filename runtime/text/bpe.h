// Bpe: atoms in, token ids out, by merging the best adjacent pair again and again.
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

namespace rondo {

// Scratch of one pre-token, reserved once.
struct BpeScratch {
  struct Symbol {
    uint32_t id;        // kEmptySlot: merged away
    uint16_t previous;  // where the symbol before begins
    uint16_t next;      // where the symbol after begins; 0: this is the last one
  };
  static_assert(kMaxPreTokenBytes - 1 <= UINT16_MAX);

  HeapArray<Symbol> symbols;  // [kMaxPreTokenBytes], by the place where they begin
  HeapArray<uint64_t> heap;   // [5 / 4 of that] candidates: merge, then place

  static Result<BpeScratch> Create();
  size_t bytes() const { return symbols.size() * sizeof(Symbol) + heap.size() * sizeof(uint64_t); }
};

// The file's BPE model. Immutable; views into the file.
class BpeModel {
 public:
  BpeModel() = default;
  // `tables` has passed Check and outlives this.
  explicit BpeModel(const TokenizerTables& tables);

  // The index of the merge that joins these two, or kEmptySlot.
  uint32_t FindMerge(uint32_t left, uint32_t right) const;
  const Merge& merge(uint32_t index) const { return merges_[index]; }
  // False only where no merge can ever span the place between these two atoms.
  bool MayJoin(uint32_t left, uint32_t right) const;
  // The id of a whole pre-token that needs no merging, or kEmptySlot.
  uint32_t FindWord(std::span<const uint8_t> bytes) const;
  // The id of a byte or code point, or kEmptySlot.
  uint32_t FindAtom(uint32_t key) const;

  bool byte_atoms() const { return byte_atoms_; }
  const format::Tokenizer& settings() const { return *tables_->settings; }

 private:
  const TokenizerTables* tables_ = nullptr;
  std::span<const Merge> merges_;
  std::span<const uint32_t> merge_slots_;
  std::span<const uint8_t> joints_;
  bool byte_atoms_ = false;
  uint32_t first_atoms_[256];  // FindAtom for keys below 256
};

// Exact whatever the length, since a text is cut where no merge could join; O(n log n) in the
// atoms between two cuts.
class BpeEncoder final : public ModelEncoder {
 public:
  // `barred`: tokens that are not made of others, or nullptr. `turn`: by which others have the
  // scratch, too; nullptr: they do not.
  BpeEncoder(const BpeModel& model, BpeScratch& scratch, IdSink& sink,
             const TokenSet* barred = nullptr, EncodingTurn* turn = nullptr)
      : model_(model), scratch_(scratch), sink_(sink), barred_(barred), turn_(turn) {}

  size_t Encode(std::span<const uint8_t> text, bool more) override;

 private:
  void Push(uint32_t id) { scratch_.symbols[count_++].id = id; }
  // Returns how often it looked for a merge.
  uint64_t Merge();
  bool IsBarred(uint32_t id) const { return barred_ != nullptr && barred_->Has(id); }

  const BpeModel& model_;
  BpeScratch& scratch_;
  IdSink& sink_;
  const TokenSet* const barred_;
  EncodingTurn* const turn_;
  size_t count_ = 0;  // symbols that wait to be merged
};

}  // namespace rondo
