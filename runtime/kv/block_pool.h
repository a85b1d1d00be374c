// BlockPool: an engine's KV blocks, equal within a layer group, and who references them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/checked.h"
#include "runtime/kv/kv_layout.h"
#include "runtime/plan/memory_plan.h"

namespace rondo {

// A KV block's number in its group's part of the pool.
using BlockId = uint32_t;
inline constexpr BlockId kNoBlock = UINT32_MAX;

// One thread at a time.
class BlockPool {
 public:
  BlockPool() = default;
  // Adds the blocks of each group, and the counts of references, to `plan`.
  static Result<BlockPool> Plan(const KvLayout& layout, MemoryPlan* plan);
  // After the plan's Layout. All blocks are free; their contents are irrelevant.
  void Bind(const MemoryPlan& plan, uint8_t* arena);

  uint8_t* Block(size_t group, BlockId id) const {
    const Group& g = groups_[group];
    return g.blocks + id * g.block_bytes;
  }
  size_t free_blocks(size_t group) const { return groups_[group].n_free; }
  bool IsShared(size_t group, BlockId id) const { return groups_[group].references[id] > 1; }

  // A block with one reference; kNoBlock where all are in use.
  BlockId Take(size_t group);
  void Share(size_t group, BlockId id) { ++groups_[group].references[id]; }
  // Gives up one reference; kNoBlock is fine. The last one frees the block.
  void Drop(size_t group, BlockId id);

 private:
  struct Group {
    size_t block_bytes;
    size_t n_blocks;
    MemoryPlan::RegionId blocks_region;
    MemoryPlan::RegionId counts_region;
    uint8_t* blocks;
    uint32_t* references;  // [n_blocks]
    BlockId* free;         // [n_blocks], the first n_free are free
    size_t n_free;
  };
  HeapArray<Group> groups_;
};

}  // namespace rondo
