// The rows of a forward pass: what the decoder is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/cancellation.h"
#include "runtime/kv/block_table.h"

namespace rondo {

class AdapterFile;

// What passes are made for.
struct PassLimits {
  size_t max_rows;
  size_t max_sequences;
  size_t threads;
  size_t adapter_rank = 0;  // the largest that sequences may have; 0: none has an adapter
};

// Rows of one sequence at consecutive positions.
struct SequenceRows {
  BlockTable* kv;                        // prepared for these positions; null: dropped
  uint64_t position;                     // of the first token
  std::span<const int32_t> tokens;       // at least one id, all < vocab_size
  size_t first_logits_row;               // rows from here on ask for logits; tokens.size(): none
  bool long_sequence;                    // turn by the frequencies for long sequences
  const Cancellation* cancel;            // looked at by each task
  size_t drafts = 0;                     // of the tokens, the last ones: proposed, not appended
  const AdapterFile* adapter = nullptr;  // null: none

  // Between two layers: what is cached of the sequence is left alone from here on, and its rows
  // are numbers that nobody reads. Its adapter may be closed.
  void Drop() {
    kv = nullptr;
    adapter = nullptr;
  }
  bool dropped() const { return kv == nullptr; }
  bool cancelled() const { return dropped() || cancel->cancelled(); }
};

// One row of a pass, in the order of the sequences.
struct PassRow {
  const SequenceRows* sequence;
  uint64_t position;
  int32_t token;
};

}  // namespace rondo
