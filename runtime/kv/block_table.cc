#include "runtime/kv/block_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace rondo {

size_t BlockTable::Bytes(const KvLayout& layout) {
  const CheckedSize bytes = CheckedSize(layout.slots()) * sizeof(Slot) +
                            CheckedSize(layout.groups().size()) * sizeof(uint64_t) +
                            CheckedSize(2 * kMostKeptRows) * layout.kept_floats() * sizeof(float);
  return bytes.valid() ? bytes.value() : SIZE_MAX;
}

BlockTable::BlockTable(const KvLayout& layout, BlockPool* pool, void* memory)
    : layout_(&layout),
      pool_(pool),
      slots_(static_cast<Slot*>(memory)),
      promised_(reinterpret_cast<uint64_t*>(slots_ + layout.slots())),
      kept_(reinterpret_cast<float*>(promised_ + layout.groups().size())) {
  for (size_t i = 0; i < layout.slots(); ++i)
    slots_[i] = {0, kNoBlock, kNoBlock, 0, 0, false, false, false};
  std::fill_n(promised_, layout.groups().size(), 0);
}

template <typename Visit>
void BlockTable::ForPass(const Visit& visit) const {
  if (pass_begin_ == pass_end_) return;
  const std::span<const KvLayout::Group> groups = layout_->groups();
  for (size_t g = 0; g < groups.size(); ++g) {
    for (uint64_t block = FirstWritten(groups[g]); block <= ContextWindow::Block(pass_end_ - 1);
         ++block) {
      visit(g, slot(groups[g], block), block);
    }
  }
}

bool BlockTable::Prepare(uint64_t begin, uint64_t end) {
  pass_begin_ = begin;
  pass_end_ = end;
  last_begin_ = 0;  // it keeps rows where the last one's predecessor did
  if (!HoldsStates(begin)) SetStateEnd(begin);  // where a block ends
  bool enough = true;
  if (has_promise()) RenewPromise(promised_end_);  // it is there to be used
  ForPass([&](size_t group, Slot& slot, uint64_t block) {
    slot.fresh = slot.copied = false;
    if (!enough) return;
    const bool state = layout_->groups()[group].window.state;
    const bool holds = !state && slot.id != kNoBlock && slot.block == block;
    if (holds && !pool_->IsShared(group, slot.id)) {
      pool_->SetMark(group, slot.id, 0);  // it becomes another
      return;
    }
    const bool lent = slot.id != kNoBlock && !pool_->IsShared(group, slot.id);
    const BlockId id = TakeFor(group, lent);
    enough = id != kNoBlock;
    if (!enough) return;
    if (holds) {
      std::memcpy(pool_->Block(group, id), pool_->Block(group, slot.id),
                  layout_->groups()[group].block_bytes);
      pool_->Drop(group, slot.id);
    }
    slot = {block, id, slot.id, slot.block, 0, !holds, holds, lent};
  });
  if (!enough) Unprepare();
  if (enough && has_promise()) RenewPromise(end);
  return enough;
}

void BlockTable::Commit(uint64_t accepted) {
  ForPass([&](size_t group, Slot& slot, uint64_t) {
    if (!slot.fresh) return;
    if (slot.lent) pool_->TakeBack(group);
    if (slot.replaced != kNoBlock) slot.replaced_taken = pool_->times_taken(group, slot.replaced);
    pool_->Drop(group, slot.replaced);
    slot.fresh = false;
  });
  DropSkippedState();
  last_begin_ = pass_begin_;
  last_state_end_ = state_end_;
  state_end_ = next_state_end();
  kept_end_ = accepted;
  kept_half_ = 1 - kept_half_;
  pass_begin_ = pass_end_ = 0;
}

// The state within a block which the last pass replaced by that behind its own rows.
bool BlockTable::CanTakeBack(size_t group, const Slot& slot, uint64_t block) const {
  return slot.id != kNoBlock && slot.block == block && slot.replaced != kNoBlock &&
         slot.replaced_block == block &&
         pool_->times_taken(group, slot.replaced) == slot.replaced_taken &&
         (!pool_->IsShared(group, slot.id) || Spare(group) > 0);
}

// A state behind a whole block is in a slot of its own and was not replaced.
bool BlockTable::TakeBackStates(uint64_t tokens) {
  if (tokens == 0 || tokens != last_begin_ || tokens % kKvBlockTokens == 0 || has_promise() ||
      HoldsStates(tokens)) {
    return false;
  }
  const uint64_t block = ContextWindow::Block(tokens);
  const std::span<const KvLayout::Group> groups = layout_->groups();
  bool all = layout_->window().replays;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].window.state) all = all && CanTakeBack(g, slot(groups[g], block), block);
  }
  for (size_t g = 0; all && g < groups.size(); ++g) {
    if (!groups[g].window.state) continue;
    Slot& held = slot(groups[g], block);
    pool_->Drop(g, held.id);
    pool_->Share(g, held.replaced);
    held.id = std::exchange(held.replaced, kNoBlock);
  }
  if (!all) return false;
  state_end_ = last_state_end_;
  kept_end_ = tokens;
  kept_half_ = 1 - kept_half_;
  return true;
}

// A state within a block that the pass went past, but kept none of, is not that behind the block.
void BlockTable::DropSkippedState() {
  const std::span<const KvLayout::Group> groups = layout_->groups();
  const uint64_t block = ContextWindow::Block(pass_begin_);
  for (size_t g = 0; g < groups.size(); ++g) {
    if (pass_begin_ == pass_end_ || !groups[g].window.state || block >= FirstWritten(groups[g])) {
      continue;
    }
    Slot& held = slot(groups[g], block);
    if (held.id == kNoBlock || held.block != block) continue;
    pool_->Drop(g, held.id);
    held.id = kNoBlock;
  }
}

// Others have the originals of copies still.
void BlockTable::Unprepare() {
  ForPass([&](size_t group, Slot& slot, uint64_t) {
    if (!std::exchange(slot.copied, false)) return;
    pool_->Drop(group, slot.id);
    pool_->Share(group, slot.replaced);
    slot.id = std::exchange(slot.replaced, kNoBlock);
  });
  Rollback();
}

void BlockTable::Rollback() {
  ForPass([&](size_t group, Slot& slot, uint64_t) {
    if (!slot.fresh) return;
    if (slot.lent) pool_->TakeBack(group);
    pool_->Drop(group, slot.id);
    slot = {slot.replaced_block, slot.replaced, kNoBlock, 0, 0, false, false, false};
  });
  if (has_promise() && pass_begin_ != pass_end_) RenewPromise(pass_begin_);
  pass_begin_ = pass_end_ = 0;
}

const uint8_t* BlockTable::StateBefore(size_t entry) const {
  const size_t group = layout_->group_of(entry);
  const uint64_t block = ContextWindow::Block(std::max<uint64_t>(pass_begin_, 1) - 1);
  const Slot& held = slot(layout_->groups()[group], block);
  const BlockId id = held.fresh ? held.replaced : held.id;
  return id == kNoBlock ? nullptr : pool_->Block(group, id) + layout_->PageOffset(entry, 0);
}

void BlockTable::Truncate(uint64_t tokens) {
  kept_end_ = tokens < state_end_ ? 0 : std::min(kept_end_, tokens);
  state_end_ = std::min(state_end_, kept_end_);
  const std::span<const KvLayout::Group> groups = layout_->groups();
  for (size_t g = 0; g < groups.size(); ++g) {
    for (size_t i = groups[g].ring_blocks; i-- > 0;) {
      Slot& slot = slots_[groups[g].first_slot + i];
      if (slot.id == kNoBlock || slot.block * kKvBlockTokens < tokens) continue;
      pool_->Drop(g, slot.id);
      slot.id = kNoBlock;
    }
  }
}

void BlockTable::ShareAll(const BlockTable& other) {
  Truncate(0);
  std::memcpy(slots_, other.slots_, layout_->slots() * sizeof(Slot));
  last_begin_ = 0;  // kept rows are copied of one half
  state_end_ = other.state_end_;
  kept_end_ = other.kept_end_;
  for (size_t entry = 0; entry < layout_->entries(); ++entry) {
    const size_t floats = (kept_end_ - state_end_) * layout_->entry(entry).row_floats;
    std::copy_n(other.KeptRows(other.kept_half_, entry), floats, KeptRows(kept_half_, entry));
  }
  const std::span<const KvLayout::Group> groups = layout_->groups();
  for (size_t g = 0; g < groups.size(); ++g) {
    for (size_t i = 0; i < groups[g].ring_blocks; ++i) {
      const Slot& slot = slots_[groups[g].first_slot + i];
      if (slot.id != kNoBlock) pool_->Share(g, slot.id);
    }
  }
}

void BlockTable::Put(size_t group, uint64_t block, BlockId id) {
  pool_->Share(group, id);
  Slot& held = slot(layout_->groups()[group], block);
  pool_->Drop(group, held.id);
  held = {block, id, kNoBlock, 0, 0, false, false, false};
}

uint64_t BlockTable::HeldBytes() const {
  uint64_t bytes = 0;
  const std::span<const KvLayout::Group> groups = layout_->groups();
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const Slot& slot : std::span(slots_ + groups[g].first_slot, groups[g].ring_blocks)) {
      if (slot.id != kNoBlock) bytes += pool_->block_bytes(g);
    }
  }
  return bytes;
}

uint64_t BlockTable::FirstHeld(size_t group, uint64_t tokens) const {
  const KvLayout::Group& g = layout_->groups()[group];
  uint64_t first = KvLayout::Group::Blocks(tokens);
  while (first > g.Sinks(tokens) && Find(group, first - 1) != kNoBlock) --first;
  return first;
}

bool BlockTable::CanRenew(size_t group, uint64_t first, uint64_t tokens) const {
  const KvLayout::Group& g = layout_->groups()[group];
  const uint64_t wanted =
      g.Sinks(tokens) + KvLayout::Group::Blocks(tokens) - std::max(first, g.FirstInRing(tokens));
  uint64_t got = Spare(group);
  for (const Slot& slot : std::span(slots_ + g.first_slot, g.ring_blocks)) {
    got += slot.id != kNoBlock && !pool_->IsShared(group, slot.id);
  }
  return wanted <= got;
}

void BlockTable::Renew(size_t group, uint64_t first, uint64_t tokens) {
  const KvLayout::Group& g = layout_->groups()[group];
  for (Slot& slot : std::span(slots_ + g.first_slot, g.ring_blocks)) {
    pool_->Drop(group, slot.id);
    slot = {0, kNoBlock, kNoBlock, 0, 0, false, false, false};
  }
  g.ForBlocks(std::max(first, g.FirstInRing(tokens)), tokens, [&](uint64_t block) {
    slot(g, block) = {block, pool_->Take(group), kNoBlock, 0, 0, false, false, false};
  });
}

bool BlockTable::Holds(uint64_t position) const { return SeesAll(*layout_, position, held()); }

// The last states, and the rows behind them up to `tokens`.
bool BlockTable::HoldsStates(uint64_t tokens) const {
  if (tokens == 0 || tokens < state_end_ || tokens > kept_end_) return false;
  const std::span<const KvLayout::Group> groups = layout_->groups();
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].window.state && Find(g, ContextWindow::Block(tokens - 1)) == kNoBlock) {
      return false;
    }
  }
  return layout_->window().replays;
}

uint64_t BlockTable::ReplayFrom(uint64_t tokens) const {
  return HoldsStates(tokens) ? tokens : rondo::ReplayFrom(*layout_, tokens, held());
}

uint64_t BlockTable::RunsFrom(uint64_t position, uint64_t first_token) const {
  if (HoldsStates(position) && position >= first_token && Holds(position)) return position;
  return rondo::RunsFrom(*layout_, position, first_token, held());
}

}  // namespace rondo
