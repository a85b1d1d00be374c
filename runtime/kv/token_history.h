// TokenHistory: the one record of a sequence's tokens: the last of them, in a ring.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

namespace rondo {

// One thread at a time. Trivially copyable; a copy shares the memory.
class TokenHistory {
 public:
  TokenHistory() = default;
  explicit TokenHistory(std::span<int32_t> memory) : memory_(memory) {}

  // Tokens were appended at positions [0, end); those at [begin, end) are held.
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  int32_t operator[](uint64_t position) const { return memory_[position % memory_.size()]; }

  // Tokens from `position` on, up to `most` of them, as far as they lie side by side.
  std::span<const int32_t> Run(uint64_t position, size_t most) const {
    const size_t at = position % memory_.size();
    return memory_.subspan(at, std::min(most, memory_.size() - at));
  }

  static constexpr uint64_t kNotFound = std::numeric_limits<uint64_t>::max();
  // The last position in [begin, end), which are held, that has `token`; kNotFound: none has.
  uint64_t FindLast(int32_t token, uint64_t begin, uint64_t end) const {
    while (end > begin) {
      const size_t behind = (end - 1) % memory_.size() + 1;
      const size_t n = std::min<uint64_t>(behind, end - begin);
      const auto first = memory_.begin() + static_cast<ptrdiff_t>(behind - n);
      const auto last = memory_.begin() + static_cast<ptrdiff_t>(behind);
      const auto found =
          std::find(std::make_reverse_iterator(last), std::make_reverse_iterator(first), token);
      const auto passed = static_cast<uint64_t>(found - std::make_reverse_iterator(last));
      if (passed < n) return end - 1 - passed;
      end -= n;
    }
    return kNotFound;
  }

  void Append(std::span<const int32_t> ids) {
    for (const int32_t id : ids) memory_[end_++ % memory_.size()] = id;
    begin_ = std::max(begin_, end_ - std::min<uint64_t>(end_, memory_.size()));
  }
  // Forgets all: the next token is that of `position`.
  void Restart(uint64_t position) { begin_ = end_ = position; }
  // Drops the tokens from `end` on.
  void Truncate(uint64_t end) {
    end_ = end;
    begin_ = std::min(begin_, end_);
  }
  // Becomes what `other` is, which has memory of the same size.
  void CopyFrom(const TokenHistory& other) {
    std::copy(other.memory_.begin(), other.memory_.end(), memory_.begin());
    begin_ = other.begin_;
    end_ = other.end_;
  }

 private:
  std::span<int32_t> memory_;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
};

}  // namespace rondo
