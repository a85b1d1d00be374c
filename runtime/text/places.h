// Places: some that callers take and give back, in the order in which they asked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "platforms/sync.h"

namespace rondo {

class Places {
 public:
  static constexpr size_t kMost = 32;

  // So many, kMost at most; before anybody takes one.
  void SetCount(size_t count);
  // Waits until those who asked before have theirs, and one is free: which.
  size_t Take();
  void Give(size_t place);
  // Somebody waits for one.
  bool wanted() const { return waiting_.load(std::memory_order_relaxed) > 0; }

 private:
  Mutex mutex_;  // guards what is below
  Condition given_back_;
  std::atomic<uint32_t> waiting_{0};
  uint64_t asked_ = 0;   // how often one was asked for
  uint64_t served_ = 0;  // those who asked before this may take one
  uint32_t free_ = 0;    // a bit for each
};

}  // namespace rondo
