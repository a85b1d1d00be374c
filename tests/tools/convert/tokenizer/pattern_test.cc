// What the two dialects share passes, what they read differently is spelt out or refused.
#include "tools/convert/tokenizer/pattern.h"
#include <algorithm>

#include "gtest/gtest.h"

namespace rondo::convert {
namespace {

class PatternTest : public ::testing::Test {
 protected:
  std::string Translate(const std::string& pattern, bool over_bytes = false) const {
    return TranslatePattern(pattern, over_bytes, where_);
  }
  // The message for a pattern that is refused.
  std::string Refusal(const std::string& pattern, bool over_bytes = false) const {
    try {
      return "accepted as " + Translate(pattern, over_bytes);
    } catch (const Error& error) {
      return error.what();
    }
  }

  nlohmann::json json_;
  JsonValue where_{json_, "file.json", "pattern"};
};

TEST_F(PatternTest, PassesWhatIsShared) {
  EXPECT_EQ(Translate(R"(\p{L}+|\p{N}{1,3}|a*?b++(?!c)(?:d)?)"),
            R"(\p{L}+|\p{N}{1,3}|a*?b++(?!c)(?:d)?)");
  EXPECT_EQ(Translate(R"((?i:'s|'t))"), R"((?i:\'s|\'t))");
  EXPECT_EQ(Translate("[^\\r\\n\\p{^L}a-z-]"), R"([^\x{0D}\x{0A}\P{L}a-z-])");
}

TEST_F(PatternTest, SpellsOutWhatDiffers) {
  EXPECT_NE(Translate(R"(\s)").find(R"(\x{85})"), std::string::npos);
  EXPECT_EQ(Translate(R"(\v\u00e9)"), R"(\x{0B}\x{00e9})");
  EXPECT_EQ(Translate("."), R"([^\x{0A}])");
  EXPECT_EQ(Translate(R"((a)\d)"), R"((?:a)[\p{Nd}])");
}

// What Oniguruma makes of these was tried out with it.
TEST_F(PatternTest, ClassesInsideOfClasses) {
  EXPECT_EQ(Translate("[^(a|[.,]x]+"), R"([^\(a\|\.\,x]+)");
  EXPECT_EQ(Translate("[a-z&&[^aeiou]]+"), "(?:(?=[^aeiou])[a-z])+");
  EXPECT_EQ(Translate("a$|b"), R"(a(?=\x{0A}|\z)|b)");
  EXPECT_NE(Translate(R"([\w-])").find(R"(\p{Alphabetic})"), std::string::npos);
  EXPECT_EQ(Translate(R"(\H)"), "[^0-9A-Fa-f]");
  for (const char* const around : {"()", "[]"}) {
    std::string deep(401, 'a');
    std::fill_n(deep.begin(), 200, around[0]);
    std::fill_n(deep.rbegin(), 200, around[1]);
    EXPECT_NE(Refusal(deep).find("nested too deep"), std::string::npos);
  }
}

TEST_F(PatternTest, RefusesTheRestByName) {
  for (const char* pattern :
       {"^a",      "a$*",     R"(\bword\b)", R"([\W])",  R"(\y)",        R"(\Aa)",    R"(\X)",
        "(?<=a)b", "(?<!a)b", "(?<name>a)",  R"((a)\1)", "[a[^bc]]",     "[^a&&[b]]", "[[:alpha:]]",
        "a{1,3}+", "a{,3}",   "a{2}?",       "a**",      "a+{2}",        "(a",        "a)",
        "[a",      "[]a]",    "a\\",         "(?m)a",    R"(\p{Emoji})", R"(\pL)",    R"(\x41)",
        R"(\u12)", "*a",      "{2}",         "(?#x)a",   R"([\S])"}) {
    const std::string refusal = Refusal(pattern);
    EXPECT_NE(refusal.find("file.json: pattern has "), std::string::npos) << pattern << refusal;
    EXPECT_NE(refusal.find("not supported"), std::string::npos) << pattern << refusal;
  }
}

TEST_F(PatternTest, OverBytesOnlyPrintableAscii) {
  EXPECT_EQ(Translate("[0-9][0-9]", true), "[0-9][0-9]");
  for (const char* pattern : {" ", "\u00E9", R"(\s)", ".", "(?i:a)", R"(\p{L})"}) {
    EXPECT_NE(Refusal(pattern, true).find("not supported"), std::string::npos) << pattern;
  }
}

}  // namespace
}  // namespace rondo::convert
