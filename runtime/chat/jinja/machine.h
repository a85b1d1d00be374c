// Machine: what one rendering may use up, and how it fails. Memory, steps and depth are bounded, so
// that no template, however hostile, takes more than it is given.
#pragma once

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

// What a rendering may take. Real templates stay below a hundredth of these.
struct Limits {
  size_t memory = size_t{128} << 20;  // bytes of values, text and syntax trees together
  uint64_t steps = 20'000'000;        // operations; long strings count for more than one
  int depth = 400;                    // levels of nesting, in the template and while it runs
};

// Gives memory until it is destroyed; nothing is ever freed before. After a failure everything
// goes on returning something harmless (nullptr, undefined), so that only those who would go
// wrong or on for long need to look at failed(). Not thread-safe.
class Machine {
 public:
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

  // ---- Time ----
  // Work is paid for before it is done, by what goes into it and not by what comes of it; a loop
  // ends where that fails. A step is some 50 nanoseconds at most.

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
  struct Chunk {
    Chunk* next;
    size_t bytes;
  };

  void FailMemory();
  // Before the failure that tells of it.
  void Exhaust() { exhausted_ |= !failed_; }

  const Limits limits_;
  Chunk* chunks_ = nullptr;
  char* top_ = nullptr;  // free memory of the newest chunk
  char* end_ = nullptr;
  size_t reserved_ = 0;
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

}  // namespace rondo::jinja
