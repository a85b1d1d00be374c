// Regex: PCRE2 behind a fence: memory reserved beforehand, bounded work, no surprises at match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/base/heap_array.h"
#include "runtime/base/status.h"

namespace rondo {

// What patterns draw their memory from: the system's heap while they are compiled, and after
// Seal only a fixed block. One matching call at a time; must outlive its patterns.
class RegexMemory {
 public:
  static Result<std::unique_ptr<RegexMemory>> Create();
  ~RegexMemory();
  RegexMemory(const RegexMemory&) = delete;
  RegexMemory& operator=(const RegexMemory&) = delete;

  // From here on no memory is asked of the system.
  void Seal() { sealed_ = true; }
  static constexpr size_t kReservedBytes = 2 * 256 * 1024;

 private:
  friend class Regex;
  // PCRE2 keeps one block of backtracking frames and doubles it by copying: two halves serve.
  static constexpr size_t kHalfBytes = kReservedBytes / 2;

  RegexMemory() = default;
  static void* Allocate(size_t bytes, void* self);
  static void Free(void* pointer, void* self);

  HeapArray<unsigned char> block_;
  bool half_taken_[2] = {false, false};
  bool sealed_ = false;
  void* general_context_ = nullptr;
  void* match_context_ = nullptr;
  void* match_data_ = nullptr;
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

  enum class Outcome {
    kMatch,
    kNoMatch,
    kNeedMore,   // only if `more`: what follows the subject may decide
    kExhausted,  // ran out of its memory or of its step limit
  };
  // The first match in subject[0, size); never empty. The subject must be UTF-8 if `utf`.
  // `more`: the text goes on behind the subject, so an answer that could change is kNeedMore;
  // *begin is then where a match may begin, and none begins before.
  Outcome Find(const uint8_t* subject, size_t size, bool more, size_t* begin, size_t* end) const;

 private:
  RegexMemory* memory_ = nullptr;
  void* code_ = nullptr;
};

}  // namespace rondo
