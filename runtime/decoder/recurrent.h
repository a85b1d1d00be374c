// What gated delta nets and Mamba2 have in common: a short convolution, heads that each carry a
// matrix from position to position, a gate. A state lies in the KV pool (kv/block_table.h); it is
// updated position by position, always by the same operations, however a text is cut.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "runtime/base/checked.h"
#include "runtime/decoder/pass.h"
#include "runtime/weights/vectors.h"

namespace rondo {

struct RecurrentSpec {
  size_t n_heads = 0;
  size_t head_dim = 0;   // of v, or x: columns of a state
  size_t n_groups = 0;   // heads of q and k, or groups of B and C
  size_t group_dim = 0;  // of these: rows of a state
  size_t taps = 0;
  bool gate_first = false;  // z in a row of the first product
  bool gate_after_norm = false;

  size_t inner_size() const { return n_heads * head_dim; }
  size_t group_size() const { return n_groups * group_dim; }
  size_t conv_size() const { return inner_size() + 2 * group_size(); }
  size_t input_size() const { return inner_size() + conv_size(); }  // with the gate z
  // What a row puts into a state: what its convolution reads, and its gates.
  size_t row_floats() const { return conv_size() + 2 * n_heads; }
  size_t gate_at() const { return gate_first ? 0 : conv_size(); }
  size_t conv_at() const { return gate_first ? inner_size() : 0; }
  // The state of a sequence: what the convolution still looks back at, [taps - 1, conv_size()],
  // then of each head its columns in tiles, [tiles, group_dim, kStateColumns].
  size_t tail_floats() const { return RoundUp((taps - 1) * conv_size(), kStateColumns); }
  size_t tiles() const { return CeilDiv(head_dim, kStateColumns); }
  size_t tile_floats() const { return group_dim * kStateColumns; }
  size_t state_floats() const { return tail_floats() + n_heads * tiles() * tile_floats(); }
};

// What lies in the file.
struct RecurrentVectors {
  const float* kernel = nullptr;   // [taps, conv_size]
  const float* bias = nullptr;     // [conv_size]; null: none
  const float* decay = nullptr;    // [n_heads]
  const float* dt_bias = nullptr;  // [n_heads]
  RowNorm norm;

  template <typename Table>  // GatedDeltaNet, or Mamba2
  Status Read(const Table& table, const RecurrentSpec& spec, VectorReader& reader) {
    RONDO_ASSIGN(kernel, reader.Read(table.kernel()));
    RONDO_ASSIGN(bias, ReadOptional(reader, table.bias()));
    RONDO_ASSIGN(decay, reader.Read(table.decay()));
    RONDO_ASSIGN(dt_bias, reader.Read(table.dt_bias()));
    RONDO_ASSIGN(norm, ReadNorm(reader, table.norm(), spec.inner_size()));
    return Status();
  }
};

// All of the operators but how they run.
class RecurrentOperator : public Operator {
 public:
  KvLayout::Entry kv() const override {
    return {.state_floats = spec_.state_floats(), .row_floats = spec_.row_floats()};
  }
  void Widen(const Sublayer& sublayer, const ContextWindow& window,
             Activations* act) const override;
  CheckedSize ScratchBytes() const override {
    return RowScratch(std::max(spec_.conv_size(), spec_.tile_floats()));
  }
  void MakeInput(const Pass& pass, const Sublayer& sublayer) const override;

 protected:
  explicit RecurrentOperator(const RecurrentSpec& spec) : spec_(spec) {}

  const RecurrentSpec spec_;
  RecurrentVectors vectors_;
};

// A row that is computed: its parts of the pass's buffers. Those of rows that are kept behind a
// state lie behind the pass's own, which they come before.
struct RecurrentRow {
  const float* convolved;  // [conv_size]
  float* gates;            // [2 * n_heads], which the heads read as the row made them
  float* mixed;            // [inner_size]
};

class Recurrence {
 public:
  Recurrence(const Pass& pass, const Sublayer& sublayer, const RecurrentSpec& spec,
             const RecurrentVectors& vectors)
      : pass_(pass), sublayer_(sublayer), spec_(spec), vectors_(vectors) {}

  RecurrentRow row(size_t r) const {
    const Activations& act = pass_.act();
    return {act.convolved + r * spec_.conv_size(), act.gates + r * 2 * spec_.n_heads,
            act.mixed + r * spec_.inner_size()};
  }

  // The two first products.
  void Project() const;
  // prepare(r, convolved) for every row, whose convolution is made.
  template <typename Prepare>
  void ForRows(const Prepare& prepare) const {
    pass_.pool().For(pass_.rows() + KeptRows(), [&](size_t r, size_t thread) {
      float* convolved = pass_.act().convolved + r * spec_.conv_size();
      MakeRow(r, pass_.ScratchFloats(thread), convolved);
      prepare(r, convolved);
    });
  }
  // step(r, head, first column, state) for every row, every head, and every kStateColumns columns
  // of its state: of one sequence in the order of positions, those first that are kept. The state
  // is left behind next_state_end(); rows from there on work on a copy.
  template <typename Step>
  void ForStates(const Step& step) const {
    const size_t tiles = spec_.n_heads * spec_.tiles();
    pass_.pool().For(pass_.sequences().size() * (tiles + 1), [&](size_t task, size_t thread) {
      const size_t tile = task % (tiles + 1);
      const SequenceRows& sequence = pass_.sequences()[task / (tiles + 1)];
      const RowsOf rows = Rows(sequence);
      if (sequence.dropped()) {
        if (tile == tiles) ClearMixed(rows.first, sequence.keys.size());
        return;
      }
      if (tile == tiles) {
        KeepTails(rows);
        return;
      }
      const size_t head = tile / spec_.tiles();
      const size_t column = tile % spec_.tiles() * kStateColumns;
      const size_t offset = spec_.tail_floats() + tile * spec_.tile_floats();
      const uint64_t begin = sequence.position, end = begin + sequence.keys.size();
      const uint64_t left_behind = sequence.kv->next_state_end();
      float* state = Continue(sequence, begin, offset, nullptr);
      for (size_t i = 0; i < rows.n_kept; ++i) step(rows.first_kept + i, head, column, state);
      for (uint64_t at = begin; at < end; ++at) {
        if (at > begin && at % kKvBlockTokens == 0) state = Continue(sequence, at, offset, state);
        if (at == left_behind) {
          const float* left = std::exchange(state, pass_.ScratchFloats(thread));
          std::copy_n(left, spec_.tile_floats(), state);
        }
        step(rows.first + (at - begin), head, column, state);
      }
    });
  }
  // Gate and norm, and the last product.
  void Finish() const;

 private:
  // A sequence's rows in the pass's buffers.
  struct RowsOf {
    const SequenceRows* sequence;
    size_t first;
    size_t first_kept;
    size_t n_kept;
  };
  RowsOf Rows(const SequenceRows& sequence) const;
  // Of the sequence of a kept row.
  RowsOf RowsWithKept(size_t r) const;
  // That lie between a sequence's state and its first row; of all of them.
  static size_t KeptOf(const SequenceRows& sequence) {
    return sequence.dropped() ? 0 : sequence.position - sequence.kv->state_end();
  }
  size_t KeptRows() const;
  // The convolution of row r, and its gates where it is a kept one; of others, keeps what they put
  // into a state that does not have them yet. scratch: conv_size floats.
  void MakeRow(size_t r, float* scratch, float* out) const;
  // out = silu(the convolution at a position).
  void Convolve(const RowsOf& rows, uint64_t position, float* scratch, float* out) const;
  // Keeps what the convolutions behind a state look back at.
  void KeepTails(const RowsOf& rows) const;
  // What the heads would have made of rows that nobody reads.
  void ClearMixed(size_t first_row, size_t rows) const {
    const size_t n = spec_.inner_size();
    std::fill_n(pass_.act().mixed + first_row * n, rows * n, 0.0f);
  }
  // Where the state's floats from `offset` on are written from `position` on, with what they were
  // before it: `state`, or before the sequence's first row null.
  float* Continue(const SequenceRows& sequence, uint64_t position, size_t offset,
                  const float* state) const;
  // What the convolution reads at a position, [conv_size]: of the pass, of a kept row, or of what
  // lies before the state.
  const float* Raw(const RowsOf& rows, uint64_t position) const;
  float* StateBehind(const SequenceRows& sequence, uint64_t position) const {
    const uint64_t block = ContextWindow::Block(position);
    return reinterpret_cast<float*>(sequence.kv->StateBehind(block, sublayer_.spec.kv_entry));
  }
  const float* StateBefore(const SequenceRows& sequence) const {
    return reinterpret_cast<const float*>(sequence.kv->StateBefore(sublayer_.spec.kv_entry));
  }

  const Pass& pass_;
  const Sublayer& sublayer_;
  const RecurrentSpec& spec_;
  const RecurrentVectors& vectors_;
};

// Runs step(v, out) on kStateColumns columns of `head` from `column` on, as far as the head has
// them: `in` and `out` are of all heads, [inner_size].
template <typename Step>
void RunColumns(const RecurrentSpec& spec, size_t head, size_t column, const float* in, float* out,
                const Step& step) {
  const size_t at = head * spec.head_dim + column;
  const size_t n = std::min(spec.head_dim - column, kStateColumns);
  if (n == kStateColumns) {
    step(in + at, out + at);
    return;
  }
  std::array<float, kStateColumns> columns = {};
  std::copy_n(in + at, n, columns.begin());
  std::array<float, kStateColumns> results;
  step(columns.data(), results.data());
  std::copy_n(results.begin(), n, out + at);
}

}  // namespace rondo
