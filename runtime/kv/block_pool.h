// BlockPool: an engine's KV blocks, equal within a layer group, and who references them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/base/checked.h"
#include "runtime/kv/kv_layout.h"
#include "runtime/plan/memory_plan.h"

namespace rondo {

// A KV block's number in its group's part of the pool.
using BlockId = uint32_t;
inline constexpr BlockId kNoBlock = UINT32_MAX;

// What a full KV block holds, for whoever looks for it later; 0: nothing that is looked for.
using BlockMark = uint64_t;

// A block that nobody references is free. It keeps what it holds, and can be shared again, until
// it is taken: those without a mark first, what was freed last before others; then those with one,
// the oldest first.
// One thread at a time.
class BlockPool {
 public:
  BlockPool() = default;
  // Adds the blocks of each group, and the account of them, to `plan`.
  static Result<BlockPool> Plan(const KvLayout& layout, MemoryPlan* plan);
  // After the plan's Layout. All blocks are free; their contents are irrelevant.
  void Bind(const MemoryPlan& plan, uint8_t* arena);

  uint8_t* Block(size_t group, BlockId id) const {
    const Group& g = groups_[group];
    return g.blocks + id * g.block_bytes;
  }
  size_t free_blocks(size_t group) const {
    return groups_[group].n_free.load(std::memory_order_relaxed);
  }
  // [any thread] Bytes of the blocks that are referenced, and of all.
  uint64_t used_bytes() const;
  uint64_t all_bytes() const;
  uint64_t block_bytes(size_t group) const { return groups_[group].block_bytes; }
  bool IsShared(size_t group, BlockId id) const { return groups_[group].uses[id].references > 1; }

  // A block with one reference and no mark; kNoBlock where all are in use.
  BlockId Take(size_t group);
  // One reference more, also to a free block whose mark, or how often it was taken, says that it
  // holds what is wanted.
  void Share(size_t group, BlockId id);
  // Gives up one reference; kNoBlock is fine. The last one frees the block.
  void Drop(size_t group, BlockId id);

  // Free blocks that some tables are sure to get; of others, that come back when the pass that took
  // them is over; and how many tables have a promise. Kept by BlockTable.
  size_t promised(size_t group) const { return groups_[group].promised; }
  void Promise(size_t group, size_t before, size_t now) { groups_[group].promised += now - before; }
  size_t lent(size_t group) const { return groups_[group].lent; }
  void Lend(size_t group) { ++groups_[group].lent; }
  void TakeBack(size_t group) { --groups_[group].lent; }
  size_t promises() const { return promises_; }
  void BeginPromise() { ++promises_; }
  void EndPromise() { --promises_; }

  BlockMark mark(size_t group, BlockId id) const { return groups_[group].uses[id].mark; }
  uint32_t times_taken(size_t group, BlockId id) const { return groups_[group].uses[id].taken; }
  // Of a block that is referenced.
  void SetMark(size_t group, BlockId id, BlockMark mark) { groups_[group].uses[id].mark = mark; }

 private:
  struct Use {
    BlockMark mark;
    uint32_t references;
    uint32_t taken;  // how often
    // The free blocks form a ring through an entry of its own behind the last block.
    BlockId previous;
    BlockId next;
  };
  struct Group {
    size_t block_bytes;
    BlockId n_blocks;
    MemoryPlan::RegionId blocks_region;
    MemoryPlan::RegionId uses_region;
    uint8_t* blocks;
    Use* uses;  // [n_blocks + 1]
    std::atomic<size_t> n_free;
    size_t promised;
    size_t lent;
  };
  static void Link(Group& group, BlockId id, BlockId before);
  static void Unlink(Group& group, BlockId id);

  HeapArray<Group> groups_;
  size_t promises_ = 0;
};

}  // namespace rondo
