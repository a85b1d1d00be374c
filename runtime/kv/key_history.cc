#include "runtime/kv/key_history.h"

namespace rondo {

void KeyHistory::Append(InputKey key) {
  if (end_ - begin_ == size_) {
    Release(begin_, begin_ + 1);
    ++begin_;
  }
  const size_t at = end_ % size_;
  const bool twice = at < memory_.side_by_side;
  memory_.keys[at] = key;
  if (twice) memory_.keys[size_ + at] = key;
  if (!memory_.shifts.empty()) {
    memory_.shifts[at] = shift_;
    if (twice) memory_.shifts[size_ + at] = shift_;
  }
  if (key.is_row()) {
    memory_.inputs->Hold(key.input());
    ++n_rows_;
    shift_ = ShiftBehind(end_);
  }
  ++end_;
}

void KeyHistory::AppendInput(uint32_t input, uint32_t first_row, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) Append(InputKey(input, first_row + i));
}

uint64_t KeyHistory::FindGone(uint64_t begin, uint64_t end) const {
  if (n_rows_ == 0) return end;
  for (; begin < end; ++begin) {
    if (key(begin).is_row() && memory_.inputs->IsGone(key(begin).input())) break;
  }
  return begin;
}

// In the middle of an input, where rows have coordinates of their own, it stays.
int64_t KeyHistory::ShiftBehind(uint64_t position) const {
  const int64_t shift = memory_.shifts.empty() ? 0 : memory_.shifts[position % size_];
  const InputKey row = key(position);
  if (!row.is_row()) return shift;
  const InputFacts& facts = memory_.inputs->facts(row.input());
  const bool is_last = row.row() + 1 == facts.rows;
  return is_last ? shift + facts.advance - facts.rows : shift;
}

void KeyHistory::Release(uint64_t begin, uint64_t end) {
  for (uint64_t at = begin; n_rows_ > 0 && at < end; ++at) {
    if (!key(at).is_row()) continue;
    memory_.inputs->Release(key(at).input());
    --n_rows_;
  }
}

void KeyHistory::Restart(uint64_t position, int64_t shift) {
  Release(begin_, end_);
  begin_ = end_ = position;
  shift_ = shift;
  prefix_ = 0;
}

void KeyHistory::Truncate(uint64_t end) {
  if (end >= end_) return;
  if (end > begin_) {
    shift_ = ShiftBehind(end - 1);
  } else {
    shift_ = end == 0 ? 0 : shift(std::max(end, begin_));
  }
  Release(std::max(begin_, end), end_);
  end_ = end;
  begin_ = std::min(begin_, end_);
  if (end_ < prefix_) prefix_ = 0;
}

void KeyHistory::CopyFrom(const KeyHistory& other) {
  Release(begin_, end_);
  std::copy(other.memory_.keys.begin(), other.memory_.keys.end(), memory_.keys.begin());
  std::copy(other.memory_.shifts.begin(), other.memory_.shifts.end(), memory_.shifts.begin());
  begin_ = other.begin_;
  end_ = other.end_;
  shift_ = other.shift_;
  n_rows_ = other.n_rows_;
  prefix_ = other.prefix_;
  for (uint64_t at = begin_; n_rows_ > 0 && at < end_; ++at) {
    if (key(at).is_row()) memory_.inputs->Hold(key(at).input());
  }
}

}  // namespace rondo
