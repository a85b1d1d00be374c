// GBNF: which texts a grammar has, and what is refused at which line.
#include "runtime/grammar/gbnf/gbnf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/runtime/grammar/parts.h"
#include "tests/runtime/grammar/words.h"

namespace rondo::grammar {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class GbnfTest : public testing::Test {
 protected:
  // Each text is in the grammar, or none is.
  void Expect(std::string_view grammar, bool accepted, const std::vector<std::string>& texts) {
    SCOPED_TRACE(grammar);
    Parts parts;
    ASSERT_EQ(parts.ReadGbnfText(grammar, *trie_), "");
    for (const std::string& text : texts) EXPECT_EQ(parts.Accepts(text), accepted) << text;
    EXPECT_TRUE(parts.budget.ok());
  }
  std::string WhyNot(std::string_view grammar) {
    Parts parts;
    return parts.ReadGbnfText(grammar, *trie_);
  }

  const Words words_;
  const Result<TokenTrie> trie_ = words_.Trie();
};

TEST_F(GbnfTest, ReadsEveryConstruct) {
  Expect("root ::= \"ab\" [c-e] .", true, {"abcx", "abe\xe6\x97\xa5", "abd\n"});
  Expect("root ::= \"ab\" [c-e] .", false, {"abc", "abfx", "abcxy", ""});
  Expect("root ::= \"a\" | \"b\" \"c\" | ", true, {"a", "bc", ""});
  Expect("root ::= \"a\" | \"b\" \"c\" | ", false, {"b", "ac", "abc"});
  Expect("root ::= \"a\"? \"b\"* \"c\"+", true, {"c", "abbcc", "bc"});
  Expect("root ::= \"a\"? \"b\"* \"c\"+", false, {"", "ab", "aac"});
  Expect("root ::= \"a\"{2} \"b\"{1,} \"c\"{ 0, 2 }", true, {"aab", "aabbbcc"});
  Expect("root ::= \"a\"{2} \"b\"{1,} \"c\"{ 0, 2 }", false, {"ab", "aa", "aabccc", "aaab"});
  Expect("root ::= (\"a\" | \"b\" (\"c\")*)+ \"d\"", true, {"ad", "abccbad"});
  Expect("root ::= (\"a\" | \"b\" (\"c\")*)+ \"d\"", false, {"d", "acd"});
  Expect("root ::= \"a\"{0} \"\" () \"b\"", true, {"b"});
  Expect("root ::= \"a\"*? \"b\"", true, {"b", "aab"});
  Expect("root ::= a-1_B\na-1_B ::= \"x\" b b\nb ::= [0-9]", true, {"x12"});
}

TEST_F(GbnfTest, ReadsCharacters) {
  Expect(R"g(root ::= "\n\r\t\\\"\x41\u00e9\U0001F600\[\]")g", true,
         {"\n\r\t\\\"A\xc3\xa9\xf0\x9f\x98\x80[]"});
  Expect("root ::= \"a\nb\"", true, {"a\nb"});
  Expect("root ::= \"\xe6\x97\xa5\" [\xc3\xa9-\xc3\xab]", true, {"\xe6\x97\xa5\xc3\xaa"});
  Expect(R"(root ::= [^a-c\n\]] [-x] [x-] [\x5b\\"])", true,
         {"d-x[", "\xf0\x9f\x98\x80x-\"", "[x-\\"});
  Expect(R"(root ::= [^a-c\n\]] [-x] [x-] [\x5b\\"])", false, {"a-x[", "\n-x[", "]-x[", "dyx["});
  Expect("root ::= [\\x80-\\xff]", true, {"\xc2\x80", "\xc3\xbf"});
  Expect("root ::= [\\x80-\\xff]", false, {"\x80", "\xff", "a"});
}

TEST_F(GbnfTest, ReadsLinesAndComments) {
  Expect(
      "# what\n\n  root ::= # here\n\n \"a\" | # b\n \"b\"\n  | \"c\" (\n\"d\" # d\n\n|\n\"e\")\n"
      "\n# end\nunused ::= \"x\"",
      true, {"a", "b", "cd", "ce"});
  Expect("root ::= a \"1\"\r\na ::= \"x\"\r\n | \"y\"\r\n", true, {"x1", "y1"});
  Expect("root ::= a\ra ::= \"#\" # \"x\"\r", true, {"#"});
}

TEST_F(GbnfTest, RefusesByLine) {
  const auto refused = [&](std::string_view grammar, const char* line, const char* why) {
    const std::string message = WhyNot(grammar);
    EXPECT_THAT(message, StartsWith(line)) << grammar;
    EXPECT_THAT(message, HasSubstr(why)) << grammar;
  };
  refused("", "the grammar has no rule named root", "");
  refused("a ::= \"x\"", "the grammar has no rule named root", "");
  refused("\n::= \"x\"", "line 2: ", "expected a rule's name");
  refused("root = \"x\"", "line 1: ", "expected ::=");
  refused("root\n::= \"x\"", "line 1: ", "expected ::=");
  refused("root ::= \"x\"\n\"y\"", "line 2: ", "expected a rule's name");
  refused("root ::= \n # nothing", "line 2: ", "expected what the rule stands for");
  refused("root ::=\na ::= \"x\"", "line 2: ", "a rule begins where");
  refused("root ::= \"x\" |\r\na ::= \"x\"", "line 2: ", "a rule begins where");
  refused("root ::= \"x\"\n\nroot ::= \"y\"", "line 3: ", "there is a rule named root already");
  refused("root ::= a\na ::= \"x\" |\n b", "line 3: ", "there is no rule named b");
  refused("root ::= \"x\"\na ::= c", "line 2: ", "there is no rule named c");
  refused("root ::= \"x", "line 1: ", "a text that is not closed");
  refused("root ::=\n[x", "line 2: ", "a class that is not closed");
  refused("root ::= [x-", "line 1: ", "a class that is not closed");
  refused("root ::= [z-a]", "line 1: ", "out of order");
  refused("root ::= []", "line 1: ", "a class without characters");
  refused("root ::= [^]", "line 1: ", "a class without characters");
  refused("root ::= \"\\q\"", "line 1: ", "an escape that GBNF has not");
  refused("root ::= \"\\", "line 1: ", "an escape that GBNF has not");
  refused("root ::= \"\\x4\"", "line 1: ", "without its hexadecimal digits");
  refused("root ::= \"\\ud800\"", "line 1: ", "no character");
  refused("root ::= \"\\U00110000\"", "line 1: ", "no character");
  refused("root ::= \"\xff\"", "line 1: ", "not UTF-8");
  refused("root ::= (\n(\"x\")", "line 1: ", "a group that is not closed");
  refused("root ::= \"x\")", "line 1: ", "a ) that closes nothing");
  refused("root ::= *", "line 1: ", "a repeat of nothing");
  refused("root ::= \"x\" | +", "line 1: ", "a repeat of nothing");
  refused("root ::= \"x\"{}", "line 1: ", "expected how often");
  refused("root ::= \"x\"{2,1}", "line 1: ", "out of order");
  refused("root ::= \"x\"{1", "line 1: ", "expected }");
  refused("root ::= \"x\"{1048577}", "line 1: ", "over 1048576 times");
  refused("root ::= \"x\" $", "line 1: ", "expected a part of a rule");
  refused("root ::= !<think>", "line 1: ", "(!) is not supported");
  refused("root ::= <think", "line 1: ", "a < without its >");
  refused("root ::= <\n>", "line 1: ", "a < without its >");
  refused("root ::= \"x\"\n  <thunk>", "line 2: ", "expected a rule's name");
  refused("root ::= \"x\" |\n  <thunk>", "line 2: ", "the model has no token <thunk>");
  refused("root ::= <[1000]>", "line 1: ", "the model has no token <[1000]>");
  refused("root ::= <[99999999999999999999]>", "line 1: ", "the model has no token");
  refused("root ::= <[255]>", "line 1: ", "token 255 has no text");
  refused("root ::= %lark", "line 1: ", "expected json or without");
  refused("root ::= %without x", "line 1: ", "expected a quoted text");
  refused("root ::= %without \"\"", "line 1: ", "the empty text");
  refused("root ::= %without \"" + std::string(257, 'x') + "\"", "line 1: ", "over 256 bytes");
  refused("root ::= %json {\"type\": ", "line 1: ", "without end");
  refused("root ::=\n%json {\"type\" 1}", "line 2: ", "%json: not well-formed JSON at byte 8");
  refused("root ::=\n%json {\"items\": {\"unevaluatedItems\": 1}}", "line 2: %json: #/items", "");
  refused("root ::= %json 5", "line 1: %json: ", "expected a schema");
  std::string deep = "\nroot ::= ";
  for (int i = 0; i < 1000; ++i) deep += "(";
  refused(deep, "line 2: ", "groups over 256 deep");
}

TEST_F(GbnfTest, RefusesLeftRecursion) {
  EXPECT_THAT(WhyNot("root ::= \"x\" a\na ::= a \"+\" | \"x\""),
              StartsWith("line 2: the rule a begins with itself"));
  // Behind what may be empty, and by way of others.
  EXPECT_THAT(WhyNot("root ::= \"x\"\n | b\nb ::= [ ]* (\"y\"? c)? \"z\"\nc ::= \"\" b"),
              StartsWith("line 3: the rule b begins with itself"));
  EXPECT_THAT(WhyNot("root ::= (root \"x\" | \"y\")"),
              StartsWith("line 1: the rule root begins with itself"));
  EXPECT_THAT(WhyNot("root ::= root"), StartsWith("line 1: the rule root begins with itself"));
  // Empty texts only by a rule that comes later, and a repeat whose part may be empty.
  EXPECT_THAT(WhyNot("root ::= e root \"x\" | \"y\"\ne ::= f\nf ::= \"\" | \"e\""),
              HasSubstr("begins with itself"));
  Expect("root ::= (a? b?)* \"x\"\na ::= \"a\" root?\nb ::= \"(\" root \")\"", true,
         {"x", "ax", "axx", "(x)x", "a(x)xx"});
}

TEST_F(GbnfTest, NoTextIsRefused) {
  Parts parts;
  ASSERT_EQ(parts.ReadGbnfText("root ::= \"x\" root", *trie_), "");
  EXPECT_EQ(parts.start, Machine::kDead);
}

TEST_F(GbnfTest, RulesRecur) {
  // At the end, in the middle, twice, and by turns.
  std::string many(5000, 'a');
  many += 'b';
  Expect("root ::= \"a\" root | \"b\"", true, {"b", "ab", many});
  Expect("root ::= \"(\" root \")\" root | \"\"", true, {"", "()", "(()())()"});
  Expect("root ::= \"(\" root \")\" root | \"\"", false, {"(", ")", "())", "(()"});
  Expect("root ::= \"a\" b | \"\"\nb ::= \"b\" root \"c\" | root", true,
         {"a", "abc", "aabaabcc", "aaa"});
  Expect("root ::= \"a\" b | \"\"\nb ::= \"b\" root \"c\" | root", false, {"b", "ac", "abbcc"});
  Expect("root ::= (\"x\" root{0}){2}", true, {"xx"});
}

// The alternatives of each level begin alike: nested, they must not multiply.
TEST_F(GbnfTest, NestedAlternativesThatBeginAlike) {
  const char* const arithmetic = R"gbnf(root ::= expr
expr ::= term | term "+" expr | term "-" expr
term ::= factor | factor "*" term | factor "/" term | factor "**" factor
factor ::= "(" expr ")" | number | "(" expr ")" "!" | number "!"
number ::= [0-9]+ ("." [0-9]+)?)gbnf";
  std::string nested = "1";
  for (int i = 0; i < 200; ++i) nested.insert(0, "(").append("*2)!-(3+4)");
  Expect(arithmetic, true, {"1", "1+2*3", "(1)", "((1.5-2)!*3**(4))!/5", nested});
  Expect(arithmetic, false, {"", "1+", "(1", "1)", "()", "1!!", nested + ")", "(" + nested});
  const char* const lists =
      "root ::= \"[\" items \"]\" | \"x\"\n"
      "items ::= root | root \",\" items | some \";\"\nsome ::= root \".\"";
  std::string list = "x";
  for (int i = 0; i < 100; ++i) list.insert(0, "[x,").append(",[x.;]]");
  Expect(lists, true, {"x", "[x]", "[x,[x.;],x]", list});
  Expect(lists, false, {"[]", "[x.]", "[x,]", list + "]"});
}

// As many ways to read a text as there are trees, and what may follow grows with it.
TEST_F(GbnfTest, AmbiguousRules) {
  const char* const sums = "root ::= \"a\" | \"a\" root root | \"a\" root root root";
  Expect(sums, true, {"a", "aaa", "aaaa", std::string(150, 'a')});
  Expect(sums, false, {"", "aa", "ab"});
}

TEST_F(GbnfTest, Without) {
  const char* const grammar = "root ::= \"<\" %without \"</a>\" \"</a>\" \"!\"?";
  Expect(grammar, true, {"<</a>", "<x</a>!", "<</</a</a>", "<\xe6\x97\xa5</b></a>"});
  Expect(grammar, false, {"<", "<x</a", "<</a></a>", "<x</a>y</a>", "<\xff</a>", "<\xe6</a>"});
  Expect("root ::= %without \"aab\"", true, {"", "aa", "aaa", "abab"});
  Expect("root ::= %without \"aab\"", false, {"aab", "aaaab", "xaabx"});
  Expect("root ::= %without \"\xc3\xa9\"", true, {"\xc3\xa8", "e"});
  Expect("root ::= %without \"\xc3\xa9\"", false, {"\xc3\xa9", "x\xc3\xa9x"});
}

TEST_F(GbnfTest, JsonInPlace) {
  const char* const grammar = R"gbnf(root ::= call ("," call)*
call ::= "f(" %json {"type": "object", "properties": {"s}\"": {"type": "string"}},
                     "required": ["s}\""], "additionalProperties": false} ")"
       | "g(" %json true ")" | "h(" %json {"$ref": "#/$defs/l", "$defs": {"l":
           {"type": "array", "items": {"$ref": "#/$defs/l"}}}} ")")gbnf";
  Expect(grammar, true, {R"t(f({"s}\"": "x"}),g([1, null]),h([[],[[]]]))t", "g({\"a\": 1})"});
  Expect(grammar, false, {"f({})", "h([1])", "g()", "g(1),"});
  Parts parts;
  ASSERT_EQ(parts.ReadGbnfText(R"(root ::= %json {"properties": {"a": {"const": 1}, "b": true},
                                  "required": ["a", "b"], "type": "object"})",
                               *trie_, {.spaces = Spaces::kNone, .any_order = true}),
            "");
  EXPECT_TRUE(parts.Accepts("{\"b\":2,\"a\":1}"));
  EXPECT_FALSE(parts.Accepts("{\"b\": 2,\"a\":1}"));
}

// A grammar of JSON has the documents that the reader reads, and no other texts: of some, and of
// what becomes of them where bytes are changed, but for what no grammar says.
TEST_F(GbnfTest, JsonByRulesIsJson) {
  Parts parts;
  ASSERT_EQ(parts.ReadGbnfText(R"gbnf(root ::= ws value ws
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (member ("," ws member)*)? "}"
member ::= string ws ":" ws value ws
array ::= "[" ws (value ws ("," ws value ws)*)? "]"
string ::= "\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" hex hex hex hex))* "\""
hex ::= [0-9a-fA-F]
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+-]? [0-9]+)?
ws ::= [ \t\n\r]*)gbnf",
                               *trie_),
            "");
  const std::string documents[] = {
      R"({"name": "J\u00f6rg \"x\"", "list": [1, -2.5e+10, 0, true, null, {}], "o": {"a": []}})",
      "[[[\"\xe6\x97\xa5\\n\"], 0.125], {\"\": false}]", " \t12e3\r\n", "\"\\ud83d\\ude00\""};
  std::mt19937 random(3);
  size_t whole = 0, broken = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = documents[i % std::size(documents)];
    for (unsigned edits = random() % 4; edits > 0; --edits) {
      const size_t at = random() % (text.size() + 1);
      constexpr std::string_view kEdits = "{}[]\",:\\u0123e.-+ \ntrfaf\x97\xff\x01";
      const char c = kEdits[random() % kEdits.size()];
      if (random() % 2 == 0) {
        text.insert(at, 1, c);
      } else {
        text.erase(at, 1);
      }
    }
    Room room = parts.room;
    Json json(room, text.size());
    const Status status = json.Read(text);
    if (std::string(status.message()).ends_with("there already")) continue;
    ASSERT_EQ(parts.Accepts(text), status.ok()) << text << "\n" << status.message();
    ++(status.ok() ? whole : broken);
  }
  EXPECT_TRUE(parts.budget.ok());
  EXPECT_GT(whole, 2000u);
  EXPECT_GT(broken, 2000u);
}

}  // namespace
}  // namespace rondo::grammar
