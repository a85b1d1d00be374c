// Bpe: atoms in, token ids out, by merging the best adjacent pair again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/heap_array.h"
#include "runtime/base/status.h"
#include "runtime/text/id_sink.h"
#include "runtime/text/model_encoder.h"
#include "runtime/text/tokenizer_tables.h"

namespace rondo {

// Scratch of one encoding, reserved once; untouched memory costs address space only.
struct BpeScratch {
  // Atoms between two places that no merge crosses. In natural text that is a word or less.
  static constexpr size_t kMaxAtoms = size_t{1} << 20;

  HeapArray<uint32_t> ids;       // [kMaxAtoms] id of the symbol that begins here
  HeapArray<uint32_t> previous;  // [kMaxAtoms] where the symbol before begins
  HeapArray<uint32_t> next;      // [kMaxAtoms] where the symbol after begins
  HeapArray<uint64_t> heap;      // [2 * kMaxAtoms] candidates: merge, then position

  static Result<BpeScratch> Create();
  static constexpr size_t bytes() {
    return kMaxAtoms * (3 * sizeof(uint32_t) + 2 * sizeof(uint64_t));
  }
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

// Encodes a sequence of pre-tokens. Exact whatever the length, since a text is cut where no
// merge could join; O(n log n) in the atoms between two cuts.
class BpeEncoder final : public ModelEncoder {
 public:
  BpeEncoder(const BpeModel& model, BpeScratch& scratch, IdSink& sink)
      : model_(model), scratch_(scratch), sink_(sink) {}

  Status Append(std::span<const uint8_t> bytes) override;
  Status EndPreToken() override;
  Status PreToken(std::span<const uint8_t> bytes) override;

 private:
  Status Push(uint32_t id);
  Status PushUnknown(std::span<const uint8_t> character);
  void Merge();

  const BpeModel& model_;
  BpeScratch& scratch_;
  IdSink& sink_;
  size_t count_ = 0;              // symbols waiting in scratch_.ids
  bool unknown_pending_ = false;  // an unknown token that may yet take in more characters
};

}  // namespace rondo
