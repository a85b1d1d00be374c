#include "runtime/grammar/code_points.h"

#include <algorithm>

#include "runtime/base/utf8.h"

namespace rondo::grammar {
namespace {

// An Either that grows part by part, on the expressions' stack.
class Parts {
 public:
  Parts(Regexes& regexes, Budget& budget)
      : regexes_(regexes), budget_(budget), first_(regexes.stack().size()) {}

  void Add(Regex regex) { regexes_.stack().Add(regex, budget_); }
  Regex Take() {
    List<Regex>& stack = regexes_.stack();
    const Regex either = regexes_.Either(stack.Part(first_, stack.size() - first_), budget_);
    stack.Shrink(first_);
    return either;
  }

 private:
  Regexes& regexes_;
  Budget& budget_;
  const uint32_t first_;
};

// Code points whose UTF-8 has as many bytes, and of which the first bytes of `low` and `high` are
// alike or all that follow them are there: one byte after another.
void AddSequence(const uint8_t* low, const uint8_t* high, size_t bytes, Regexes& regexes,
                 Budget& budget, Parts& parts) {
  Regex sequence = Regexes::kEmpty;
  for (size_t i = bytes; i > 0; --i) {
    sequence = regexes.Then(regexes.Bytes(ByteSet::Range(low[i - 1], high[i - 1]), budget),
                            sequence, budget);
  }
  parts.Add(sequence);
}

// Cuts the range where the number of bytes changes, and inside of it where continuation bytes do
// not run through all their values.
void AddUtf8(CodeRange range, Regexes& regexes, Budget& budget, Parts& parts) {
  while (range.low <= range.high && budget.Spend()) {
    uint32_t high = range.high;
    for (const uint32_t limit : {0x7fu, 0x7ffu, 0xffffu}) {
      if (range.low <= limit && high > limit) high = limit;
    }
    uint8_t a[4], b[4];
    const size_t bytes = EncodeUtf8(range.low, a);
    for (size_t i = 1; i < bytes; ++i) {
      const uint32_t mask = (1u << 6 * i) - 1;  // of the last i bytes
      if ((range.low & ~mask) == (high & ~mask)) continue;
      if ((range.low & mask) != 0) {
        high = range.low | mask;
      } else if ((high & mask) != mask) {
        high = (high & ~mask) - 1;
      }
    }
    EncodeUtf8(high, b);
    AddSequence(a, b, bytes, regexes, budget, parts);
    range.low = high + 1;
  }
}

constexpr CodeRange kSurrogates = {0xd800, 0xdfff};

// As it is in UTF-8, but for surrogates.
void AddPlain(CodeRange range, Regexes& regexes, Budget& budget, Parts& parts) {
  if (range.low < kSurrogates.low) {
    AddUtf8({range.low, std::min(range.high, kSurrogates.low - 1)}, regexes, budget, parts);
  }
  if (range.high > kSurrogates.high) {
    AddUtf8({std::max(range.low, kSurrogates.high + 1), range.high}, regexes, budget, parts);
  }
}

bool IsEscaped(uint32_t code) { return code < 0x20 || code == '"' || code == '\\'; }

void AddEscaped(uint32_t code, Regexes& regexes, Budget& budget, Parts& parts) {
  constexpr char kHex[] = "0123456789abcdef";
  char text[] = "\\u00xx";
  switch (code) {
    case '\b':
      text[1] = 'b';
      break;
    case '\f':
      text[1] = 'f';
      break;
    case '\n':
      text[1] = 'n';
      break;
    case '\r':
      text[1] = 'r';
      break;
    case '\t':
      text[1] = 't';
      break;
    case '"':
    case '\\':
      text[1] = static_cast<char>(code);
      break;
    default:
      text[4] = kHex[code >> 4];
      text[5] = kHex[code & 15];
      parts.Add(regexes.Text(text, budget));
      return;
  }
  parts.Add(regexes.Text({text, 2}, budget));
}

}  // namespace

bool CodePoints::Add(CodeRange range) {
  CodeRange* const end = ranges_.data() + size_;
  // The first that it may touch, and the first behind it that it does not.
  CodeRange* first = ranges_.data();
  while (first != end && first->high + 1 < range.low) ++first;
  CodeRange* behind = first;
  while (behind != end && behind->low <= range.high + 1) ++behind;
  if (first != behind) {
    range = {std::min(range.low, first->low), std::max(range.high, behind[-1].high)};
    *first = range;
    size_ -= static_cast<size_t>(behind - first - 1);
    std::copy(behind, end, first + 1);
  } else if (size_ == kMost) {
    return false;
  } else {
    std::copy_backward(first, end, end + 1);
    *first = range;
    ++size_;
  }
  return true;
}

CodePoints CodePoints::Others() const {
  CodePoints others;
  uint32_t from = 0;
  for (const CodeRange& range : ranges()) {
    if (range.low > from) others.Add({from, range.low - 1});
    from = range.high + 1;
  }
  if (from <= kLast) others.Add({from, kLast});
  return others;
}

Regex OneOf(const CodePoints& set, Spelling spelling, Regexes& regexes, Budget& budget) {
  Parts parts(regexes, budget);
  const bool escapes = spelling == Spelling::kJsonString;
  for (CodeRange range : set.ranges()) {
    // One that is escaped, or those up to the next one that is.
    while (range.low <= range.high && budget.ok()) {
      if (escapes && IsEscaped(range.low)) {
        AddEscaped(range.low++, regexes, budget, parts);
        continue;
      }
      uint32_t high = range.high;
      for (const uint32_t mark : {uint32_t{'\\'}, uint32_t{'"'}}) {
        if (escapes && range.low < mark && mark <= high) high = mark - 1;
      }
      AddPlain({range.low, high}, regexes, budget, parts);
      range.low = high + 1;
    }
  }
  return parts.Take();
}

void CharacterClass::Add(CodeRange range) {
  if (some_.Add(range)) return;
  EndPart();
  some_ = {range};
}

void CharacterClass::EndPart() {
  const CodePoints part = others_ ? some_.Others() : some_;
  regexes_.stack().Add(OneOf(part, spelling_, regexes_, budget_), budget_);
}

// Of none of the parts, or of any.
Regex CharacterClass::Take() {
  EndPart();
  List<Regex>& stack = regexes_.stack();
  const std::span<const Regex> parts = stack.Part(first_, stack.size() - first_);
  const Regex made = others_ ? regexes_.Both(parts, budget_) : regexes_.Either(parts, budget_);
  stack.Shrink(first_);
  return made;
}

}  // namespace rondo::grammar
