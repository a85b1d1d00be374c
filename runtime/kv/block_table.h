// BlockTable: one sequence's KV cache: for each layer group a ring of references to KV blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/kv/block_pool.h"
#include "runtime/kv/held_blocks.h"
#include "runtime/kv/kv_layout.h"

namespace rondo {

// One thread at a time; tables of one pool, too. While a pass runs, its threads may read.
class BlockTable {
 public:
  // Bytes to plan for one table, aligned to 8. SIZE_MAX: overflow.
  static size_t Bytes(const KvLayout& layout);

  BlockTable() = default;
  // An empty table in `memory`, which has Bytes(layout). `layout` and `pool` outlive it.
  BlockTable(const KvLayout& layout, BlockPool* pool, void* memory);

  const KvLayout& layout() const { return *layout_; }
  const ContextWindow& window() const { return layout_->window(); }
  const ContextWindow& window(size_t entry) const { return layout_->group(entry).window; }

  // The page of a KV block that the table holds. Whoever stores the block's first position clears
  // it. `block`: a position divided by kKvBlockTokens.
  uint8_t* Page(uint64_t block, size_t entry, size_t head) const {
    const size_t group = layout_->group_of(entry);
    return pool_->Block(group, slot(layout_->groups()[group], block).id) +
           layout_->PageOffset(entry, head);
  }

  // Before a pass over positions [begin, end): makes their blocks this table's own to write. Fresh
  // ones come from the pool; of one that is shared, a copy, which others keep the original of.
  // States are written to fresh blocks, and where those of all positions are held anyway (STOP)
  // only the last two are kept. False, and nothing has happened, where the pool has too few. Then
  // Commit; Rollback, where some of its rows may have run: all is as before the pass, but for keys
  // and values of what lies behind `begin`, and a copy stays; or Unprepare, where none of any table
  // that was prepared since has: what was shared is again.
  bool Prepare(uint64_t begin, uint64_t end);
  // The pass is over. Only its rows before `accepted` count; those that are dropped are kept rows.
  void Commit(uint64_t accepted);
  void Commit() { Commit(pass_end_); }
  void Rollback();
  void Unprepare();
  // Where the last pass began behind `tokens`, and nobody took the states that it replaced: they
  // are this table's again, as of a text of so many tokens. False, and nothing has happened, where
  // they are gone; others may need the room; or there is none to take back.
  bool TakeBackStates(uint64_t tokens);

  // Promises that passes over positions [begin, end), however they are cut and whoever is served
  // meanwhile, find the blocks that they need. False, and nothing has happened, where the pool has
  // too few; nothing has to happen where it holds all rings. Where the promise stands:
  // RenewPromise after every change of the table but by passes, `begin` being where the next one
  // begins; EndPromise before the next Reserve.
  bool Reserve(uint64_t begin, uint64_t end);
  void RenewPromise(uint64_t begin);
  void EndPromise();
  bool has_promise() const { return promised_end_ > 0; }
  // Others count on the blocks that they alone reference to come back to them.
  bool MayShare() const { return pool_->promises() == (has_promise() ? 1 : 0); }

  // Of a sequence that has evaluated so many positions, the one behind which its states are: this
  // one, or behind it lie rows that are kept.
  uint64_t StatesFor(uint64_t evaluated) const {
    return HoldsStates(evaluated) ? state_end_ : evaluated;
  }
  uint64_t state_end() const { return state_end_; }
  // While a pass is prepared, of a sublayer with a state: the state behind state_end(), which means
  // nothing where that is 0; and where the pass writes that behind its last row in a block, or in
  // its last block behind next_state_end().
  const uint8_t* StateBefore(size_t entry) const;
  uint8_t* StateBehind(uint64_t block, size_t entry) const {
    return Page(std::max(block, FirstWritten(layout_->group(entry))), entry, 0);
  }
  uint64_t next_state_end() const { return ContextWindow::StateEnd(pass_begin_, pass_end_); }
  // What the rows from state_end() to the pass put into a state, [row_floats]; and where the pass
  // keeps that of its own from next_state_end() on.
  const float* KeptRow(size_t entry, uint64_t position) const {
    return KeptRows(kept_half_, entry) + (position - state_end_) * layout_->entry(entry).row_floats;
  }
  float* KeepRow(size_t entry, uint64_t position) const {
    return KeptRows(1 - kept_half_, entry) +
           (position - next_state_end()) * layout_->entry(entry).row_floats;
  }

  // Gives up the blocks that hold no position below `tokens`; of what others may yet look for, what
  // lies furthest back in the text goes first.
  void Truncate(uint64_t tokens);
  // Truncate(0), and then references what `other`, a table of the same pool, references.
  void ShareAll(const BlockTable& other);

  // Of the blocks that it references, also those that others reference, too.
  uint64_t HeldBytes() const;

  // The block that holds block number `block` of the sequence; kNoBlock where it is not held.
  BlockId Find(size_t group, uint64_t block) const {
    const Slot& held = slot(layout_->groups()[group], block);
    return held.block == block ? held.id : kNoBlock;
  }
  // Shares a block of the pool as block number `block`, in place of what its slot held.
  void Put(size_t group, uint64_t block, BlockId id);
  // Of a group's blocks behind the sinks, the first from which on all are held up to the last one
  // of `tokens` positions.
  uint64_t FirstHeld(size_t group, uint64_t tokens) const;
  // Gives up all blocks of a group and takes fresh ones for `tokens` positions: the sinks, and
  // those from block `first` on, as many of the last ones as the ring has. CanRenew: the pool has
  // enough of them, with those that this table alone references.
  bool CanRenew(size_t group, uint64_t first, uint64_t tokens) const;
  void Renew(size_t group, uint64_t first, uint64_t tokens);

  // True where everything that the row at `position` sees is still here, but for states.
  bool Holds(uint64_t position) const;
  // Where rows must run from so that others can follow the first `tokens` ones: there, where the
  // rows behind a state are kept, or as in held_blocks.h, of the blocks that this table has.
  uint64_t ReplayFrom(uint64_t tokens) const;
  uint64_t RunsFrom(uint64_t position, uint64_t first_token) const;
  // Of a table that was just filled, the last states being those behind `tokens`.
  void SetStateEnd(uint64_t tokens) { state_end_ = kept_end_ = tokens; }

 private:
  struct Slot {
    uint64_t block;  // which one it holds
    BlockId id;      // kNoBlock: none
    // By the pass that was prepared; of states, once it is over, not referenced any more; kNoBlock:
    // nothing was.
    BlockId replaced;
    uint64_t replaced_block;
    uint32_t replaced_taken;  // how often it was taken up to then
    bool fresh;               // taken by the pass that was prepared, in place of `replaced`
    bool copied;              // likewise, and as a copy: `replaced` is not referenced any more
    bool lent;                // what it replaced comes back to the pool when the pass is over
  };
  // What passes need of a group.
  struct Demand {
    uint64_t growth;  // blocks that the table then has more
    uint64_t turned;  // times that a block is taken in place of one that comes back
  };

  Slot& slot(const KvLayout::Group& group, uint64_t block) const {
    const uint64_t sinks = group.window.sink_blocks;
    const uint64_t place =
        block < sinks ? block : sinks + (block - sinks) % (group.ring_blocks - sinks);
    return slots_[group.first_slot + place];
  }
  // The first block that the pass writes to.
  uint64_t FirstWritten(const KvLayout::Group& group) const {
    const uint64_t first = ContextWindow::Block(pass_begin_);
    const uint64_t last = ContextWindow::Block(pass_end_ - 1);
    return group.window.state && !group.window.slides && first < last ? last - 1 : first;
  }
  // Of one sublayer, [kMostKeptRows, row_floats].
  float* KeptRows(size_t half, size_t entry) const {
    return kept_ + kMostKeptRows * (half * layout_->kept_floats() + layout_->kept_offset(entry));
  }
  bool HoldsStates(uint64_t tokens) const;
  auto held() const {
    return [this](size_t group, uint64_t block) { return Find(group, block) != kNoBlock; };
  }
  Demand DemandOf(size_t group, uint64_t begin, uint64_t end) const;
  // Blocks that this table may keep for good beside what is promised to others.
  uint64_t Spare(size_t group) const;
  BlockId TakeFor(size_t group, bool lent);
  void DropSkippedState();
  bool CanTakeBack(size_t group, const Slot& slot, uint64_t block) const;
  template <typename Visit>  // visit(group index, slot, block) for each block of the pass
  void ForPass(const Visit& visit) const;

  const KvLayout* layout_ = nullptr;
  BlockPool* pool_ = nullptr;
  Slot* slots_ = nullptr;
  uint64_t* promised_ = nullptr;  // [groups]
  uint64_t promised_end_ = 0;     // 0: there is no promise
  float* kept_ = nullptr;         // rows behind the states, and those of the pass: two halves
  size_t kept_half_ = 0;          // whose rows are those of positions
  uint64_t state_end_ = 0;        // from here
  uint64_t kept_end_ = 0;         // to here
  uint64_t last_begin_ = 0;       // where the last pass began, and the states that it found were
  uint64_t last_state_end_ = 0;   // behind; their kept rows are in the other half
  uint64_t pass_begin_ = 0;       // the positions that were prepared
  uint64_t pass_end_ = 0;
};

}  // namespace rondo
