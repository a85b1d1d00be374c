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

  explicit Budget(uint64_t steps) : all_(steps), steps_(steps) {}

  bool ok() const { return end_ == End::kNone; }
  End end() const { return end_; }
  uint64_t all() const { return all_; }
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
  uint64_t all_, steps_;
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

// Numbers of a list by a hash of what they stand for: equal values get one number. Its memory is
// touched as far as there are numbers.
class Index {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  Index() = default;
  // Of up to `most` numbers; more are not found.
  Index(Room& room, size_t most) : most_(static_cast<uint32_t>(most)) {
    while (most_heads_ < most) most_heads_ *= 2;
    entries_ = room.Cut<Entry>(most);
    heads_ = room.Cut<uint32_t>(most_heads_);
    if (heads_ != nullptr) Clear();
  }

  void Clear() {
    size_ = 0;
    SetHeads(kLeastHeads);
  }

  // The number for which is(number) holds; where there is none it is `fresh`, from now on.
  template <typename Is>
  uint32_t FindOrPut(uint64_t hash, uint32_t fresh, const Is& is) {
    const uint32_t known = Number(hash, is);
    if (known != kNone) return known;
    if (size_ < most_) Put({Fold(hash), fresh, kNone});
    return fresh;
  }
  // As above, kNone where there is none.
  template <typename Is>
  uint32_t Number(uint64_t hash, const Is& is) const {
    const uint32_t folded = Fold(hash);
    for (uint32_t i = heads_[folded & mask_]; i != kNone; i = entries_[i].next) {
      if (entries_[i].hash == folded && is(entries_[i].number)) return entries_[i].number;
    }
    return kNone;
  }
  // Takes out the number that was put last of those that are there.
  void Erase(uint64_t hash, uint32_t last) {
    uint32_t& head = heads_[Fold(hash) & mask_];
    if (head + 1 != size_ || entries_[head].number != last) return;
    head = entries_[head].next;
    --size_;
  }

 private:
  struct Entry {
    uint32_t hash, number;
    uint32_t next;  // of those with this head, the one that was put before; kNone behind the last
  };
  static constexpr uint32_t kLeastHeads = 16;

  static uint32_t Fold(uint64_t hash) { return static_cast<uint32_t>(hash ^ hash >> 32); }
  void SetHeads(uint32_t count) {
    mask_ = count - 1;
    for (uint32_t i = 0; i < count; ++i) heads_[i] = kNone;
    for (uint32_t i = 0; i < size_; ++i) Link(i);
  }
  void Link(uint32_t entry) {
    uint32_t& head = heads_[entries_[entry].hash & mask_];
    entries_[entry].next = head;
    head = entry;
  }
  void Put(const Entry& entry) {
    new (entries_ + size_) Entry(entry);
    Link(size_++);
    if (size_ > mask_ && mask_ + 1 < most_heads_) SetHeads((mask_ + 1) * 2);
  }

  Entry* entries_ = nullptr;
  uint32_t* heads_ = nullptr;  // by the last bits of the hash: the entry that was put last
  uint32_t most_ = 0, size_ = 0, mask_ = 0;
  size_t most_heads_ = kLeastHeads;
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
