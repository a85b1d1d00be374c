// What a table is promised of the pool, and what promises to others leave it.
//
// A prefill under SLIDE that has turned its ring past what the sequence saw before cannot be taken
// back: what it needs is promised before it begins, unless the pool holds all rings. Passes come
// one at a time, and what a pass takes in place of blocks that it gives back is lent: of these one
// pass's are kept for all.
#include <algorithm>

#include "runtime/kv/block_table.h"

namespace rondo {

BlockTable::Demand BlockTable::DemandOf(size_t group, uint64_t begin, uint64_t end) const {
  Demand demand = {0, 0};
  if (begin >= end) return demand;
  const KvLayout::Group& g = layout_->groups()[group];
  const uint64_t first = ContextWindow::Block(begin);
  const uint64_t blocks_end = ContextWindow::Block(end - 1) + 1;
  // Behind these every place of the ring comes again.
  const uint64_t once = std::min(
      blocks_end, std::max(first, g.window.sink_blocks) + (g.ring_blocks - g.window.sink_blocks));
  demand.turned = blocks_end - once;
  for (uint64_t block = first; block < once; ++block) {
    const Slot& held = slot(g, block);
    if (held.id == kNoBlock || pool_->IsShared(group, held.id)) {
      ++demand.growth;
    } else if (held.block != block) {
      ++demand.turned;
    }
  }
  if (g.window.state) demand.turned = blocks_end - first;  // every pass writes to a fresh one
  return demand;
}

bool BlockTable::Reserve(uint64_t begin, uint64_t end) {
  if (layout_->holds_all_rings()) return true;
  const size_t others = pool_->promises();
  for (size_t g = 0; g < layout_->groups().size(); ++g) {
    const Demand demand = DemandOf(g, begin, end);
    uint64_t lent = layout_->groups()[g].window.PassBlocks(layout_->max_rows(), others + 1);
    if (others == 0) lent = std::min(lent, demand.turned);
    const uint64_t needed = pool_->promised(g) + demand.growth + lent;
    if (needed > pool_->free_blocks(g) + pool_->lent(g)) return false;
  }
  promised_end_ = end;
  pool_->BeginPromise();
  RenewPromise(begin);
  return true;
}

void BlockTable::RenewPromise(uint64_t begin) {
  for (size_t g = 0; g < layout_->groups().size(); ++g) {
    const uint64_t growth = DemandOf(g, begin, promised_end_).growth;
    pool_->Promise(g, promised_[g], growth);
    promised_[g] = growth;
  }
}

void BlockTable::EndPromise() {
  RenewPromise(promised_end_);
  promised_end_ = 0;
  pool_->EndPromise();
}

uint64_t BlockTable::Spare(size_t group) const {
  const uint64_t free = pool_->free_blocks(group);
  const size_t promises = pool_->promises();
  if (promises == 0) return free;
  uint64_t kept = pool_->promised(group);
  if (!has_promise()) {
    kept += layout_->groups()[group].window.PassBlocks(layout_->max_rows(), promises);
  }
  const uint64_t most = free + pool_->lent(group);
  return std::min(free, most - std::min(most, kept));
}

// A fresh block for a pass, `lent` where it replaces one that comes back; kNoBlock: there is none.
BlockId BlockTable::TakeFor(size_t group, bool lent) {
  const bool may = lent ? pool_->free_blocks(group) > pool_->promised(group) : Spare(group) > 0;
  const BlockId id = may ? pool_->Take(group) : kNoBlock;
  if (lent && id != kNoBlock) pool_->Lend(group);
  return id;
}

}  // namespace rondo
