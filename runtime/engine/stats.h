// What engines and sequences have done so far. Times are wall time in nanoseconds.
#pragma once

#include <atomic>
#include <cstdint>

#include "platforms/clock.h"

namespace rondo {

// Of one sequence, since it began. Written by passes that have rows of it.
struct SequenceStats {
  uint64_t passes = 0;
  uint64_t rows = 0;
  uint64_t prefill_ns = 0;  // of passes in which it had several rows
  uint64_t decode_ns = 0;   // in which it waited for one, drafts or not
  uint64_t sample_ns = 0;
  uint64_t last_decode_ns = 0;  // of the last pass; 0: somebody had several rows of a prompt
  uint64_t drafts_proposed = 0;
  uint64_t drafts_accepted = 0;    // and handed out: passes saved
  uint64_t prefix_hits = 0;        // times that the prefix cache had something of it
  uint64_t tokens_taken_over = 0;  // then
  uint64_t tokens_evicted = 0;
  uint64_t evicted_before = 0;  // behind the last pass
};

// Of an engine. Read by any thread, written by several.
struct EngineStats {
  std::atomic<uint64_t> passes{0};
  std::atomic<uint64_t> rows{0};
  std::atomic<uint64_t> prefill_ns{0};
  std::atomic<uint64_t> decode_ns{0};  // of passes in which nobody had more rows, but for drafts
  std::atomic<uint64_t> sample_ns{0};
  std::atomic<uint64_t> drafts_proposed{0};
  std::atomic<uint64_t> drafts_accepted{0};
  std::atomic<uint64_t> prefix_hits{0};
  std::atomic<uint64_t> tokens_taken_over{0};
  std::atomic<uint64_t> tokens_evicted{0};

  static void Add(std::atomic<uint64_t>* counter, uint64_t n) {
    counter->fetch_add(n, std::memory_order_relaxed);
  }
};

class StatsClock {
 public:
  uint64_t nanoseconds() const { return Now() - begin_; }

 private:
  Nanoseconds begin_ = Now();
};

}  // namespace rondo
