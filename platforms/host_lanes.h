// HostLanes: runs tasks on a thread pool of the host, which is trusted with nothing: whatever it
// does with the work, each task runs once, and none after Run. A lane that the pool was given and
// did not call may still come after Close: what it looks at is there until it came.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "platforms/sync.h"
#include "platforms/thread_pool.h"

namespace rondo {

// A lane stands for a thread: it takes tasks until none is left. The host runs each lane once, on
// any thread, and returns when all have ended.
class HostLanes {
 public:
  static constexpr size_t kMost = 256;

  // At most kMost lanes. Null where the system refuses memory.
  static HostLanes* Create(const HostPool& host, size_t lanes) {
    return new (std::nothrow) HostLanes(host, lanes);
  }
  // No Run follows. Lanes that may still come do nothing, and the last of them frees the memory.
  // Repeated ones must not run any more: nobody knows of them.
  void Close() { Drop(); }
  HostLanes(const HostLanes&) = delete;
  HostLanes& operator=(const HostLanes&) = delete;

  // As ThreadPool::Run; `thread` is a lane's number.
  void Run(size_t count, void (*task)(void* context, size_t i, size_t thread), void* context) {
    task_ = task;
    context_ = context;
    count_ = count;
    active_ = std::min(count, lanes_);
    next_.store(0, std::memory_order_relaxed);
    for (size_t i = 0; i < active_; ++i) {
      begun_[i].store(false, std::memory_order_relaxed);
      owed_[i].fetch_add(1, std::memory_order_relaxed);
    }
    references_.fetch_add(active_, std::memory_order_relaxed);
    open_.store(true);
    host_.parallel_for(host_.user, active_, Lane, this);
    bool fault = running_.load() > 0;  // it came back before all had ended
    for (size_t i = 0; i < active_; ++i) {
      if (begun_[i].exchange(true)) continue;
      fault = true;  // or without having begun all
      Work(i);
    }
    // A lane that comes later finds this closed; one that came before is waited for.
    open_.store(false);
    while (running_.load() > 0) YieldThread();
    if (fault) faults_.fetch_add(1, std::memory_order_relaxed);
  }

  uint64_t faults() const { return faults_.load(std::memory_order_relaxed); }

 private:
  HostLanes(const HostPool& host, size_t lanes) : host_(host), lanes_(lanes) {}
  ~HostLanes() = default;

  static void Lane(void* self, size_t lane) {
    auto* const lanes = static_cast<HostLanes*>(self);
    lanes->running_.fetch_add(1);
    if (lanes->open_.load() && lane < lanes->active_ && !lanes->begun_[lane].exchange(true)) {
      lanes->Work(lane);
    } else {  // too late, unheard of, or once more
      lanes->faults_.fetch_add(1, std::memory_order_relaxed);
    }
    const bool awaited = lane < lanes->lanes_ && lanes->TakeOwed(lane);
    lanes->running_.fetch_sub(1);
    if (awaited) lanes->Drop();
  }

  // One of the calls that the pool owes of this lane; false: it repeats one or makes one up.
  bool TakeOwed(size_t lane) {
    uint64_t owed = owed_[lane].load(std::memory_order_relaxed);
    while (owed > 0 && !owed_[lane].compare_exchange_weak(owed, owed - 1)) {
    }
    return owed > 0;
  }
  void Drop() {
    if (references_.fetch_sub(1) == 1) delete this;
  }

  void Work(size_t lane) {
    for (size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) {
      task_(context_, i, lane);
    }
  }

  const HostPool host_;
  const size_t lanes_;
  // Of the Run that is open. Written while no lane runs.
  void (*task_)(void* context, size_t i, size_t thread) = nullptr;
  void* context_ = nullptr;
  size_t count_ = 0;
  size_t active_ = 0;
  std::atomic<size_t> next_ = 0;
  std::array<std::atomic<bool>, kMost> begun_ = {};
  std::atomic<size_t> running_ = 0;
  std::atomic<bool> open_ = false;
  std::array<std::atomic<uint64_t>, kMost> owed_ = {};  // calls of each lane that have not come
  std::atomic<uint64_t> references_ = 1;                // those calls, and the engine's own
  std::atomic<uint64_t> faults_ = 0;
};

}  // namespace rondo
