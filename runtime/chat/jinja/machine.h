// Machine: what one rendering may use up, and how it fails. Memory, steps and depth are bounded, so
// that no template, however hostile, takes more than it is given.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/base/format.h"
#include "runtime/base/status.h"

namespace rondo::jinja {

// What a rendering may take. Most templates stay below a hundredth of these. Some go through all
// messages for each of them, which is short for each: 5,000 of 1 KB take a third of their steps.
struct Limits {
  size_t memory = size_t{128} << 20;  // bytes of values, text and syntax trees together
  uint64_t steps = 20'000'000;        // operations; long strings count for more than one
  int depth = 400;                    // levels of nesting, in the template and while it runs

  // For messages, tools and variables of so many bytes: some copies of each, and a second or so
  // for a million of them.
  static Limits For(size_t bytes) {
    bytes = std::min<size_t>(bytes, SIZE_MAX / 64);
    Limits limits;
    limits.memory += std::min<size_t>(bytes * 16, SIZE_MAX / 2);
    limits.steps += uint64_t{64} * bytes;
    return limits;
  }
};

class Region;

// Gives memory until it is destroyed, or until a region of it ends. After a failure everything goes
// on returning something harmless (nullptr, undefined), so that only those who would go wrong or on
// for long need to look at failed(). Not thread-safe.
class Machine {
 public:
  // A place in the order in which memory was given.
  struct Mark {
    uint32_t chunk;  // 0: before all
    const char* top;
    bool operator<(const Mark& other) const {
      return chunk != other.chunk ? chunk < other.chunk : top < other.top;
    }
  };

  explicit Machine(const Limits& limits) : limits_(limits) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();

  // ---- Memory ----

  // `bytes` bytes aligned for anything, not initialised; nullptr after a failure.
  void* Allocate(size_t bytes);
  template <typename T, typename... Arguments>
  T* New(Arguments&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T>);
    void* memory = Allocate(sizeof(T));
    return memory == nullptr ? nullptr : new (memory) T{std::forward<Arguments>(arguments)...};
  }
  // Value-initialised; empty after a failure.
  template <typename T>
  std::span<T> NewArray(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count > SIZE_MAX / sizeof(T)) {
      FailMemory();
      return {};
    }
    void* memory = Allocate(count * sizeof(T));
    if (memory == nullptr) return {};
    T* first = static_cast<T*>(memory);
    for (size_t i = 0; i < count; ++i) new (first + i) T{};
    return {first, count};
  }

  Mark now() const { return {chunks_ == nullptr ? 0 : chunks_->number, top_}; }
  // When the memory was given that `what` points to; before all where it is not of this machine.
  Mark MarkOf(const void* what) const;
  // Something that was there at `born` refers to `what` from now on: where regions began between
  // the two, their memory stays.
  void Keep(Mark born, const void* what);

  // ---- Time ----
  // Work is paid for before it is done, by what goes into it and not by what comes of it; a loop
  // ends where that fails. A step is some 50 nanoseconds at most.

  // What was counted so far, and the most memory that was taken from the system at once.
  uint64_t steps() const { return steps_; }
  size_t most_memory() const { return most_reserved_; }
  // Counts steps; false after a failure, also of this.
  bool Spend(uint64_t steps);
  // The steps of copying or comparing `bytes` bytes.
  bool SpendBytes(size_t bytes) { return Spend(bytes / 64 + 1); }
  // The steps of looking at each character of `bytes` bytes.
  bool SpendCharacters(size_t bytes) { return Spend(bytes / 4 + 1); }

  // ---- Failure ----

  // The first failure counts. `format` as printf; the line that runs is added.
  RONDO_PRINTF(2, 3) void Fail(const char* format, ...);
  void FailWith(const Status& status);
  // The text for a message: its first characters, with a zero behind them.
  const char* Clip(std::string_view text);
  bool failed() const { return failed_; }
  // Memory, steps or depth ran out: the failure is no answer of the template's.
  bool exhausted() const { return exhausted_; }
  Status status() const { return failed_ ? status_ : Status(); }

  // The template's line that is parsed or runs, from 1; 0: none.
  uint32_t line = 0;

 private:
  friend class Deeper;
  friend class Region;
  struct Chunk {
    Chunk* next;
    size_t bytes;
    uint32_t number;  // of those in use, from 1
  };
  // What a chunk's own numbers take of it.
  static constexpr size_t kHeader = (sizeof(Chunk) + alignof(std::max_align_t) - 1) /
                                    alignof(std::max_align_t) * alignof(std::max_align_t);

  bool AddChunk(size_t bytes);
  void Free(Chunk* chunk);
  void GiveBack(Mark mark);
  void FailMemory();
  // Before the failure that tells of it.
  void Exhaust() { exhausted_ |= !failed_; }

  const Limits limits_;
  Chunk* chunks_ = nullptr;   // the newest first
  Chunk* spare_ = nullptr;    // one that was given back
  Region* region_ = nullptr;  // the innermost
  char* top_ = nullptr;       // free memory of the newest chunk
  char* end_ = nullptr;
  size_t reserved_ = 0;
  size_t most_reserved_ = 0;
  uint64_t steps_ = 0;
  int depth_ = 0;
  bool failed_ = false, exhausted_ = false;
  Status status_;
};

// One level deeper while it lives; fails the machine where that is too deep.
class Deeper {
 public:
  explicit Deeper(Machine& machine);
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  ~Deeper() { --machine_.depth_; }

  bool ok() const { return !machine_.failed_; }

 private:
  Machine& machine_;
};

// A part of the work whose memory is given back when it ends, unless something older refers to it
// by then: whoever writes a pointer into what may be older calls Machine::Keep. Regions lie in each
// other.
class Region {
 public:
  explicit Region(Machine& machine)
      : machine_(machine), outer_(machine.region_), begin_(machine.now()) {
    machine.region_ = this;
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() { End(); }

  // Returns whether the memory was given back. Once.
  bool End() {
    if (ended_) return false;
    ended_ = true;
    machine_.region_ = outer_;
    if (!kept_) machine_.GiveBack(begin_);
    return !kept_;
  }

 private:
  friend class Machine;

  Machine& machine_;
  Region* const outer_;
  const Machine::Mark begin_;
  bool kept_ = false;
  bool ended_ = false;
};

}  // namespace rondo::jinja
