// `rondo grammar check`, and texts by a grammar in `rondo run` and `rondo chat`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/support/places.h"
#include "tests/tools/run_tool.h"

namespace rondo {
namespace {

using testing::HasSubstr;

class GrammarTool : public testing::Test {
 protected:
  ToolResult Check(const std::string& file, const std::string& text,
                   const std::string& options = "") {
    tool_.Write(file, text);
    return tool_("grammar check " + model_ + " '" + tool_.Path(file) + "' " + options);
  }

  ToolRunner tool_;
  std::string model_ = tool_.Convert(std::string(kTestData) + "/tiny", "q8");
};

TEST_F(GrammarTool, TellsMemoryAndWritesSamples) {
  const ToolResult rules =
      Check("dates.gbnf", "root ::= [0-9]{4} (\"-\" two){2}\ntwo ::= [01] [0-9]\n", "--samples 3");
  EXPECT_EQ(rules.code, 0) << rules.err;
  EXPECT_TRUE(std::regex_match(
      rules.out, std::regex(".*dates.gbnf: understood \\(gbnf\\), takes [0-9,]+ bytes \\(.*\\)\n"
                            "(sample: [0-9]{4}-[01][0-9]-[01][0-9]\n){3}")))
      << rules.out;
  // The same seed gives the same text, and each next one is another's.
  const std::string once = rules.out.substr(rules.out.rfind("sample: "));
  const ToolResult third = Check("dates.gbnf", tool_.Read("dates.gbnf"), "--seed 2");
  EXPECT_THAT(third.out, testing::EndsWith("\n" + once));
  const ToolResult schema = Check("list.json", R"({"type": "array", "items": {"enum": [1, 22]},
                                                   "maxItems": 5})");
  const std::string sample = schema.out.substr(schema.out.find("sample: ") + 8);
  EXPECT_TRUE(nlohmann::json::parse(sample, nullptr, false).is_array()) << schema.out;
  EXPECT_THAT(schema.out, HasSubstr("(json-schema)"));
  const ToolResult pattern = Check("a.txt", "ab{3}\n", "--kind regex");
  EXPECT_THAT(pattern.out, testing::EndsWith("\nsample: abbb\n"));
  EXPECT_THAT(Check("a.txt", "a+\n", "--kind regex --samples 0").out,
              testing::Not(HasSubstr("sample")));
}

// Of the schema's own members, a space behind each mark, unless all JSON is asked for.
TEST_F(GrammarTool, JsonIsAsPeopleWriteIt) {
  const std::string schema =
      R"({"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"type": "null"}}})";
  const std::regex plain(R"(\{("a": (true|false))?(, )?("b": null)?\})");
  const ToolResult checked = Check("a.json", schema, "--samples 10");
  EXPECT_EQ(checked.code, 0) << checked.err;
  size_t samples = 0;
  for (size_t at = 0; (at = checked.out.find("sample: ", at)) != std::string::npos; ++samples) {
    at += 8;
    const std::string sample = checked.out.substr(at, checked.out.find('\n', at) - at);
    EXPECT_TRUE(std::regex_match(sample, plain)) << sample;
  }
  EXPECT_EQ(samples, 10u) << checked.out;
  const std::string run = "run " + model_ + " 'Once' --json-schema '" + tool_.Path("a.json") + "' ";
  size_t free = 0;
  for (int seed = 0; seed < 8; ++seed) {
    const std::string seeded = run + "--temperature 1.5 --seed " + std::to_string(seed);
    const ToolResult named = tool_(seeded);
    EXPECT_TRUE(std::regex_match(named.out.substr(0, named.out.size() - 1), plain)) << named.out;
    const ToolResult any = tool_(seeded + " --any-json --max-tokens 20");
    EXPECT_EQ(any.code, 0) << any.err;
    free += !std::regex_match(any.out.substr(0, any.out.size() - 1), plain);
  }
  EXPECT_GT(free, 0u);
}

TEST_F(GrammarTool, RefusesByFileAndPlace) {
  const auto refused = [&](const ToolResult& result, const std::string& why) {
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  refused(Check("a.gbnf", "root ::= b\nb ::= b \"x\""),
          "a.gbnf: line 2: the rule b begins with itself");
  refused(Check("a.gbnf", "root ::= <|none|>"), "a.gbnf: line 1: the model has no token <|none|>");
  refused(Check("a.json", R"({"items": {"uniqueItems": true}})"), "a.json: #/items/uniqueItems: ");
  refused(Check("a.txt", "a"), "a.txt ends with neither .json nor .gbnf; --kind");
  refused(Check("a.txt", "a(", "--kind regex"), "a.txt: the pattern is not well formed at byte");
  const ToolResult wrong = tool_("grammar test " + model_ + " a.gbnf");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("test is not check"));
}

TEST_F(GrammarTool, RunAndChatFollowRules) {
  tool_.Write("a.gbnf", "root ::= \"it \" (\"is\" | \"was\") \" \" [a-c]{3}\n");
  const std::string grammar = "--grammar '" + tool_.Path("a.gbnf") + "'";
  const ToolResult run = tool_("run " + model_ + " 'Once' --greedy " + grammar);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(std::regex_match(run.out, std::regex("it (is|was) [a-c]{3}\n"))) << run.out;
  tool_.Write("template.jinja", "{% for m in messages %}{{ m.content }}{% endfor %}");
  tool_.Write("lines", "Once\n");
  const ToolResult chat = tool_("chat " + model_ + " --template '" + tool_.Path("template.jinja") +
                                "' --greedy " + grammar + " < '" + tool_.Path("lines") + "'");
  EXPECT_EQ(chat.code, 0) << chat.err;
  EXPECT_TRUE(std::regex_match(chat.out, std::regex("it (is|was) [a-c]{3}\n"))) << chat.out;
  tool_.Write("a.gbnf", "root ::=\n \"it\" b\n");
  const ToolResult no_chat =
      tool_("chat " + model_ + " --template '" + tool_.Path("template.jinja") + "' " + grammar);
  EXPECT_EQ(no_chat.code, 1);
  EXPECT_THAT(no_chat.err, HasSubstr("a.gbnf: line 2: there is no rule named b"));
  const ToolResult no_run = tool_("run " + model_ + " 'Once' " + grammar);
  EXPECT_EQ(no_run.code, 1);
  EXPECT_THAT(no_run.err, HasSubstr("a.gbnf: line 2: there is no rule named b"));
  EXPECT_EQ(tool_("run " + model_ + " 'Once' --regex a " + grammar).code, 2);
}

}  // namespace
}  // namespace rondo
