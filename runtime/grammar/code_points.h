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

// Ranges in order, apart from each other. At most kMost of them: what would take more is noticed.
class CodePoints {
 public:
  static constexpr size_t kMost = 256;
  static constexpr uint32_t kLast = 0x10ffff;
  static constexpr uint32_t kNotSingle = UINT32_MAX;

  CodePoints() = default;
  CodePoints(std::initializer_list<CodeRange> ranges) {
    for (const CodeRange& range : ranges) Add(range);
  }

  void Add(CodeRange range);
  void Add(const CodePoints& other) {
    for (const CodeRange& range : other.ranges()) Add(range);
    full_ = full_ || other.full_;
  }
  // All others.
  CodePoints Others() const;

  std::span<const CodeRange> ranges() const { return {ranges_.data(), size_}; }
  bool empty() const { return size_ == 0; }
  // The only one; kNotSingle where there are others, or none.
  uint32_t single() const {
    return size_ == 1 && ranges_[0].low == ranges_[0].high ? ranges_[0].low : kNotSingle;
  }
  bool full() const { return full_; }

 private:
  std::array<CodeRange, kMost> ranges_;
  size_t size_ = 0;
  bool full_ = false;
};

// How a character stands in the text that is read.
enum class Spelling : uint8_t {
  kUtf8,        // as it is
  kJsonString,  // as between a JSON string's quotation marks, in one way: as it is, but \" and \\,
                // and control characters as \b \f \n \r \t or \u00..
};

// One character of the set; surrogates are none.
Regex OneOf(const CodePoints& set, Spelling spelling, Regexes& regexes, Budget& budget);

}  // namespace rondo::grammar
