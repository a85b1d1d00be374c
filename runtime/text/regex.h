// Regex: PCRE2 behind a fence: memory reserved beforehand, bounded work, no surprises at match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/text/encoding_turn.h"

namespace rondo {

// What patterns draw on: memory, from the system's heap while they are compiled and after Seal only
// from a fixed block, and steps of backtracking. Matching is its turn's owner's, who pauses between
// two attempts; nothing of the block is needed then. Must outlive its patterns.
//
// At each place of a text a pattern has a few steps free, which serve real patterns nearly
// everywhere. What it takes beyond them comes out of one budget, so that the work on a text is
// linear in its length, whatever the pattern. It is charged what it is allowed, before it runs.
class RegexMemory {
 public:
  static constexpr uint64_t kFixedSteps = 1'000'000;
  static constexpr uint64_t kStepsPerByte = 64;

  static Result<std::unique_ptr<RegexMemory>> Create();
  ~RegexMemory();
  RegexMemory(const RegexMemory&) = delete;
  RegexMemory& operator=(const RegexMemory&) = delete;

  // What matching takes at most; 0 in a build without patterns.
  static size_t BlockBytes();
  // From here on no memory is asked of the system: matching writes to `block`, BlockBytes() that
  // are aligned as the system's memory is.
  void Seal(std::span<uint8_t> block) {
    block_ = block;
    sealed_ = true;
  }
  // Beside the block.
  size_t bytes() const;

  EncodingTurn& turn() { return turn_; }

  // A text of so many bytes begins: fills the budget for all patterns on it.
  void BeginText(size_t bytes) { turn_.steps_left = StepsFor(bytes); }
  static uint64_t StepsFor(size_t bytes) { return kFixedSteps + kStepsPerByte * bytes; }
  uint64_t steps_left() const { return turn_.steps_left; }

 private:
  friend class Regex;
  // PCRE2 keeps one block of backtracking frames and doubles it by copying: two halves serve.
  static constexpr size_t kHalfBytes = 224 * 1024;

  RegexMemory() { BeginText(0); }
  static void* Allocate(size_t bytes, void* self);
  static void Free(void* pointer, void* self);

  EncodingTurn turn_;
  std::span<uint8_t> block_;
  bool half_taken_[2] = {false, false};
  bool sealed_ = false;
  void* general_context_ = nullptr;
  void* match_context_ = nullptr;
  void* match_data_ = nullptr;
};

// Where a pattern matches a subject.
struct RegexMatch {
  enum class Kind {
    kFound,
    kNone,
    kNeedMore,  // only if the text goes on: what follows the subject may decide
  };
  Kind kind = Kind::kNone;
  size_t begin = 0;  // kNeedMore: no match begins before
  size_t end = 0;    // kFound: > begin
};

class Regex {
 public:
  Regex() = default;
  Regex(Regex&& other) noexcept;
  Regex& operator=(Regex&& other) noexcept;
  ~Regex();

  // `utf`: characters are code points and classes are Unicode's; else both are single bytes.
  // Errors: kCorrupt (the pattern and PCRE2's message), kOutOfMemory.
  static Result<Regex> Compile(std::string_view pattern, bool utf, RegexMemory& memory);

  // The first match in subject[0, size), which must be UTF-8 if `utf`. `more`: the text goes on
  // behind the subject. Error: kInvalidArgument (the pattern ran out of steps or memory, or
  // misbehaved otherwise; which of these).
  Status Find(const uint8_t* subject, size_t size, bool more, RegexMatch* match) const;

 private:
  RegexMemory* memory_ = nullptr;
  void* code_ = nullptr;
  bool utf_ = false;
};

}  // namespace rondo
