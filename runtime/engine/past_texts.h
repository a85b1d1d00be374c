// PastTexts: where the last texts of a session stood when they were left, so that an undo finds
// them again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/generation/finish_reason.h"

namespace rondo {

// Where the text of a generation stands.
struct TextState {
  uint64_t generated = 0;  // Session's own, as the next three
  FinishReason finished = FinishReason::kNone;
  uint64_t text_begin = 0;
  uint64_t told = 0;
  bool continues = false;  // SessionText::continues
};

struct PastText {
  uint64_t position = 0;  // where it was left
  TextState state;
};

// One thread at a time.
class PastTexts {
 public:
  static constexpr size_t kMost = 8;

  // The text was left at `position`, behind that of all others. Where there are kMost, the oldest
  // is forgotten.
  void Leave(uint64_t position, const TextState& state) {
    if (size_ == kMost) {
      for (size_t i = 1; i < kMost; ++i) texts_[i - 1] = texts_[i];
      --size_;
    }
    texts_[size_++] = {position, state};
  }

  // Back to `position` from where a text stands at `left`: that of the first text which was left
  // there or behind it, as it stood at this position. It and those behind it are past no more.
  TextState BackTo(uint64_t position, PastText left) {
    while (size_ > 0 && texts_[size_ - 1].position >= position) left = texts_[--size_];
    const uint64_t undone = left.position - position;
    TextState& state = left.state;
    state.generated -= undone < state.generated ? undone : state.generated;
    if (undone > 0) state.finished = FinishReason::kNone;
    return state;
  }

  // In the order of their positions.
  std::span<const PastText> all() const { return {texts_.data(), size_}; }

  void Clear() { size_ = 0; }

 private:
  std::array<PastText, kMost> texts_;
  size_t size_ = 0;
};

}  // namespace rondo
