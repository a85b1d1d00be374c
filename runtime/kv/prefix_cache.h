// PrefixCache: finds KV blocks by the tokens that they were computed from, so that a sequence which
// begins like another takes over what that one computed.
//
// A full block is known by its own tokens and by the mark of the block before it; so two are taken
// for each other only where all tokens up to their end are equal. Marks are never used twice.
// Blocks are looked for in one layer group, that with the longest ring; its entries name the blocks
// of the other groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/base/digest.h"
#include "runtime/base/status.h"
#include "runtime/kv/block_table.h"
#include "runtime/kv/key_history.h"
#include "runtime/plan/memory_plan.h"

namespace rondo {

// One thread at a time.
class PrefixCache {
 public:
  // What the first block of a text follows. Keys that were turned by other frequencies are others.
  enum class Root : BlockMark { kShort = 1, kLong = 2 };
  // The same where an adapter with this digest changed them; null: none did. Of adapters that
  // others have followed the texts are not found any more.
  Root RootOf(bool is_long, const Digest* adapter);
  static constexpr size_t kMostAdapters = 32;

  PrefixCache() = default;
  // Adds its entries to `plan`.
  static Result<PrefixCache> Plan(const KvLayout& layout, MemoryPlan* plan);
  // After the plan's Layout. `layout` and `pool`, which is bound, outlive it.
  void Bind(const MemoryPlan& plan, uint8_t* arena, const KvLayout& layout, BlockPool* pool);

  // `table` holds block number `block` of a text, full. It can be found from now on. Where another
  // computed the same before, the table shares that one's block from now on.
  void Keep(Root root, const KeyHistory& tokens, uint64_t block, BlockTable* table);

  // Gives the empty `table` the blocks of the longest prefix of at most `most` of these tokens that
  // every layer group still holds; returns its length in tokens, a multiple of kKvBlockTokens.
  uint64_t TakeOver(Root root, const KeyHistory& tokens, uint64_t most, BlockTable* table);

 private:
  // Inputs are known by their digests: their numbers are given to others.
  struct Key {
    BlockMark previous;  // of the block before
    Digest inputs;       // of the digests of those that have rows in the block; 0: none has
    // Of a row of an input -1 less its number in that.
    std::array<int32_t, kKvBlockTokens> tokens;
    bool operator==(const Key&) const = default;
  };
  // A digest is too long for a mark.
  struct AdapterRoots {
    Digest adapter;
    BlockMark first = 0;  // Root::kShort's place, and behind it Root::kLong's; 0: nobody's
  };
  struct Entry {
    Key key;
    uint32_t bucket;
    BlockId next;  // in the same bucket
  };

  static Key KeyOf(BlockMark previous, const KeyHistory& tokens, uint64_t block);
  uint32_t BucketOf(const Key& key) const;
  BlockId Find(const Key& key) const;
  void Insert(BlockId id, const Key& key);
  // The block of another group that was computed with the searched group's block `id`.
  BlockId& Companion(size_t group, BlockId id) { return companions_[group * n_entries_ + id]; }
  bool HasCompanion(size_t group, BlockId id);
  uint64_t UsableBlocks(uint64_t blocks, const BlockTable& table);

  const KvLayout* layout_ = nullptr;
  BlockPool* pool_ = nullptr;
  size_t searched_ = 0;  // the group
  uint32_t n_entries_ = 0;
  uint32_t n_buckets_ = 0;  // a power of two
  MemoryPlan::RegionId entries_region_ = 0;
  MemoryPlan::RegionId buckets_region_ = 0;
  MemoryPlan::RegionId companions_region_ = 0;
  Entry* entries_ = nullptr;                          // [n_entries], by block of the searched group
  BlockId* buckets_ = nullptr;                        // [n_buckets]
  BlockId* companions_ = nullptr;                     // [groups, n_entries]
  std::array<AdapterRoots, kMostAdapters> adapters_;  // the last one first
  BlockMark last_mark_ = static_cast<BlockMark>(Root::kLong);
};

}  // namespace rondo
