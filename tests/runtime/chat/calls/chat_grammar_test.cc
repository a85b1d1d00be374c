// Grammars of calls: the answers that they have, that these parse, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/runtime/chat/calls/described.h"
#include "tests/runtime/chat/calls/forms.h"
#include "tests/runtime/chat/calls/parsed.h"

namespace rondo {
namespace {

using test::Described;
using ::testing::HasSubstr;

class ChatGrammarTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  }

  static void Expect(const char* form, ChatCalls calls, bool accepted,
                     const std::vector<std::string>& answers, std::string_view function = {},
                     std::string_view end = {}) {
    Described described(test::FormRequest(form), calls, function, end);
    ASSERT_TRUE(described.status.ok()) << described.status.message();
    for (const std::string& answer : answers) {
      EXPECT_EQ(described.Accepts(answer), accepted) << answer << "\n" << described.text;
    }
  }
};

const std::string kFind = "<call>\n{\"name\": \"find\", \"arguments\": {\"what\": \"a\"}}\n</call>";
const std::string kStop = "<call>\n{\"name\": \"stop\", \"arguments\": {}}\n</call>";

TEST_F(ChatGrammarTest, Choices) {
  const char* const form = test::kJsonForm;
  Expect(form, ChatCalls::kAuto, true,
         {"", "Hello <call.", kFind, "Look:\n" + kFind, kFind + "\n" + kStop + "\n" + kFind});
  Expect(form, ChatCalls::kAuto, false,
         {"<call>", kFind + " more", kFind.substr(0, 20), "Look: <call>\n{\"name\": \"seek\"",
          "<call>\n{\"name\": \"find\", \"arguments\": {\"what\": 1}}\n</call>",
          "<call>\n{\"name\": \"find\", \"arguments\": {}}\n</call>"});
  Expect(form, ChatCalls::kRequired, true, {kFind, "\n\n" + kFind, kFind + "\n" + kStop});
  Expect(form, ChatCalls::kRequired, false, {"", "Hello", "Look:\n" + kFind});
  Expect(form, ChatCalls::kOne, true, {kFind, kStop});
  Expect(form, ChatCalls::kOne, false, {"", kFind + "\n" + kStop});
  Expect(form, ChatCalls::kOne, true, {kStop}, "stop");
  Expect(form, ChatCalls::kOne, false, {kFind}, "stop");
}

// Where the template's rendering runs out of depth or steps it has not answered: no other spelling
// is taken in its place.
TEST_F(ChatGrammarTest, WhatRunsOutIsNoAnswer) {
#define RONDO_UNLESS_TEXT(statement)                                                        \
  RONDO_FORM(                                                                               \
      "{{ m.content }}{% for c in m.tool_calls %}{% if c.function.arguments is not string " \
      "%}" statement                                                                        \
      "{% endif %}<call>{{ c.function.name }} {{ c.function.arguments }}</call>"            \
      "{% endfor %}")
  const auto refused = [](const char* form) {
    return std::string(Described(test::FormRequest(form), ChatCalls::kAuto).status.message());
  };
  EXPECT_EQ(refused(RONDO_UNLESS_TEXT("{{ raise_exception('texts only') }}")), "");
  EXPECT_THAT(refused(RONDO_UNLESS_TEXT("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}")),
              HasSubstr("levels deep"));
  EXPECT_THAT(refused(RONDO_UNLESS_TEXT("{% for i in range(9000) %}{% for j in range(9000) %}"
                                        "{% endfor %}{% endfor %}")),
              HasSubstr("does not come to an end"));
  EXPECT_THAT(refused(RONDO_UNLESS_TEXT("{% set all = namespace(x='xxxxxxxxxxxxxxxx') %}"
                                        "{% for i in range(40) %}{% set all.x = all.x + all.x %}"
                                        "{% endfor %}")),
              HasSubstr("memory"));
}

TEST_F(ChatGrammarTest, EveryForm) {
  Expect(test::kIdBehindForm, ChatCalls::kOne, true,
         {R"([CALLS][{"name": "stop", "arguments": {}, "id": "abc123de4"}])"});
  Expect(test::kNumberForm, ChatCalls::kRequired, true,
         {R"(<|act|>[{"id": "0", "tool": "stop", "with": {}}, {"id": "1", "tool": "stop", "with": )"
          R"({}}]<|/act|>)"});
  Expect(test::kRunForm, ChatCalls::kOne, true, {"<|call|>functions.stop:0<|with|>{}<|done|>"});
  Expect(test::kTagForm, ChatCalls::kOne, true,
         {"<call>\n<function=stop>\n</function>\n</call>",
          "<call>\n<function=find>\n<parameter=what>\n<b> \n</parameter>\n<parameter=most>\n12\n"
          "</parameter>\n</function>\n</call>"});
  Expect(test::kTagForm, ChatCalls::kOne, false,
         {"<call>\n<function=find>\n</function>\n</call>",
          "<call>\n<function=find>\n<parameter=what>\na\n</parameter>\n<parameter=most>\nmany\n"
          "</parameter>\n</function>\n</call>"});
  Expect(test::kTypedTagForm, ChatCalls::kOne, true,
         {"<calls><invoke name=\"find\"><parameter name=\"what\" string=\"true\">12</parameter>"
          "<parameter name=\"most\" string=\"false\">1</parameter></invoke></calls>"});
  Expect(test::kTypedTagForm, ChatCalls::kOne, false,
         {"<calls><invoke name=\"find\"><parameter name=\"what\" string=\"false\">12</parameter>"
          "</invoke></calls>"});
  Expect(test::kQuoteForm, ChatCalls::kOne, true,
         {"<|call|>find{what:<|q|>a \"b\"<|q|>,deep:true,more:{x:[1,<|q|>y<|q|>]}}<|/call|>",
          "<|call|>stop{}<|/call|>"});
  Expect(test::kQuoteForm, ChatCalls::kOne, false,
         {"<|call|>find{deep:true}<|/call|>", "<|call|>find{what:1}<|/call|>",
          "<|call|>find{,what:<|q|>a<|q|>}<|/call|>"});
  Expect(test::kBareForm, ChatCalls::kAuto, true,
         {R"({"name": "stop", "parameters": {}})", "Words {\"name\": 1}", ""});
  Expect(test::kBareForm, ChatCalls::kAuto, false, {R"({"name": "words")", "[1]"});
  Expect(test::kChannelForm, ChatCalls::kAuto, true,
         {"<|channel|>final<|message|>Yes.<|return|>",
          " to=stop<|channel|>json<|message|>{}<|call|>"});
}

TEST_F(ChatGrammarTest, TokensThatEndAGenerationEndIt) {
  Expect(test::kChannelForm, ChatCalls::kOne, true, {"to=stop<|channel|>json<|message|>{}"}, {},
         "<|call|>");
  Expect(test::kChannelForm, ChatCalls::kAuto, true, {"<|channel|>final<|message|>Yes."}, {},
         "<|return|>");
}

// The last user's message ends otherwise than earlier ones: no text of a prompt is the answer's.
TEST_F(ChatGrammarTest, TheLastUsersMessageMayDiffer) {
#define RONDO_LAST_USER(last, earlier, header)                                                \
  "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% if loop.last %}" last    \
  "{% else %}" earlier "{% endif %}{% else %}" header                                         \
  "{{ m.content }}{% for c in m.tool_calls %}<call>\n"                                        \
  "{\"name\": \"{{ c.function.name }}\", \"arguments\": {{ c.function.arguments|tojson }}}\n" \
  "</call>{% endfor %}<|end|>\n{% endif %}{% endfor %}{% if add_generation_prompt %}" header  \
  "{% endif %}"
  for (const char* const form :
       {RONDO_LAST_USER("[/LAST]", "[/ASK]", ""), RONDO_LAST_USER("[/LAST]", "[/ASK]", "<|bot|>"),
        RONDO_LAST_USER(" [mark]<|end|>\n", "<|end|>\n", "<|bot|>"),
        RONDO_LAST_USER("<|end|>\nBe brief.", "<|end|>\n", "<|bot|>"),
        RONDO_LAST_USER(" (the last)", "", "<|bot|>"), RONDO_LAST_USER("\n\n", "\n", "Bot: "),
        RONDO_LAST_USER("<|end|>", "<|end|>", "")}) {
    Expect(form, ChatCalls::kAuto, true, {"Fine, thanks.", "", kFind, "Look:" + kFind});
    Expect(form, ChatCalls::kAuto, false, {"<call>", "[/ASK]Fine <call>"});
  }
}

// Schemas by the names of MCP and of another maker.
TEST_F(ChatGrammarTest, SchemasHaveSeveralNames) {
  for (const std::string name : {"parameters", "inputSchema", "input_schema"}) {
    const std::string tools = R"([{"name": "find", ")" + name +
                              R"(": {"type": "object", "properties": {"what": {"type": "string"}},)"
                              R"( "required": ["what"], "additionalProperties": false}}])";
    Described described(test::FormRequest(test::kJsonForm, tools), ChatCalls::kOne);
    EXPECT_TRUE(described.Accepts(kFind)) << name;
    EXPECT_FALSE(described.Accepts("<call>\n{\"name\": \"find\", \"arguments\": {}}\n</call>"));
  }
}

// Whatever a grammar has, the parser takes for whole calls with arguments of JSON.
TEST_F(ChatGrammarTest, WhatItHasAlwaysParses) {
  std::mt19937 random(1);
  size_t samples = 0, calls = 0;
  for (const char* const form : test::kForms) {
    if (form == test::kPythonForm) continue;  // of one value at least, which may be a text
    const ChatRequest request = test::FormRequest(form);
    auto parser = ChatParser::Create(request);
    ASSERT_TRUE(parser.ok());
    Described described(request, ChatCalls::kRequired);
    ASSERT_TRUE(described.status.ok()) << described.status.message();
    for (int i = 0; i < 40; ++i) {
      const std::string answer = described.Sample(random);
      if (answer.empty()) continue;
      ++samples;
      const test::Parsed parsed = test::Parse(**parser, answer);
      EXPECT_EQ(parsed.content, "") << answer;
      EXPECT_FALSE(parsed.calls.empty()) << answer;
      for (const test::ParsedCall& call : parsed.calls) {
        ++calls;
        EXPECT_TRUE(call.whole) << answer;
        EXPECT_TRUE(call.name == "find" || call.name == "stop") << answer;
        const auto arguments = nlohmann::json::parse(call.arguments, nullptr, false);
        ASSERT_TRUE(arguments.is_object()) << call.arguments << "\nof " << answer;
        EXPECT_TRUE(call.name != "find" || arguments["what"].is_string()) << answer;
      }
    }
  }
  std::printf("%zu answers, %zu calls\n", samples, calls);
  EXPECT_GT(samples, 100u);
}

TEST_F(ChatGrammarTest, Refusals) {
  const auto refused = [](const char* form, const char* tools, std::string_view function,
                          StatusCode code, const char* why) {
    Described described(test::FormRequest(form, tools), ChatCalls::kAuto, function);
    EXPECT_EQ(described.status.code(), code) << why;
    EXPECT_THAT(described.status.message(), HasSubstr(why));
  };
  const auto with = [](const std::string& property) {
    return R"([{"name": "find", "parameters": {"type": "object", "properties": {"a": )" + property +
           "}}}]";
  };
  refused(test::kJsonForm, "", {}, StatusCode::kInvalidArgument, "tools has no function");
  refused(test::kJsonForm, "[]", {}, StatusCode::kInvalidArgument, "tools has no function");
  refused(test::kJsonForm, test::kFormTools, "seek", StatusCode::kInvalidArgument,
          "tools has no function named seek");
  refused("{% for m in messages %}{{ m.content }}{% endfor %}", test::kFormTools, {},
          StatusCode::kUnsupported, "leaves an assistant's tool_calls out");
  refused(test::kJsonForm, R"([{"name": "two words"}])", {}, StatusCode::kUnsupported,
          "the function two words has a name");
  refused(test::kTagForm, with(R"({"type": "string", "pattern": "a"})").c_str(), {},
          StatusCode::kUnsupported, "find: #/properties/a/pattern is a keyword");
  refused(test::kQuoteForm, with(R"({"type": "array", "minItems": 1})").c_str(), {},
          StatusCode::kUnsupported, "find: #/properties/a/minItems is a keyword");
  refused(test::kTagForm, R"([{"name": "find", "parameters": {"type": "array"}}])", {},
          StatusCode::kUnsupported, "find: #/type is not object");
  refused(test::kJsonForm, R"([{"name": "find", "parameters": "{}"}])", {},
          StatusCode::kUnsupported, "find: # is no JSON object");
}

}  // namespace
}  // namespace rondo
