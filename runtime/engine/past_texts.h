// PastTexts: where the last texts of a session stood when they were left, so that an undo finds
// them again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo {

// Where the text of a generation stands.
struct TextState {
  uint64_t generated = 0;  // Session's own, as the next two
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

  // Back to `position`: true where a text was left there or behind it. Then `state` is that of the
  // first such text, at this position, and it and those behind it are past no more.
  bool BackTo(uint64_t position, TextState* state) {
    size_t first = size_;
    while (first > 0 && texts_[first - 1].position >= position) --first;
    if (first == size_) return false;
    size_ = first;
    const PastText& text = texts_[first];
    const uint64_t undone = text.position - position;
    *state = text.state;
    state->generated -= undone < state->generated ? undone : state->generated;
    return true;
  }

  // In the order of their positions.
  std::span<const PastText> all() const { return {texts_.data(), size_}; }

  void Clear() { size_ = 0; }

 private:
  std::array<PastText, kMost> texts_;
  size_t size_ = 0;
};

}  // namespace rondo
