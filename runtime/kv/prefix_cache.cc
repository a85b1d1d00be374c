#include "runtime/kv/prefix_cache.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <type_traits>

#include "runtime/base/checked.h"
#include "runtime/base/checksum.h"

namespace rondo {

Result<PrefixCache> PrefixCache::Plan(const KvLayout& layout, MemoryPlan* plan) {
  PrefixCache cache;
  const std::span<const KvLayout::Group> groups = layout.groups();
  // That with the longest ring; where several have, the same one for every context.
  const auto reach = [](const ContextWindow& window) {
    return window.state ? 0 : window.tokens == 0 ? UINT64_MAX : window.tokens;
  };
  for (size_t g = 1; g < groups.size(); ++g) {
    if (reach(groups[g].window) > reach(groups[cache.searched_].window)) cache.searched_ = g;
  }
  // Of more the pool refuses the plan.
  cache.n_entries_ =
      static_cast<uint32_t>(std::min<uint64_t>(groups[cache.searched_].pool_blocks, kNoBlock - 1));
  cache.n_buckets_ = std::bit_ceil(std::max<uint32_t>(cache.n_entries_, 2) / 2);
  const auto add = [&](CheckedSize bytes) {
    return plan->Add(Segment::kKvPool, bytes.ValueOrMost(), "prefix cache");
  };
  cache.entries_region_ = add(CheckedSize(cache.n_entries_) * sizeof(Entry));
  cache.buckets_region_ = add(CheckedSize(cache.n_buckets_) * sizeof(BlockId));
  cache.companions_region_ = add(CheckedSize(cache.n_entries_) * groups.size() * sizeof(BlockId));
  return cache;
}

void PrefixCache::Bind(const MemoryPlan& plan, uint8_t* arena, const KvLayout& layout,
                       BlockPool* pool) {
  layout_ = &layout;
  pool_ = pool;
  const auto at = [&](MemoryPlan::RegionId id) { return arena + plan.region(id).offset; };
  entries_ = reinterpret_cast<Entry*>(at(entries_region_));
  buckets_ = reinterpret_cast<BlockId*>(at(buckets_region_));
  companions_ = reinterpret_cast<BlockId*>(at(companions_region_));
  for (BlockId id = 0; id < n_entries_; ++id) entries_[id].bucket = kNoBlock;
  std::fill_n(buckets_, n_buckets_, kNoBlock);
  std::fill_n(companions_, n_entries_ * layout_->groups().size(), kNoBlock);
}

PrefixCache::Root PrefixCache::RootOf(bool is_long, const Digest* adapter) {
  if (adapter == nullptr) return is_long ? Root::kLong : Root::kShort;
  auto place = std::find_if(adapters_.begin(), adapters_.end() - 1, [&](const AdapterRoots& roots) {
    return roots.first == 0 || roots.adapter == *adapter;
  });
  if (place->first == 0 || place->adapter != *adapter) {
    *place = {*adapter, last_mark_ + 1};
    last_mark_ += 2;
  }
  std::rotate(adapters_.begin(), place, place + 1);
  return static_cast<Root>(adapters_.front().first + (is_long ? 1 : 0));
}

PrefixCache::Key PrefixCache::KeyOf(BlockMark previous, const KeyHistory& tokens, uint64_t block) {
  Key key;
  key.previous = previous;
  key.inputs = {};
  Digester inputs;
  std::optional<uint32_t> last;  // that was added
  for (size_t i = 0; i < key.tokens.size(); ++i) {
    const InputKey at = tokens.key(block * kKvBlockTokens + i);
    key.tokens[i] = at.token();
    if (!at.is_row()) continue;
    key.tokens[i] = -1 - static_cast<int32_t>(at.row());
    if (last == at.input()) continue;
    inputs.Add(tokens.inputs()->facts(at.input()).digest);
    last = at.input();
  }
  if (last) key.inputs = inputs.Finish();
  return key;
}

uint32_t PrefixCache::BucketOf(const Key& key) const {
  static_assert(std::has_unique_object_representations_v<Key>);
  const std::span bytes(reinterpret_cast<const uint8_t*>(&key), sizeof key);
  return static_cast<uint32_t>(Checksum(bytes)) & (n_buckets_ - 1);
}

// An entry counts while its block has a mark: one that was taken for another use has none.
BlockId PrefixCache::Find(const Key& key) const {
  for (BlockId id = buckets_[BucketOf(key)]; id != kNoBlock; id = entries_[id].next) {
    if (pool_->mark(searched_, id) != 0 && entries_[id].key == key) return id;
  }
  return kNoBlock;
}

void PrefixCache::Insert(BlockId id, const Key& key) {
  Entry& entry = entries_[id];
  if (entry.bucket != kNoBlock) {  // of what the block held before
    BlockId* link = &buckets_[entry.bucket];
    while (*link != id) link = &entries_[*link].next;
    *link = entry.next;
  }
  const uint32_t bucket = BucketOf(key);
  entry = {key, bucket, buckets_[bucket]};
  buckets_[bucket] = id;
}

bool PrefixCache::HasCompanion(size_t group, BlockId id) {
  const BlockId companion = Companion(group, id);
  return companion != kNoBlock && pool_->mark(group, companion) == pool_->mark(searched_, id);
}

void PrefixCache::Keep(Root root, const KeyHistory& tokens, uint64_t block, BlockTable* table) {
  const std::span<const KvLayout::Group> groups = layout_->groups();
  // Behind a ring that turned, the text's first block is gone, and none is found without it.
  if (block >= groups[searched_].ring_blocks) return;
  BlockMark previous = static_cast<BlockMark>(root);
  if (block > 0) {
    const BlockId before = table->Find(searched_, block - 1);
    previous = before == kNoBlock ? 0 : pool_->mark(searched_, before);
    if (previous == 0) return;
  }
  const Key key = KeyOf(previous, tokens, block);
  const BlockId mine = table->Find(searched_, block);
  if (mine == kNoBlock) return;
  BlockId id = Find(key);
  if (id != kNoBlock && !table->MayShare()) return;
  if (id == kNoBlock) {
    id = mine;
    Insert(id, key);
    pool_->SetMark(searched_, id, ++last_mark_);
  } else if (id != mine) {
    table->Put(searched_, block, id);
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    if (g == searched_) continue;
    const BlockId own_companion = table->Find(g, block);
    if (own_companion == kNoBlock) continue;  // the ring turned past it
    if (HasCompanion(g, id)) {
      table->Put(g, block, Companion(g, id));
    } else {
      Companion(g, id) = own_companion;
      pool_->SetMark(g, own_companion, pool_->mark(searched_, id));
    }
  }
}

// How many of the first `blocks` blocks, which `table` has of the searched group, make a prefix:
// the others hold as much before its end as rows there see, or, under SLIDE, as much as a ring.
uint64_t PrefixCache::UsableBlocks(uint64_t blocks, const BlockTable& table) {
  const std::span<const KvLayout::Group> groups = layout_->groups();
  const auto usable = [&](uint64_t n) {
    for (size_t g = 0; g < groups.size(); ++g) {
      if (g == searched_) continue;
      const ContextWindow& window = groups[g].window;
      uint64_t block = window.slides ? n - std::min(n, groups[g].ring_blocks)
                                     : window.FirstRecentBlock(n * kKvBlockTokens - 1);
      for (; block < n; ++block) {
        if (!HasCompanion(g, table.Find(searched_, block))) return false;
      }
    }
    return true;
  };
  while (blocks > 0 && !usable(blocks)) --blocks;
  return blocks;
}

uint64_t PrefixCache::TakeOver(Root root, const KeyHistory& tokens, uint64_t most,
                               BlockTable* table) {
  if (!table->MayShare()) return 0;
  const std::span<const KvLayout::Group> groups = layout_->groups();
  const uint64_t limit = std::min(most / kKvBlockTokens, groups[searched_].ring_blocks);
  BlockMark previous = static_cast<BlockMark>(root);
  uint64_t found = 0;
  for (; found < limit; ++found) {
    const BlockId id = Find(KeyOf(previous, tokens, found));
    if (id == kNoBlock) break;
    table->Put(searched_, found, id);
    previous = pool_->mark(searched_, id);
  }
  const uint64_t blocks = UsableBlocks(found, *table);
  table->Truncate(blocks * kKvBlockTokens);
  for (size_t g = 0; g < groups.size(); ++g) {
    if (g == searched_) continue;
    // From the end back to the first that is gone: a table holds its blocks without gaps.
    const uint64_t first = blocks - std::min(blocks, groups[g].ring_blocks);
    for (uint64_t b = blocks; b > first; --b) {
      const BlockId id = table->Find(searched_, b - 1);
      if (!HasCompanion(g, id)) break;
      table->Put(g, b - 1, Companion(g, id));
    }
  }
  return blocks * kKvBlockTokens;
}

}  // namespace rondo
