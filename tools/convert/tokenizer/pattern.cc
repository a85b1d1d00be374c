#include "tools/convert/tokenizer/pattern.h"

#include <array>
#include <cctype>
#include <string_view>

#include "runtime/base/utf8.h"

namespace rondo::convert {
namespace {

// char is signed on some machines and unsigned on others.
bool IsAsciiPunctuation(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x80 && std::ispunct(byte) != 0;
}

// White_Space; PCRE2's own \s has U+180E too.
constexpr std::string_view kSpaces =
    R"(\x{09}-\x{0D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";

// Oniguruma's \w: Unicode's word characters, and six digits that are Latin-1's.
constexpr std::string_view kWordCharacters =
    R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE})";

constexpr std::array<std::string_view, 50> kProperties = {
    "L",      "Lu",    "Ll",    "Lt",      "Lm",       "Lo",     "M",      "Mn",         "Mc",
    "Me",     "N",     "Nd",    "Nl",      "No",       "P",      "Pc",     "Pd",         "Ps",
    "Pe",     "Pi",    "Pf",    "Po",      "S",        "Sm",     "Sc",     "Sk",         "So",
    "Z",      "Zs",    "Zl",    "Zp",      "Cc",       "Cf",     "Han",    "Hiragana",   "Katakana",
    "Hangul", "Thai",  "Latin", "Greek",   "Cyrillic", "Arabic", "Hebrew", "Devanagari", "Bengali",
    "Tamil",  "Khmer", "Lao",   "Myanmar", "Tibetan"};

constexpr int kMaxNesting = 32;

class Translator {
 public:
  Translator(const std::string& pattern, bool over_bytes, const JsonValue& where)
      : in_(pattern), over_bytes_(over_bytes), where_(where) {}

  std::string Run() {
    Alternatives();
    if (!AtEnd()) Refuse("an unmatched ')'");
    return out_;
  }

 private:
  bool AtEnd() const { return at_ == in_.size(); }
  char Peek() const { return AtEnd() ? '\0' : in_[at_]; }
  bool Take(std::string_view text) {
    if (in_.compare(at_, text.size(), text) != 0) return false;
    at_ += text.size();
    return true;
  }
  [[noreturn]] void Refuse(const std::string& what) const {
    where_.Fail("has " + what + " at byte " + std::to_string(at_) + " of '" + in_ +
                "', which is not supported");
  }

  void Alternatives() {
    if (++nesting_ > kMaxNesting) Refuse("groups nested too deep");
    Sequence();
    while (Take("|")) {
      out_ += '|';
      Sequence();
    }
    --nesting_;
  }

  void Sequence() {
    while (!AtEnd() && Peek() != '|' && Peek() != ')') {
      if (Group()) {
        Quantifier();
        continue;
      }
      if (Peek() == '[') {
        out_ += Class();
        Quantifier();
        continue;
      }
      const char c = Peek();
      if (c == '\\') {
        Escape(/*in_class=*/false);
      } else if (c == '.') {
        if (over_bytes_) Refuse("'.'");
        ++at_;
        out_ += R"([^\x{0A}])";
      } else if (c == '$') {
        // The end of a line, as Oniguruma has it; nothing to repeat.
        if (over_bytes_) Refuse("'$'");
        ++at_;
        out_ += R"((?=\x{0A}|\z))";
        continue;
      } else if (std::string_view("^*+?{").find(c) != std::string_view::npos) {
        Refuse(std::string("'") + c + "'");
      } else {
        Literal();
      }
      Quantifier();
    }
  }

  bool Group() {
    if (Peek() != '(') return false;
    constexpr std::array<std::string_view, 5> kOpenings = {"(?:", "(?=", "(?!", "(?>", "(?i:"};
    std::string_view opening;
    for (const std::string_view candidate : kOpenings) {
      if (Take(candidate)) opening = candidate;
      if (!opening.empty()) break;
    }
    if (opening.empty()) {
      if (in_.compare(at_, 2, "(?") == 0) Refuse("the group '" + in_.substr(at_, 4) + "'");
      ++at_;
      opening = "(?:";
    }
    if (over_bytes_ && opening == "(?i:") Refuse("a group without case");
    out_ += opening;
    Alternatives();
    if (!Take(")")) Refuse("an unmatched '('");
    out_ += ')';
    return true;
  }

  // A class in brackets, as PCRE2 writes it.
  std::string Class() {
    if (++nesting_ > kMaxNesting) Refuse("classes nested too deep");
    Take("[");
    const bool negated = Take("^");
    if (Peek() == ']') Refuse("an empty class");
    // Escape and Literal write to out_, which here takes the members; what is there waits.
    std::string members;
    members.swap(out_);
    std::string other;  // the other side of an intersection
    while (!Take("]")) {
      if (AtEnd()) Refuse("an unmatched '['");
      if (Take("&&")) {
        // What is in both: [a-z&&[^x]].
        if (negated || Peek() != '[') Refuse("an intersection that is not of two plain classes");
        other = Class();
        if (Peek() != ']') Refuse("an intersection that is not of two plain classes");
      } else if (in_.compare(at_, 2, "[:") == 0) {
        Refuse("a POSIX class");
      } else if (Peek() == '[') {
        // A class inside of a class adds its members.
        const std::string inner = Class();
        if (inner.starts_with("[^") || inner.starts_with('(')) {
          Refuse("a negated class inside of a class");
        }
        out_ += inner.substr(1, inner.size() - 2);
      } else if (Peek() == '\\') {
        Escape(/*in_class=*/true);
      } else if (Take("-")) {
        out_ += '-';
      } else {
        Literal();
      }
    }
    members.swap(out_);
    --nesting_;
    const std::string plain = (negated ? "[^" : "[") + members + "]";
    return other.empty() ? plain : "(?:(?=" + other + ")" + plain + ")";
  }

  // One character that stands for itself, any of UTF-8's bytes at a time.
  void Literal() {
    const char c = in_[at_];
    if (over_bytes_ && (c <= ' ' || c > '~')) Refuse("a character outside of printable ASCII");
    if (IsAsciiPunctuation(c)) out_ += '\\';
    out_ += c;
    ++at_;
    // The rest of a character of several bytes, so that a quantifier takes it whole.
    while (!AtEnd() && IsUtf8Continuation(static_cast<uint8_t>(Peek()))) out_ += in_[at_++];
  }

  void Escape(bool in_class) {
    if (at_ + 1 == in_.size()) Refuse("a lone '\\'");
    const char c = in_[at_ + 1];
    if (c > 0 && std::ispunct(static_cast<unsigned char>(c)) != 0) {
      at_ += 2;
      out_ += '\\';
      out_ += c;
      return;
    }
    if (over_bytes_) Refuse(std::string("'\\") + c + "'");
    const auto shorthand = [&](std::string_view members, bool negated) {
      at_ += 2;
      if (!in_class) {
        out_ += negated ? "[^" : "[";
        out_ += members;
        out_ += ']';
      } else {
        if (negated) Refuse("a negated shorthand inside of a class");
        out_ += members;
      }
    };
    switch (c) {
      case 's':
      case 'S':
        return shorthand(kSpaces, c == 'S');
      case 'd':
      case 'D':
        return shorthand(R"(\p{Nd})", c == 'D');
      case 'w':
      case 'W':
        return shorthand(kWordCharacters, c == 'W');
      case 'h':
      case 'H':
        return shorthand("0-9A-Fa-f", c == 'H');
      case 'n':
        at_ += 2;
        out_ += R"(\x{0A})";
        return;
      case 'r':
        at_ += 2;
        out_ += R"(\x{0D})";
        return;
      case 't':
        at_ += 2;
        out_ += R"(\x{09})";
        return;
      case 'f':
        at_ += 2;
        out_ += R"(\x{0C})";
        return;
      case 'v':
        at_ += 2;
        out_ += R"(\x{0B})";
        return;
      case 'p':
      case 'P':
        return Property(c == 'P');
      case 'x':
        at_ += 2;
        if (!Take("{")) Refuse("'\\x' without braces");
        return CodePoint(in_.find('}', at_), /*closing=*/1);
      case 'u':
        at_ += 2;
        return CodePoint(at_ + 4, /*closing=*/0);
      default:
        Refuse(std::string("'\\") + c + "'");
    }
  }

  void Property(bool negated) {
    at_ += 2;
    if (!Take("{")) Refuse("a property without braces");
    if (Take("^")) negated = !negated;
    const size_t end = in_.find('}', at_);
    if (end == std::string::npos) Refuse("an unfinished property");
    const std::string name = in_.substr(at_, end - at_);
    bool known = false;
    for (const std::string_view property : kProperties) known |= property == name;
    if (!known) Refuse("the property '" + name + "'");
    at_ = end + 1;
    out_ += negated ? "\\P{" : "\\p{";
    out_ += name + "}";
  }

  // Hexadecimal digits up to `end`.
  void CodePoint(size_t end, size_t closing) {
    if (end == std::string::npos || end > in_.size() || end == at_ || end - at_ > 6) {
      Refuse("a malformed code point");
    }
    const std::string digits = in_.substr(at_, end - at_);
    for (const char digit : digits) {
      if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) Refuse("a malformed code point");
    }
    at_ = end + closing;
    out_ += "\\x{" + digits + "}";
  }

  void Quantifier() {
    bool interval = false;
    if (Peek() == '*' || Peek() == '+' || Peek() == '?') {
      out_ += in_[at_++];
    } else if (Peek() == '{') {
      size_t i = at_ + 1;
      size_t commas = 0;
      while (i < in_.size() && (std::isdigit(static_cast<unsigned char>(in_[i])) != 0 ||
                                (in_[i] == ',' && ++commas == 1 && i > at_ + 1))) {
        ++i;
      }
      if (i == at_ + 1 || i >= in_.size() || in_[i] != '}') Refuse("a malformed interval");
      out_ += in_.substr(at_, i + 1 - at_);
      at_ = i + 1;
      interval = true;
    } else {
      return;
    }
    if (interval && (Peek() == '+' || Peek() == '?')) Refuse("a sign after an interval");
    if (Peek() == '+' || Peek() == '?') out_ += in_[at_++];
    if (Peek() == '*' || Peek() == '+' || Peek() == '?' || Peek() == '{') {
      Refuse("a quantifier after a quantifier");
    }
  }

  const std::string& in_;
  const bool over_bytes_;
  const JsonValue& where_;
  size_t at_ = 0;
  int nesting_ = 0;
  std::string out_;
};

}  // namespace

std::string TranslatePattern(const std::string& pattern, bool over_bytes, const JsonValue& where) {
  return Translator(pattern, over_bytes, where).Run();
}

std::string WordsPattern() {
  const std::string word = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200C}\x{200D})";
  return "[" + word + "]+|[^" + word + std::string(kSpaces) + "]+";
}

std::string HanPattern() {
  return R"([\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{20000}-\x{2A6DF}\x{2A700}-\x{2B81F})"
         R"(\x{2B920}-\x{2CEAF}\x{F900}-\x{FAFF}\x{2F800}-\x{2FA1F}])";
}

std::string QuotePattern(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (IsAsciiPunctuation(c)) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

}  // namespace rondo::convert
