// The rows of a forward pass: what the decoder is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/cancellation.h"
#include "runtime/kv/block_table.h"
#include "runtime/kv/input_key.h"

namespace rondo {

class AdapterFile;

// What passes are made for.
struct PassLimits {
  size_t max_rows;
  size_t max_sequences;
  size_t threads;
  size_t adapter_rank = 0;  // the largest that sequences may have; 0: none has an adapter
};

// Positions from `begin` on, before `end`.
struct RowRange {
  uint64_t begin;
  uint64_t end;
};

// Rows of one sequence at consecutive positions.
struct SequenceRows {
  BlockTable* kv;                  // prepared for these positions; null: dropped
  uint64_t position;               // of the first key
  std::span<const InputKey> keys;  // at least one; of tokens < vocab_size, of rows none gone
  size_t first_logits_row;         // rows from here on ask for logits; keys.size(): none
  bool long_sequence;              // turn by the frequencies for long sequences
  const Cancellation* cancel;      // looked at by each task
  // Nobody wants what becomes of the rows before this one: they end where nothing of them is cached
  // any more. keys.size(): all do.
  size_t first_wanted = 0;
  size_t drafts = 0;                     // of the keys, the last ones: proposed, not appended
  const AdapterFile* adapter = nullptr;  // null: none
  // What leads from positions to coordinates (KeyHistory), of each key; null: `shift`, of all.
  const int64_t* shifts = nullptr;
  int64_t shift = 0;
  // For an embedder: where the text's vector is gathered pass by pass, [spec().embedder.widest];
  // and that these rows are the text's last, so that `pooled` then begins with the vector.
  float* pooled = nullptr;
  bool ends = false;
  // Rows before this position see all before it; others see what their key says. Where `stored`,
  // what they keep is there.
  uint64_t visible_end = 0;
  bool stored = false;
  // What each row sees in attention within windows, of a tower that has such.
  const RowRange* windows = nullptr;
  // For what drafts: what Decoder::KeepHidden gave of the row before the first one; null: that is
  // not known any more, which makes worse drafts.
  const float* before = nullptr;

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
  InputKey key;
  // Behind the last position that it sees: its own, or its prefix's or input's where rows see the
  // whole.
  uint64_t visible_end;
  uint32_t place;  // of a row of an input, in the store

  int64_t shift() const {
    return sequence->shifts == nullptr ? sequence->shift
                                       : sequence->shifts[position - sequence->position];
  }
};

}  // namespace rondo
