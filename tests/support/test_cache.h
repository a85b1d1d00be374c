// TestCache: a pool of KV blocks in memory of its own, for tests below the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "platforms/memory.h"
#include "runtime/base/checked.h"
#include "runtime/kv/block_pool.h"
#include "runtime/kv/block_table.h"

namespace rondo {

class TestCache {
 public:
  // One pool for `sequences` tables. Throws nothing: a wrong call crashes the test.
  TestCache(const KernelSet& set, KvFormat format, std::vector<KvLayout::Entry> entries,
            const ContextWindow& window, uint64_t max_rows, uint64_t sequences = 1,
            uint64_t pool_tokens = 0)
      : layout_(std::move(
            *KvLayout::Create(set, format, entries, window, max_rows, sequences, pool_tokens))) {
    MemoryPlan plan;
    pool_ = std::move(*BlockPool::Plan(layout_, &plan));
    plan.Layout().ok();
    bytes_ = plan.arena_bytes();
    arena_ = static_cast<uint8_t*>(MapMemory(bytes_));
    // Nothing depends on what the blocks hold at first, where it is finite.
    for (size_t i = 0; i < bytes_; ++i) arena_[i] = 0x5A;
    pool_.Bind(plan, arena_);
  }
  TestCache(const TestCache&) = delete;
  TestCache& operator=(const TestCache&) = delete;
  ~TestCache() { UnmapMemory(arena_, bytes_); }

  BlockTable NewTable() {
    memories_.push_back(std::make_unique<std::vector<uint64_t>>(
        CeilDiv(BlockTable::Bytes(layout_), sizeof(uint64_t))));
    return {layout_, &pool_, memories_.back()->data()};
  }

  const KvLayout& layout() const { return layout_; }
  BlockPool& pool() { return pool_; }
  size_t bytes() const { return bytes_; }

 private:
  KvLayout layout_;
  BlockPool pool_;
  uint8_t* arena_ = nullptr;
  size_t bytes_ = 0;
  std::vector<std::unique_ptr<std::vector<uint64_t>>> memories_;
};

}  // namespace rondo
