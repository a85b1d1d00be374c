// Room: one block of memory, cut into lists once. Lists grow within their part; what does not fit
// any more is noticed by a Budget, so that whoever builds on them asks it once, at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "runtime/base/checked.h"

namespace rondo::grammar {

// What one piece of work may take. Once it has run out, results are of no use.
class Budget {
 public:
  enum class End : uint8_t { kNone, kSteps, kMemory, kDepth };

  explicit Budget(uint64_t steps) : steps_(steps) {}

  bool ok() const { return end_ == End::kNone; }
  End end() const { return end_; }
  uint64_t left() const { return steps_; }
  // False where nothing is left.
  bool Spend(uint64_t steps = 1) {
    if (steps > steps_) Stop(End::kSteps);
    if (ok()) steps_ -= steps;
    return ok();
  }
  void Stop(End end) {
    if (ok()) end_ = end;
  }

 private:
  uint64_t steps_;
  End end_ = End::kNone;
};

// At no memory it counts what would be cut, so that a plan and what is made by it go the same way.
class Room {
 public:
  Room() = default;
  explicit Room(std::span<uint8_t> memory) : memory_(memory) {}

  template <typename T>
  T* Cut(size_t count) {
    constexpr size_t kLine = 64;
    const CheckedSize begin = CheckedSize(used_).AlignUp(kLine);
    used_ = (begin + CheckedSize(count) * sizeof(T)).ValueOrMost();
    return used_ <= memory_.size() ? reinterpret_cast<T*>(memory_.data() + begin.value()) : nullptr;
  }
  size_t used() const { return used_; }

 private:
  std::span<uint8_t> memory_;
  size_t used_ = 0;
};

// Values by number, from 0.
template <typename T>
class List {
 public:
  List() = default;
  List(Room& room, size_t capacity)
      : values_(room.Cut<T>(capacity)), capacity_(static_cast<uint32_t>(capacity)) {}

  // It has memory, and not only a size in a plan.
  bool exists() const { return values_ != nullptr; }
  uint32_t size() const { return size_; }
  uint32_t capacity() const { return capacity_; }
  T& operator[](size_t i) { return values_[i]; }
  const T& operator[](size_t i) const { return values_[i]; }
  std::span<const T> Part(uint32_t first, uint32_t count) const { return {values_ + first, count}; }

  // False, and nothing is added, where it is full.
  bool Add(const T& value, Budget& budget) { return AddAll({&value, 1}, budget); }
  bool AddAll(std::span<const T> values, Budget& budget) {
    if (values.size() > capacity_ - size_) {
      budget.Stop(Budget::End::kMemory);
      return false;
    }
    for (const T& value : values) new (values_ + size_++) T(value);
    return true;
  }
  // `count` times the same.
  bool Fill(const T& value, size_t count, Budget& budget) {
    if (count > capacity_ - size_) {
      budget.Stop(Budget::End::kMemory);
      return false;
    }
    for (; count > 0; --count) new (values_ + size_++) T(value);
    return true;
  }
  // Forgets those from `size` on.
  void Shrink(uint32_t size) { size_ = size; }

 private:
  T* values_ = nullptr;
  uint32_t capacity_ = 0;
  uint32_t size_ = 0;
};

// Numbers of a list by a hash of what they stand for: equal values get one number.
class Index {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  Index() = default;
  // Of up to `most` numbers.
  Index(Room& room, size_t most) {
    size_t slots = 16;
    while (slots < most * 2) slots *= 2;
    slots_ = room.Cut<uint32_t>(slots);
    mask_ = static_cast<uint32_t>(slots - 1);
    if (slots_ != nullptr) Clear();
  }

  void Clear() {
    for (uint32_t i = 0; i <= mask_; ++i) slots_[i] = kNone;
  }

  // The number for which is(number) holds; where there is none it is `fresh`, from now on.
  template <typename Is>
  uint32_t FindOrPut(uint64_t hash, uint32_t fresh, const Is& is) {
    uint32_t* const slot = Find(hash, is);
    if (*slot == kNone) *slot = fresh;
    return *slot;
  }
  // As above, kNone where there is none.
  template <typename Is>
  uint32_t Number(uint64_t hash, const Is& is) const {
    return *Find(hash, is);
  }
  // Takes out the number that was put last of those that are there.
  void Erase(uint64_t hash, uint32_t last) {
    *Find(hash, [&](uint32_t number) { return number == last; }) = kNone;
  }

 private:
  template <typename Is>
  uint32_t* Find(uint64_t hash, const Is& is) const {
    uint32_t i = static_cast<uint32_t>(hash ^ hash >> 32) & mask_;
    while (slots_[i] != kNone && !is(slots_[i])) i = (i + 1) & mask_;
    return slots_ + i;
  }

  uint32_t* slots_ = nullptr;
  uint32_t mask_ = 0;
};

// Of some numbers, in their order.
class Hash {
 public:
  Hash& Add(uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
    return *this;
  }
  uint64_t value() const { return state_; }

 private:
  uint64_t state_ = 0x243f6a8885a308d3u;
};

}  // namespace rondo::grammar
