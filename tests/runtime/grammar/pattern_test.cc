// Patterns: the texts of std::regex's, which are ECMA-262's, too; what is refused, by name.
#include "runtime/grammar/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>

#include "tests/runtime/grammar/parts.h"

namespace rondo::grammar {
namespace {

using testing::HasSubstr;

class Matcher {
 public:
  explicit Matcher(std::string_view pattern, bool whole = false,
                   Spelling spelling = Spelling::kUtf8) {
    const Result<Regex> regex =
        ReadPattern(pattern, whole, spelling, parts_.regexes, parts_.budget);
    status_ = regex.status();
    if (regex.ok()) parts_.ReadRegex(*regex);
  }
  const Status& status() const { return status_; }
  bool operator()(std::string_view text) { return parts_.Accepts(text); }

 private:
  Parts parts_;
  Status status_;
};

TEST(Pattern, IsFoundAnywhereButForAnchors) {
  Matcher digit("\\d");
  EXPECT_TRUE(digit("a1b"));
  EXPECT_FALSE(digit("ab"));
  Matcher date("^\\d{4}-\\d{2}$");
  EXPECT_TRUE(date("2024-01"));
  EXPECT_FALSE(date("x2024-01"));
  EXPECT_FALSE(date("2024-011"));
  Matcher either("^a|b$");
  EXPECT_TRUE(either("ax"));
  EXPECT_TRUE(either("xb"));
  EXPECT_FALSE(either("xa"));
  Matcher whole("a|bc", true);
  EXPECT_TRUE(whole("bc"));
  EXPECT_FALSE(whole("xbc"));
}

TEST(Pattern, KnowsCharactersOfSeveralBytes) {
  Matcher greek("^[α-ω]+$");
  EXPECT_TRUE(greek("αβγ"));
  EXPECT_FALSE(greek("αa"));
  Matcher other("^[^é]$");
  EXPECT_TRUE(other("è"));
  EXPECT_TRUE(other("\xf0\x9f\x98\x80"));
  EXPECT_FALSE(other("é"));
  EXPECT_FALSE(other("\xc3"));
  Matcher emoji("^\\u{1F600}\\uD83D\\uDE00\\u0041$");
  EXPECT_TRUE(
      emoji("\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
            "A"));
}

TEST(Pattern, StandsInAJsonStringInOneWay) {
  Matcher any("^.\\n\"\\\\é$", false, Spelling::kJsonString);
  EXPECT_TRUE(any("a\\n\\\"\\\\é"));
  EXPECT_FALSE(any("a\\u000a\\\"\\\\é"));
  EXPECT_FALSE(any("a\n\"\\é"));
  Matcher control("^\\x01$", false, Spelling::kJsonString);
  EXPECT_TRUE(control("\\u0001"));
}

// What other notations have and ECMA-262 has not with the flag u is refused, or is what it is
// there: no letter stands for itself behind a \.
TEST(Pattern, LettersBehindABackslashAreNoLetters) {
  const std::string known = "bBcdDfknpPrsStuvwWx";
  for (char c = 'A'; c <= 'z'; ++c) {
    const std::string pattern = std::string("\\") + c;
    const bool is_letter = c <= 'Z' || c >= 'a';
    if (!is_letter) {
      EXPECT_TRUE(Matcher(pattern).status().ok()) << pattern;
    } else if (known.find(c) == known.npos) {
      EXPECT_EQ(Matcher(pattern).status().code(), StatusCode::kUnsupported) << pattern;
      EXPECT_EQ(Matcher("[" + pattern + "]").status().code(), StatusCode::kUnsupported) << pattern;
    }
  }
  for (const char* const pattern :
       {"a++",       "a*+",     "a?+",           "(?i)a",    "(?i:a)",  "(?P<n>a)",
        "(?>a)",     "(?#a)",   "(?|a)",         "(?R)",     "(?<=a)b", "(?<!a)b",
        "(*ACCEPT)", "\\Q.\\E", "\\x{41}",       "\\o{101}", "\\g1",    "\\N{DASH}",
        "[[.a.]]",   "[[=a=]]", "[a-z-[aeiou]]", "a{ 2 }",   "a{,}"}) {
    EXPECT_FALSE(Matcher(pattern).status().ok()) << pattern;
  }
  Matcher brackets("^\\[.*]{x}$");  // right in every notation
  EXPECT_TRUE(brackets("[a]{x}"));
}

TEST(Pattern, RefusesByNameAndPlace) {
  const struct {
    const char* pattern;
    StatusCode code;
    const char* words;
  } cases[] = {
      {"(a", StatusCode::kInvalidArgument, "a group that is not closed"},
      {"a)", StatusCode::kInvalidArgument, "at byte 1: a ) that closes nothing"},
      {"[a", StatusCode::kInvalidArgument, "a class that is not closed"},
      {"*a", StatusCode::kInvalidArgument, "a quantifier of nothing"},
      {"a**", StatusCode::kInvalidArgument, "a quantifier of a quantifier"},
      {"a{3,2}", StatusCode::kInvalidArgument, "out of order"},
      {"[a-", StatusCode::kInvalidArgument, "an end where a character is expected"},
      {"[b-a]", StatusCode::kInvalidArgument, "out of order"},
      {"a\\", StatusCode::kInvalidArgument, "nothing behind it"},
      {"\\u12", StatusCode::kInvalidArgument, "hexadecimal"},
      {"\xff", StatusCode::kInvalidArgument, "UTF-8"},
      {"(a)\\1", StatusCode::kUnsupported, "what a group read"},
      {"\\bword", StatusCode::kUnsupported, "a word's boundary"},
      {"\\p{L}", StatusCode::kUnsupported, "a property of Unicode"},
      {"a\\Z", StatusCode::kUnsupported, "ECMA-262 does not have (^ and $ are those) at byte 1"},
      {"\\Aabc\\Z", StatusCode::kUnsupported, "at byte 0"},
      {"[\\h]", StatusCode::kUnsupported, "an escape that ECMA-262 does not have at byte 1"},
      {"x[[:alpha:]]y", StatusCode::kUnsupported, "a class within a class"},
      {"[]a]", StatusCode::kUnsupported, "one that begins with ] at byte 0"},
      {"[a-z&&[^b]]", StatusCode::kUnsupported, "a class within a class"},
      {"a{,3}", StatusCode::kInvalidArgument, "at byte 1: a quantifier that is not {2}"},
      {"a{2, 3}", StatusCode::kInvalidArgument, "at byte 1: a quantifier that is not {2}"},
      {"a{2}{3}", StatusCode::kInvalidArgument, "at byte 4: a quantifier of a quantifier"},
      {"a{2}+", StatusCode::kInvalidArgument, "at byte 4: a quantifier of a quantifier"},
      {"a|{2}", StatusCode::kInvalidArgument, "at byte 2: a quantifier of nothing"},
      {"\\012", StatusCode::kUnsupported, "a character by its octal digits at byte 0"},
      {"(?<=a)b", StatusCode::kUnsupported, "a lookbehind"},
      {"((?=a)b)", StatusCode::kUnsupported, "a lookahead inside of a group"},
      {"(^a)*", StatusCode::kUnsupported, "a quantifier of an anchor"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.pattern);
    const Matcher matcher(c.pattern);
    EXPECT_EQ(matcher.status().code(), c.code);
    EXPECT_THAT(matcher.status().message(), HasSubstr(c.words));
  }
  const std::string deep = std::string(100, '(') + "a" + std::string(100, ')');
  EXPECT_THAT(Matcher(deep).status().message(), HasSubstr("64 deep"));
}

// Ends by the budget, and not by the stack or the machine's memory.
TEST(Pattern, ExplosionsEndByTheBudget) {
  for (const char* const pattern : {"(a{1000}){1000}b", "((((a{99}){99}){99}){99}){99}",
                                    "(a|aa|aaa|aaaa)*(?!a{500})b", "(.*a){60}c"}) {
    Parts parts;
    Budget budget(200'000);
    const Result<Regex> regex = ReadPattern(pattern, false, Spelling::kUtf8, parts.regexes, budget);
    ASSERT_TRUE(regex.ok());
    parts.ReadRegex(*regex);
    State state = parts.start;
    for (int i = 0; i < 2000 && budget.ok(); ++i) state = parts.machine.Next(state, 'a', budget);
  }
}

class Patterns {
 public:
  explicit Patterns(unsigned seed) : random_(seed) {}
  std::string Make(int depth) {
    const unsigned kind = random_() % 100;
    static constexpr const char* kLeaves[] = {"a",    "b", "1",      "\\d", "\\w", "[ab]",
                                              "[^a]", ".", "[a-b1]", "\\s", "(?:)"};
    if (depth == 0 || kind < 30) return kLeaves[random_() % std::size(kLeaves)];
    if (kind < 55) return Make(depth - 1) + Make(depth - 1);
    if (kind < 72) return "(" + Make(depth - 1) + "|" + Make(depth - 1) + ")";
    static constexpr const char* kCounts[] = {"*", "+", "?", "{2}", "{1,2}", "{0,3}", "{1,}", "*?"};
    if (kind < 92) return "(?:" + Make(depth - 1) + ")" + kCounts[random_() % std::size(kCounts)];
    return "(?:^" + Make(depth - 1) + "|" + Make(depth - 1) + "$)";
  }
  std::string Whole() {
    std::string pattern = Make(3);
    const unsigned kind = random_() % 10;
    if (kind < 3) pattern = "^" + pattern;
    if (kind == 0 || kind > 7) pattern += "$";
    if (kind == 5) pattern = "(?!" + Make(2) + ")" + pattern;
    if (kind == 6) pattern = "^(?=" + Make(2) + ")" + pattern;
    return pattern;
  }
  std::string Text() {
    std::string text;
    for (unsigned n = random_() % 6; n > 0; --n) text += "ab1 "[random_() % 4];
    return text;
  }

 private:
  std::mt19937 random_;
};

TEST(Pattern, RandomOnesFindWhatStdRegexFinds) {
  Patterns patterns(1);
  std::vector<std::string> texts = {""};
  for (int i = 0; i < 80; ++i) texts.push_back(patterns.Text());
  int compared = 0;
  for (int i = 0; i < 150; ++i) {
    const std::string pattern = patterns.Whole();
    Matcher matcher(pattern);
    if (!matcher.status().ok()) continue;
    const std::regex expected(pattern);
    for (const std::string& text : texts) {
      ASSERT_EQ(matcher(text), std::regex_search(text, expected))
          << pattern << " in '" << text << "'";
    }
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace rondo::grammar
