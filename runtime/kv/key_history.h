// KeyHistory: the one record of what a sequence is made of: the keys of its last positions, in a
// ring.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

#include "runtime/kv/input_key.h"
#include "runtime/kv/input_store.h"

namespace rondo {

// Where a ring lies. Positions that lie side by side: up to `side_by_side` of them always do, for
// which the first entries are there twice.
struct KeyMemory {
  std::span<InputKey> keys;        // the ring, and `side_by_side` more
  std::span<int64_t> shifts = {};  // as many; none where no sequence has inputs
  size_t side_by_side = 0;
  InputStore* inputs = nullptr;  // null: there are none
};

// One thread at a time. Trivially copyable; a copy shares the memory.
//
// A position's coordinate, which RoPE rotates by, is the position plus a shift: rows of an input
// may take more or fewer coordinates than positions, and what follows is shifted by the difference.
// The shift is a function of the keys before it.
//
// In some models the keys that a text begins with, its prefix, see each other: what the sequence's
// first pass evaluated, whole. So they are one span, as rows of an input are that see the whole.
class KeyHistory {
 public:
  KeyHistory() = default;
  explicit KeyHistory(const KeyMemory& memory)
      : memory_(memory), size_(memory.keys.size() - memory.side_by_side) {}

  // Keys were appended at positions [0, end); those at [begin, end) are held.
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  InputKey key(uint64_t position) const { return memory_.keys[position % size_]; }
  // InputKey::kNoToken: it is a row of an input.
  int32_t operator[](uint64_t position) const { return key(position).token(); }
  // Of a position up to end(), which has that of what is appended next.
  int64_t shift(uint64_t position) const {
    return position == end_ || memory_.shifts.empty() ? shift_ : memory_.shifts[position % size_];
  }
  // Behind the prefix; 0: there is none, or not yet.
  uint64_t prefix() const { return prefix_; }
  void set_prefix(uint64_t end) { prefix_ = end; }
  bool CutsPrefix(uint64_t position) const { return position > 0 && position < prefix_; }
  // Positions that have rows of inputs.
  uint64_t n_rows() const { return n_rows_; }
  bool HasGone(uint64_t begin, uint64_t end) const { return FindGone(begin, end) < end; }
  // The first position in [begin, end) that has a row of an input that is gone; `end`: none has.
  uint64_t FindGone(uint64_t begin, uint64_t end) const;
  const InputStore* inputs() const { return memory_.inputs; }
  // The positions of the prefix or the input that a cut before `position` parts, also those that
  // were never appended.
  void SpanOf(uint64_t position, uint64_t* begin, uint64_t* end) const {
    if (CutsPrefix(position)) {
      *begin = 0;
      *end = prefix_;
      return;
    }
    const InputKey row = key(position);
    *begin = position - row.row();
    *end = *begin + memory_.inputs->facts(row.input()).rows;
  }
  // A cut before `position` would part rows that see each other.
  bool CutsSpan(uint64_t position) const {
    const InputFacts* const facts = InputAround(position);
    return CutsPrefix(position) || (facts != nullptr && facts->sees_whole);
  }
  // A cut before `position` would leave what no shorter input is: rows that have seen those behind
  // it, or coordinates that go on behind those.
  bool PartsSpan(uint64_t position) const {
    const InputFacts* const facts = InputAround(position);
    return CutsSpan(position) || (facts != nullptr && facts->has_coordinates);
  }

  // Keys from `position` on, up to `most` of them, as far as they lie side by side.
  std::span<const InputKey> Run(uint64_t position, size_t most) const {
    const size_t at = position % size_;
    return memory_.keys.subspan(at, std::min(most, memory_.keys.size() - at));
  }
  // Their shifts; null: they have none.
  const int64_t* Shifts(uint64_t position) const {
    return n_rows_ == 0 && shift_ == 0 ? nullptr : memory_.shifts.data() + position % size_;
  }

  static constexpr uint64_t kNotFound = std::numeric_limits<uint64_t>::max();
  // The last position in [begin, end), which are held, that has `key`; kNotFound: none has.
  uint64_t FindLast(InputKey key, uint64_t begin, uint64_t end) const {
    while (end > begin) {
      const size_t behind = (end - 1) % size_ + 1;
      const size_t n = std::min<uint64_t>(behind, end - begin);
      const auto first = memory_.keys.begin() + static_cast<ptrdiff_t>(behind - n);
      const auto last = memory_.keys.begin() + static_cast<ptrdiff_t>(behind);
      const auto found =
          std::find(std::make_reverse_iterator(last), std::make_reverse_iterator(first), key);
      const auto passed = static_cast<uint64_t>(found - std::make_reverse_iterator(last));
      if (passed < n) return end - 1 - passed;
      end -= n;
    }
    return kNotFound;
  }

  void Append(std::span<const int32_t> ids) {
    for (const int32_t id : ids) Append(InputKey(id));
  }
  // A row's input is held by somebody.
  void Append(InputKey key);
  // Rows of an input that somebody holds.
  void AppendInput(uint32_t input, uint32_t first_row, uint32_t n);
  // Forgets all: the next key is that of `position`, with this shift, and there is no prefix.
  void Restart(uint64_t position, int64_t shift = 0);
  // Drops the keys from `end` on.
  void Truncate(uint64_t end);
  // Becomes what `other` is, which has memory of the same size.
  void CopyFrom(const KeyHistory& other);

 private:
  // Of the input that has rows before `position` and from there on; null: there is none.
  const InputFacts* InputAround(uint64_t position) const {
    if (n_rows_ == 0 || position <= begin_ || position >= end_) return nullptr;
    const InputKey row = key(position);
    return row.is_row() && row.row() > 0 ? &memory_.inputs->facts(row.input()) : nullptr;
  }
  // The shift of what follows the key at `position`.
  int64_t ShiftBehind(uint64_t position) const;
  // Rows at positions [begin, end) are held no more.
  void Release(uint64_t begin, uint64_t end);

  KeyMemory memory_;
  size_t size_ = 0;  // of the ring
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  int64_t shift_ = 0;  // of the next key
  uint64_t n_rows_ = 0;
  uint64_t prefix_ = 0;
};

}  // namespace rondo
