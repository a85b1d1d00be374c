#include "runtime/grammar/pattern.h"

#include <array>

#include "runtime/base/hex.h"
#include "runtime/base/utf8.h"

namespace rondo::grammar {
namespace {

CodePoints Digits() { return {{'0', '9'}}; }
CodePoints WordCharacters() { return {{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}}; }
CodePoints Spaces() {
  return {{'\t', '\r'},     {' ', ' '},       {0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a},
          {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff}};
}

// What a piece of a pattern reads, by whether it can only stand where a text begins, and where it
// ends.
struct Piece {
  Regex by[2][2] = {};  // [at the begin][at the end], kNever where there is none

  static Piece Of(Regex regex) {
    return {{{regex, Regexes::kNever}, {Regexes::kNever, Regexes::kNever}}};
  }
  bool anchored() const {
    return by[0][1] != Regexes::kNever || by[1][0] != Regexes::kNever ||
           by[1][1] != Regexes::kNever;
  }
};

class Reader {
 public:
  Reader(std::string_view pattern, Spelling spelling, Regexes& regexes, Budget& budget)
      : pattern_(pattern), spelling_(spelling), regexes_(regexes), budget_(budget) {}

  Result<Regex> Read(bool whole) {
    RONDO_ASSIGN(any_, AnyText());
    whole_ = whole;
    RONDO_ASSIGN(const Piece piece, Alternatives(0));
    if (at_ < pattern_.size()) return Wrong("a ) that closes nothing");
    return Finish(piece);
  }

 private:
  static constexpr int kMostNested = 64;
  static constexpr uint32_t kMostRepeats = 1u << 20;

  Status Wrong(const char* what) const {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the pattern is not well formed at byte %zu: %s", at_, what);
  }
  Status Unsupported(const char* what) const {
    return Status::Error(StatusCode::kUnsupported, "the pattern asks for %s at byte %zu", what,
                         at_);
  }

  bool Has(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  bool Take(std::string_view text) {
    if (!Has(text)) return false;
    at_ += text.size();
    return true;
  }

  Result<Regex> AnyText() {
    return regexes_.Repeat(OneOf({{0, CodePoints::kLast}}, spelling_, regexes_, budget_), 0,
                           Regexes::kNoLimit, budget_);
  }

  // With what may stand before and behind it.
  Regex Finish(const Piece& piece) {
    const Regex open = whole_ ? Regexes::kEmpty : any_;
    const Regex all[] = {
        regexes_.Then(open, regexes_.Then(piece.by[0][0], open, budget_), budget_),
        regexes_.Then(open, piece.by[0][1], budget_),
        regexes_.Then(piece.by[1][0], open, budget_),
        piece.by[1][1],
    };
    return regexes_.Either(all, budget_);
  }

  Piece Either(const Piece& a, const Piece& b) {
    Piece piece;
    for (int s = 0; s < 2; ++s) {
      for (int e = 0; e < 2; ++e) {
        const Regex both[] = {a.by[s][e], b.by[s][e]};
        piece.by[s][e] = regexes_.Either(both, budget_);
      }
    }
    return piece;
  }

  // Behind what must end a text only the empty text can stand, and before what must begin one.
  Piece Then(const Piece& a, const Piece& b) {
    Piece piece;
    for (int s = 0; s < 2; ++s) {
      for (int e = 0; e < 2; ++e) {
        Regex parts[3] = {regexes_.Then(a.by[s][0], b.by[0][e], budget_)};
        size_t n = 1;
        if (e == 1 && (regexes_.nullable(b.by[0][0]) || regexes_.nullable(b.by[0][1]))) {
          parts[n++] = a.by[s][1];
        }
        if (s == 1 && (regexes_.nullable(a.by[0][0]) || regexes_.nullable(a.by[1][0]))) {
          parts[n++] = b.by[1][e];
        }
        piece.by[s][e] = regexes_.Either({parts, n}, budget_);
      }
    }
    return piece;
  }

  Result<Piece> Alternatives(int nested) {
    if (nested > kMostNested) return Unsupported("groups over 64 deep");
    RONDO_ASSIGN(Piece all, Alternative(nested));
    while (Take("|")) {
      RONDO_ASSIGN(const Piece other, Alternative(nested));
      all = Either(all, other);
    }
    return all;
  }

  Result<Piece> Alternative(int nested) {
    Piece all = Piece::Of(Regexes::kEmpty);
    while (at_ < pattern_.size() && !Has("|") && !Has(")") && budget_.ok()) {
      if (Has("(?=") || Has("(?!")) {
        if (nested > 0) return Unsupported("a lookahead inside of a group");
        RONDO_ASSIGN(const Piece rest, Lookahead(nested));
        return Then(all, rest);
      }
      RONDO_ASSIGN(const Piece term, Term(nested));
      all = Then(all, term);
    }
    return all;
  }

  // What follows, up to the end of the text, of which the lookahead's own pattern reads the begin,
  // or does not.
  Result<Piece> Lookahead(int nested) {
    const bool wanted = Has("(?=");
    at_ += 3;
    RONDO_ASSIGN(const Piece ahead, Alternatives(nested + 1));
    if (!Take(")")) return Wrong("a group that is not closed");
    if (ahead.by[1][0] != Regexes::kNever || ahead.by[1][1] != Regexes::kNever) {
      return Unsupported("a ^ in a lookahead");
    }
    RONDO_ASSIGN(const Piece rest, Alternative(nested));
    const Regex sees[] = {regexes_.Then(ahead.by[0][0], any_, budget_), ahead.by[0][1]};
    const Regex seen = regexes_.Either(sees, budget_);
    Piece piece;
    for (int s = 0; s < 2; ++s) {
      const Regex follows[] = {
          regexes_.Then(rest.by[s][0], whole_ ? Regexes::kEmpty : any_, budget_), rest.by[s][1]};
      const Regex both[] = {regexes_.Either(follows, budget_),
                            wanted ? seen : regexes_.Not(seen, budget_)};
      piece.by[s][1] = regexes_.Both(both, budget_);
    }
    return piece;
  }

  Result<Piece> Term(int nested) {
    if (Take("^"))
      return Piece{{{Regexes::kNever, Regexes::kNever}, {Regexes::kEmpty, Regexes::kNever}}};
    if (Take("$"))
      return Piece{{{Regexes::kNever, Regexes::kEmpty}, {Regexes::kNever, Regexes::kNever}}};
    Piece piece;
    if (Has("(")) {
      RONDO_ASSIGN(piece, Group(nested));
    } else {
      RONDO_ASSIGN(const CodePoints set, Character());
      piece = Piece::Of(OneOf(set, spelling_, regexes_, budget_));
    }
    return Quantified(piece);
  }

  Result<Piece> Group(int nested) {
    const size_t begin = at_;
    ++at_;
    if (Take("?")) {
      if (Has("<=") || Has("<!")) return Unsupported("a lookbehind");
      if (Take("<")) {
        const size_t end = pattern_.find('>', at_);
        if (end == std::string_view::npos) return Wrong("a group's name without its end");
        at_ = end + 1;
      } else if (!Take(":")) {
        return Unsupported("a group of a kind that is not known");
      }
    }
    RONDO_ASSIGN(const Piece piece, Alternatives(nested + 1));
    if (!Take(")")) {
      at_ = begin;
      return Wrong("a group that is not closed");
    }
    return piece;
  }

  Result<Piece> Quantified(const Piece& piece) {
    uint32_t min = 1, max = 1;
    const size_t begin = at_;
    if (Take("*")) {
      min = 0, max = Regexes::kNoLimit;
    } else if (Take("+")) {
      max = Regexes::kNoLimit;
    } else if (Take("?")) {
      min = 0;
    } else if (Has("{") && Counts(&min, &max)) {
      if (min > max) return Wrong("a quantifier whose numbers are out of order");
    } else {
      at_ = begin;
      return piece;
    }
    Take("?");  // lazy: the same texts
    if (Has("*") || Has("+") || Has("?")) return Wrong("a quantifier of a quantifier");
    if (piece.anchored()) return Unsupported("a quantifier of an anchor");
    return Piece::Of(regexes_.Repeat(piece.by[0][0], min, max, budget_));
  }

  // {2}, {2,} or {2,5}; anything else is not a quantifier.
  bool Counts(uint32_t* min, uint32_t* max) {
    size_t at = at_ + 1;
    const auto number = [&](uint32_t* value) {
      const size_t begin = at;
      uint64_t sum = 0;
      for (; at < pattern_.size() && pattern_[at] >= '0' && pattern_[at] <= '9'; ++at) {
        sum = sum < kMostRepeats ? sum * 10 + static_cast<uint64_t>(pattern_[at] - '0') : sum;
      }
      *value = static_cast<uint32_t>(sum < kMostRepeats ? sum : kMostRepeats);
      return at > begin;
    };
    const auto is = [&](char c) { return at < pattern_.size() && pattern_[at] == c; };
    if (!number(min)) return false;
    *max = *min;
    if (is(',')) {
      ++at;
      if (!number(max)) *max = Regexes::kNoLimit;
    }
    if (!is('}')) return false;
    at_ = at + 1;
    return true;
  }

  Result<uint32_t> Code() {
    if (at_ == pattern_.size()) return Wrong("an end where a character is expected");
    const auto* const begin = reinterpret_cast<const uint8_t*>(pattern_.data());
    const Utf8Step step = DecodeUtf8(begin + at_, begin + pattern_.size());
    if (step.kind != Utf8Kind::kValid) return Wrong("bytes that are not UTF-8");
    at_ += step.length;
    return step.code_point;
  }

  Result<CodePoints> Character() {
    if (Has("[")) return Class();
    if (Has("\\")) return Escape(false);
    if (Take(".")) return CodePoints{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}.Others();
    if (Has("*") || Has("+") || Has("?")) return Wrong("a quantifier of nothing");
    RONDO_ASSIGN(const uint32_t code, Code());
    return CodePoints{{code, code}};
  }

  Result<uint32_t> Hex(size_t digits) {
    uint32_t value = 0;
    for (size_t i = 0; i < digits; ++i) {
      const char c = at_ < pattern_.size() ? pattern_[at_] : '\0';
      const int digit = HexDigit(c);
      if (digit < 0) return Wrong("an escape without its hexadecimal digits");
      value = value * 16 + static_cast<uint32_t>(digit);
      ++at_;
    }
    return value;
  }

  // \u0041, \u{1F600}, and two surrogates as the one character that they are.
  Result<uint32_t> UnicodeEscape() {
    if (Take("{")) {
      const size_t end = pattern_.find('}', at_);
      if (end == std::string_view::npos || end == at_ || end - at_ > 6) {
        return Wrong("an escape without its hexadecimal digits");
      }
      RONDO_ASSIGN(const uint32_t code, Hex(end - at_));
      ++at_;
      if (code > CodePoints::kLast) return Wrong("an escape beyond Unicode");
      return code;
    }
    RONDO_ASSIGN(const uint32_t first, Hex(4));
    if (first < 0xd800 || first > 0xdbff || !Take("\\u")) return first;
    RONDO_ASSIGN(const uint32_t second, Hex(4));
    if (second < 0xdc00 || second > 0xdfff) return Wrong("half of a pair of surrogates");
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
  }

  Result<CodePoints> Escape(bool in_class) {
    ++at_;
    if (at_ == pattern_.size()) return Wrong("a \\ with nothing behind it");
    const char c = pattern_[at_];
    ++at_;
    switch (c) {
      case 'd':
        return Digits();
      case 'D':
        return Digits().Others();
      case 'w':
        return WordCharacters();
      case 'W':
        return WordCharacters().Others();
      case 's':
        return Spaces();
      case 'S':
        return Spaces().Others();
      case 't':
        return CodePoints{{'\t', '\t'}};
      case 'n':
        return CodePoints{{'\n', '\n'}};
      case 'r':
        return CodePoints{{'\r', '\r'}};
      case 'f':
        return CodePoints{{'\f', '\f'}};
      case 'v':
        return CodePoints{{'\v', '\v'}};
      case '0':
        return CodePoints{{0, 0}};
      case 'b':
        if (in_class) return CodePoints{{'\b', '\b'}};
        return Unsupported("a word's boundary");
      case 'B':
        return Unsupported("a word's boundary");
      case 'k':
        return Unsupported("what a group read");
      case 'p':
      case 'P':
        return Unsupported("a property of Unicode");
      case 'c':
        return Unsupported("a control character by its letter");
      case 'x': {
        RONDO_ASSIGN(const uint32_t code, Hex(2));
        return CodePoints{{code, code}};
      }
      case 'u': {
        RONDO_ASSIGN(const uint32_t code, UnicodeEscape());
        return CodePoints{{code, code}};
      }
      default:
        break;
    }
    if (c >= '1' && c <= '9') return Unsupported("what a group read");
    --at_;
    RONDO_ASSIGN(const uint32_t code, Code());
    return CodePoints{{code, code}};
  }

  Result<CodePoints> Class() {
    const size_t begin = at_;
    ++at_;
    const bool others = Take("^");
    CodePoints set;
    while (!Take("]")) {
      if (at_ == pattern_.size()) {
        at_ = begin;
        return Wrong("a class that is not closed");
      }
      RONDO_ASSIGN(const CodePoints low, ClassCharacter());
      const bool is_range = Has("-") && !Has("-]");
      const bool single = low.ranges().size() == 1 && low.ranges()[0].low == low.ranges()[0].high;
      if (!is_range || !single) {
        set.Add(low);
        continue;
      }
      ++at_;
      RONDO_ASSIGN(const CodePoints high, ClassCharacter());
      if (high.ranges().size() != 1 || high.ranges()[0].low != high.ranges()[0].high) {
        set.Add(low);  // "a-\d": three things
        set.Add({'-', '-'});
        set.Add(high);
        continue;
      }
      if (high.ranges()[0].low < low.ranges()[0].low) return Wrong("a range that is out of order");
      set.Add({low.ranges()[0].low, high.ranges()[0].low});
    }
    return others ? set.Others() : set;
  }

  Result<CodePoints> ClassCharacter() {
    if (Has("\\")) return Escape(true);
    RONDO_ASSIGN(const uint32_t code, Code());
    return CodePoints{{code, code}};
  }

  const std::string_view pattern_;
  const Spelling spelling_;
  Regexes& regexes_;
  Budget& budget_;
  size_t at_ = 0;
  bool whole_ = false;
  Regex any_ = Regexes::kEmpty;
};

}  // namespace

Result<Regex> ReadPattern(std::string_view pattern, bool whole, Spelling spelling, Regexes& regexes,
                          Budget& budget) {
  return Reader(pattern, spelling, regexes, budget).Read(whole);
}

}  // namespace rondo::grammar
