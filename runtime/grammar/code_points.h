// CodePoints: a set of Unicode's code points, and the expressions that read one of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "runtime/grammar/regexes.h"

namespace rondo::grammar {

struct CodeRange {
  uint32_t low, high;  // both are in it
};

// Ranges in order, apart from each other. At most kMost of them.
class CodePoints {
 public:
  static constexpr size_t kMost = 256;
  static constexpr uint32_t kLast = 0x10ffff;
  static constexpr uint32_t kNotSingle = UINT32_MAX;

  CodePoints() = default;
  CodePoints(std::initializer_list<CodeRange> ranges) {
    for (const CodeRange& range : ranges) Add(range);
  }

  // False, and nothing is added, where there is no room for it.
  bool Add(CodeRange range);
  // All others.
  CodePoints Others() const;

  std::span<const CodeRange> ranges() const { return {ranges_.data(), size_}; }
  bool empty() const { return size_ == 0; }
  // The only one; kNotSingle where there are others, or none.
  uint32_t single() const {
    return size_ == 1 && ranges_[0].low == ranges_[0].high ? ranges_[0].low : kNotSingle;
  }

 private:
  std::array<CodeRange, kMost + 1> ranges_;  // others may be one more
  size_t size_ = 0;
};

// How a character stands in the text that is read.
enum class Spelling : uint8_t {
  kUtf8,        // as it is
  kJsonString,  // as between a JSON string's quotation marks, in one way: as it is, but \" and \\,
                // and control characters as \b \f \n \r \t or \u00..
};

// One character of the set; surrogates are none.
Regex OneOf(const CodePoints& set, Spelling spelling, Regexes& regexes, Budget& budget);

// One character of a class, or of all others, as people write them: of any number of ranges. Parts
// of it lie on the expressions' stack.
class CharacterClass {
 public:
  CharacterClass(bool others, Spelling spelling, Regexes& regexes, Budget& budget)
      : others_(others),
        spelling_(spelling),
        regexes_(regexes),
        budget_(budget),
        first_(regexes.stack().size()) {}

  void Add(CodeRange range);
  bool empty() const { return some_.empty(); }
  Regex Take();

 private:
  void EndPart();

  const bool others_;
  const Spelling spelling_;
  Regexes& regexes_;
  Budget& budget_;
  const uint32_t first_;
  CodePoints some_;  // of the last part
};

}  // namespace rondo::grammar
