#include "runtime/grammar/pattern.h"

#include <array>

#include "runtime/base/hex.h"
#include "runtime/base/utf8.h"

namespace rondo::grammar {
namespace {

constexpr CodeRange kDigits[] = {{'0', '9'}};
constexpr CodeRange kWordCharacters[] = {{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}};
constexpr CodeRange kSpaces[] = {
    {'\t', '\r'},     {' ', ' '},       {0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a},
    {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff}};
constexpr CodeRange kLineEnds[] = {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};

// These, or all others.
void Put(std::span<const CodeRange> ranges, bool others, CodePoints* set) {
  *set = CodePoints();
  for (const CodeRange& range : ranges) set->Add(range);
  if (others) *set = set->Others();
}
void Put(uint32_t code, CodePoints* set) { *set = {{code, code}}; }

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
    any_ = AnyText();
    whole_ = whole;
    levels_[0].first = levels_[0].sequence = regexes_.stack().size();
    while (budget_.ok()) {
      if (at_ == pattern_.size() || Has("|") || Has(")")) {
        EndAlternative();
        if (Take("|")) continue;
        if (at_ == pattern_.size()) break;
        RONDO_RETURN_IF_ERROR(Close());
      } else if (Has("(")) {
        RONDO_RETURN_IF_ERROR(Open());
      } else {
        RONDO_RETURN_IF_ERROR(Term());
      }
    }
    if (Now().kind == Level::Kind::kWhole) return Finish(TakeEither(Now().first));
    at_ = Now().begin;
    return Wrong("a group that is not closed");
  }

  Status Exhausted() const {
    char where[64];
    Format(where, sizeof where, "the pattern up to byte %zu", at_);
    return regexes_.Exhausted(budget_, where);
  }

 private:
  static constexpr uint32_t kParts = 4;  // of a Piece
  static constexpr size_t kMostNested = 64;
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

  Regex AnyText() {
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

  // Pieces lie on the expressions' stack until they are joined: so the memory that they take does
  // not grow with its square. Behind what is there from `first` on.
  void Push(const Piece& piece) {
    for (const auto& by_end : piece.by) regexes_.stack().AddAll(by_end, budget_);
  }
  Piece At(uint32_t at) {
    Piece piece;
    for (size_t i = 0; i < kParts; ++i) piece.by[i / 2][i % 2] = regexes_.stack()[at + i];
    return piece;
  }

  // Either of the pieces from `first` on, which are taken.
  Piece TakeEither(uint32_t first) {
    List<Regex>& stack = regexes_.stack();
    const uint32_t end = stack.size();
    Piece piece;
    for (size_t i = 0; i < kParts && budget_.ok(); ++i) {
      for (uint32_t at = first; at < end; at += kParts) stack.Add(stack[at + i], budget_);
      if (!budget_.ok()) break;
      piece.by[i / 2][i % 2] = regexes_.Either(stack.Part(end, stack.size() - end), budget_);
      stack.Shrink(end);
    }
    stack.Shrink(first);
    return piece;
  }

  // One behind the other, from the last on: each stands before what is there.
  Piece TakeSequence(uint32_t first) {
    Piece piece = Piece::Of(Regexes::kEmpty);
    for (uint32_t at = regexes_.stack().size(); at > first && budget_.ok();) {
      at -= kParts;
      piece = Then(At(at), piece);
    }
    regexes_.stack().Shrink(first);
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

  // What is open: the pattern, a group, a lookahead, or what follows one up to the end of its
  // alternative.
  struct Level {
    enum class Kind : uint8_t { kWhole, kGroup, kAhead, kNotAhead, kBehindAhead, kBehindNotAhead };
    Kind kind = Kind::kWhole;
    size_t begin = 0;
    uint32_t first = 0;     // on the stack: alternatives that have ended
    uint32_t sequence = 0;  // and pieces of the one that has not
    Piece ahead = {};       // kBehind: what the lookahead reads
  };
  Level& Now() { return levels_[nested_]; }
  Status Enter(Level::Kind kind, const Piece& ahead = {}) {
    if (nested_ == kMostNested) return Unsupported("groups over 64 deep");
    const uint32_t top = regexes_.stack().size();
    levels_[++nested_] = {
        .kind = kind, .begin = at_, .first = top, .sequence = top, .ahead = ahead};
    return Status();
  }

  void EndAlternative() {
    for (; Now().kind >= Level::Kind::kBehindAhead; --nested_) {
      const Level& level = Now();
      const Piece rest = TakeSequence(level.sequence);
      Push(Look(level.ahead, level.kind == Level::Kind::kBehindAhead, rest));
    }
    Push(TakeSequence(Now().sequence));
    Now().sequence = regexes_.stack().size();
  }

  Status Open() {
    const bool ahead = Has("(?="), not_ahead = Has("(?!");
    if (ahead || not_ahead) {
      if (Now().kind != Level::Kind::kWhole && Now().kind < Level::Kind::kBehindAhead) {
        return Unsupported("a lookahead inside of a group");
      }
      RONDO_RETURN_IF_ERROR(Enter(ahead ? Level::Kind::kAhead : Level::Kind::kNotAhead));
      at_ += 3;
      return Status();
    }
    RONDO_RETURN_IF_ERROR(Enter(Level::Kind::kGroup));
    ++at_;
    if (!Take("?") || Take(":")) return Status();
    if (Has("<=") || Has("<!")) return Unsupported("a lookbehind");
    if (!Take("<")) return Unsupported("a group of a kind that is not known");
    const size_t end = pattern_.find('>', at_);
    if (end == std::string_view::npos) return Wrong("a group's name without its end");
    at_ = end + 1;
    return Status();
  }

  Status Close() {
    const Level level = Now();
    if (level.kind == Level::Kind::kWhole) return Wrong("a ) that closes nothing");
    Take(")");
    --nested_;
    const Piece all = TakeEither(level.first);
    if (level.kind == Level::Kind::kGroup) return Quantified(all);
    if (all.by[1][0] != Regexes::kNever || all.by[1][1] != Regexes::kNever) {
      return Unsupported("a ^ in a lookahead");
    }
    return Enter(level.kind == Level::Kind::kAhead ? Level::Kind::kBehindAhead
                                                   : Level::Kind::kBehindNotAhead,
                 all);
  }

  // What follows a lookahead, up to the end of the text, of which the lookahead's own pattern reads
  // the begin, or does not.
  Piece Look(const Piece& ahead, bool wanted, const Piece& rest) {
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

  Status Term() {
    constexpr Regex kNever = Regexes::kNever, kEmpty = Regexes::kEmpty;
    if (Take("^")) {
      Push({{{kNever, kNever}, {kEmpty, kNever}}});
      return Status();
    }
    if (Take("$")) {
      Push({{{kNever, kEmpty}, {kNever, kNever}}});
      return Status();
    }
    if (Has("[")) return Class();
    CodePoints set;
    RONDO_RETURN_IF_ERROR(Character(&set));
    return Quantified(Piece::Of(OneOf(set, spelling_, regexes_, budget_)));
  }

  // Appends the piece, as often as what stands behind it says.
  Status Quantified(const Piece& piece) {
    uint32_t min = 1, max = 1;
    if (Take("*")) {
      min = 0, max = Regexes::kNoLimit;
    } else if (Take("+")) {
      max = Regexes::kNoLimit;
    } else if (Take("?")) {
      min = 0;
    } else if (Has("{") && Counts(&min, &max)) {
      if (min > kMostRepeats || (max != Regexes::kNoLimit && max > kMostRepeats)) {
        return Unsupported("a quantifier of over 1048576");
      }
      if (min > max) return Wrong("a quantifier whose numbers are out of order");
    } else {
      Push(piece);
      return Status();
    }
    Take("?");  // lazy: the same texts
    if (HasQuantifier()) return Wrong("a quantifier of a quantifier");
    if (piece.anchored()) return Unsupported("a quantifier of an anchor");
    Push(Piece::Of(regexes_.Repeat(piece.by[0][0], min, max, budget_)));
    return Status();
  }

  bool HasQuantifier() {
    uint32_t min = 0, max = 0;
    const size_t at = at_;
    const bool has = Has("*") || Has("+") || Has("?") || (Has("{") && Counts(&min, &max));
    at_ = at;
    return has;
  }

  // "{,5}" or "{2, 5}": a quantifier for others, text by rules of old, and not well formed in
  // ECMA-262 with the flag u.
  bool HasForeignCounts() const {
    if (!Has("{")) return false;
    const size_t end = pattern_.find_first_not_of("0123456789, ", at_ + 1);
    return end != std::string_view::npos && pattern_[end] == '}' &&
           pattern_.substr(at_, end - at_).find_first_of("0123456789,") != std::string_view::npos;
  }

  // {2}, {2,} or {2,5}; anything else is not a quantifier.
  bool Counts(uint32_t* min, uint32_t* max) {
    size_t at = at_ + 1;
    const auto number = [&](uint32_t* value) {
      const size_t begin = at;
      uint64_t sum = 0;
      for (; at < pattern_.size() && pattern_[at] >= '0' && pattern_[at] <= '9'; ++at) {
        sum = sum <= kMostRepeats ? sum * 10 + static_cast<uint64_t>(pattern_[at] - '0') : sum;
      }
      *value = static_cast<uint32_t>(sum);
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

  // The sets are large, and stand once on the stack.
  Status Character(CodePoints* set) {
    if (Has("\\")) return Escape(false, set);
    if (Take(".")) {
      Put(kLineEnds, true, set);
      return Status();
    }
    if (HasQuantifier()) return Wrong("a quantifier of nothing");
    if (HasForeignCounts()) return Wrong("a quantifier that is not {2}, {2,} or {2,5}");
    if (Has("]") && odd_class_ != kNowhere) {
      at_ = odd_class_;
      return Unsupported("a class within a class, or one that begins with ]");
    }
    RONDO_ASSIGN(const uint32_t code, Code());
    Put(code, set);
    return Status();
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

  Status Escape(bool in_class, CodePoints* set) {
    const size_t begin = at_;
    ++at_;
    if (at_ == pattern_.size()) return Wrong("a \\ with nothing behind it");
    const char c = pattern_[at_];
    constexpr std::string_view kFrom = "tnrfv0", kTo = {"\t\n\r\f\v\0", 6};
    if (const size_t simple = kFrom.find(c); simple != std::string_view::npos) {
      ++at_;
      if (c == '0' && at_ < pattern_.size() && IsDigit(pattern_[at_])) {
        at_ = begin;
        return Unsupported("a character by its octal digits");
      }
      Put(static_cast<uint8_t>(kTo[simple]), set);
      return Status();
    }
    const auto kind = [&](char its_others, std::span<const CodeRange> ranges) {
      ++at_;
      Put(ranges, c == its_others, set);
      return Status();
    };
    switch (c) {
      case 'd':
      case 'D':
        return kind('D', kDigits);
      case 'w':
      case 'W':
        return kind('W', kWordCharacters);
      case 's':
      case 'S':
        return kind('S', kSpaces);
      case 'x':
      case 'u': {
        ++at_;
        RONDO_ASSIGN(const uint32_t code, c == 'x' ? Hex(2) : UnicodeEscape());
        Put(code, set);
        return Status();
      }
      case 'b':
        if (!in_class) break;
        ++at_;
        Put('\b', set);
        return Status();
      default:
        break;
    }
    if (const char* const what = Unknown(c)) {
      at_ = begin;
      return Unsupported(what);
    }
    RONDO_ASSIGN(const uint32_t code, Code());
    Put(code, set);
    return Status();
  }

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  // What an escape asks for that is not understood; null where it is the character itself. That a
  // letter never is: what it means where patterns have it (\A, \Z, \h, ...) is something else.
  static const char* Unknown(char c) {
    switch (c) {
      case 'b':
      case 'B':
        return "a word's boundary";
      case 'p':
      case 'P':
        return "a property of Unicode";
      case 'c':
        return "a control character by its letter";
      case 'k':
        return "what a group read";
      case 'A':
      case 'Z':
      case 'z':
        return "an anchor that ECMA-262 does not have (^ and $ are those)";
      default:
        break;
    }
    if (IsDigit(c)) return "what a group read";
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter ? "an escape that ECMA-262 does not have" : nullptr;
  }

  Status Class() {
    const size_t begin = at_;
    ++at_;
    CharacterClass all(Take("^"), spelling_, regexes_, budget_);
    CodePoints some;
    if (Has("]")) odd_class_ = begin;
    while (!Take("]")) {
      if (Has("[")) odd_class_ = begin;
      if (at_ == pattern_.size()) {
        at_ = begin;
        return Wrong("a class that is not closed");
      }
      RONDO_RETURN_IF_ERROR(ClassCharacter(&some));
      const uint32_t low = some.single();
      for (const CodeRange& range : some.ranges()) all.Add(range);
      if (!Has("-") || Has("-]") || low == CodePoints::kNotSingle) continue;
      ++at_;
      RONDO_RETURN_IF_ERROR(ClassCharacter(&some));
      const uint32_t high = some.single();
      if (high == CodePoints::kNotSingle) {  // "a-\d": three things
        all.Add({'-', '-'});
        for (const CodeRange& range : some.ranges()) all.Add(range);
      } else if (high < low) {
        return Wrong("a range that is out of order");
      } else {
        all.Add({low, high});
      }
    }
    return Quantified(Piece::Of(all.Take()));
  }

  Status ClassCharacter(CodePoints* set) {
    if (Has("\\")) return Escape(true, set);
    RONDO_ASSIGN(const uint32_t code, Code());
    Put(code, set);
    return Status();
  }

  static constexpr size_t kNowhere = SIZE_MAX;

  const std::string_view pattern_;
  const Spelling spelling_;
  Regexes& regexes_;
  Budget& budget_;
  size_t at_ = 0;
  std::array<Level, kMostNested + 1> levels_;
  size_t nested_ = 0;  // levels_ that are open, but the first
  // Of the last class that has a [ in it, or nothing: a ] behind it tells that it was meant for
  // another notation, in which the class ends there.
  size_t odd_class_ = kNowhere;
  bool whole_ = false;
  Regex any_ = Regexes::kEmpty;
};

}  // namespace

Result<Regex> ReadPattern(std::string_view pattern, bool whole, Spelling spelling, Regexes& regexes,
                          Budget& budget) {
  const uint32_t top = regexes.stack().size();
  Reader reader(pattern, spelling, regexes, budget);
  const Result<Regex> read = reader.Read(whole);
  regexes.stack().Shrink(top);
  return budget.ok() ? read : reader.Exhausted();
}

}  // namespace rondo::grammar
