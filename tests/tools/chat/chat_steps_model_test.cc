// `rondo chat` with a model that makes calls: bytes of all kinds, and turns that do not come to an
// end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "rondo/rondo.h"
#include "tests/tools/chat/saved_messages.h"
#include "tests/tools/chat/script_model.h"
#include "tests/tools/run_tool.h"

namespace rondo::chat_steps_model_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kTools =
    R"([{"type": "function", "function": {"name": "weather", "parameters": {"type": "object",
        "properties": {"city": {"type": "string"}}, "required": ["city"],
        "additionalProperties": false}}}])";
const std::string kCall =
    "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>";
constexpr const char* kTakenBack = "the turn is taken back: the conversation is as before it";

class ChatStepsTest : public testing::Test {
 protected:
  void SetUp() override {
    int64_t has_chat = 0, has_grammars = 0;
    rondo_query("chat", &has_chat);
    rondo_query("grammar", &has_grammars);
    if (has_chat == 0 || has_grammars == 0) GTEST_SKIP() << "built without chat or grammars";
    tool_.Write("tools.json", kTools);
  }

  void Convert(Script script) {
    if (script.specials.empty()) script.specials = {"<|im_end|>", "<|im_start|>"};
    if (script.chat_template.empty()) script.chat_template = ScriptTemplate(false);
    WriteScriptModel(tool_.Path("checkpoint"), script);
    model_ = tool_.Convert(tool_.Path("checkpoint"), "f32");
  }
  // It makes a call whatever it reads, as often as it is asked.
  void ConvertCaller() { Convert({.chunks = {kCall}, .next = {{"\n", kCall}}, .context = 16384}); }
  ToolResult Chat(const std::string& input, const std::string& flags) {
    tool_.Write("input", input);
    return tool_("chat " + model_ + " " + flags + " < '" + tool_.Path("input") + "'");
  }
  std::string Tools() const { return "--tools '" + tool_.Path("tools.json") + "' "; }
  std::string Session() const { return "--session '" + tool_.Path("kept") + "' "; }
  nlohmann::json Kept() { return SavedMessages(tool_.Read("kept")); }

  ToolRunner tool_;
  std::string model_;
};

// A character of four tokens, of which --max-tokens leaves one or two.
TEST_F(ChatStepsTest, AnAnswerEndsWithinACharacter) {
  for (const bool thoughts : {false, true}) {
    Convert(
        {.specials = {"<|im_end|>", "<|im_start|>", "<think>", "</think>"},
         .chunks = {"Hi "},
         .next =
             {{"\n", "Hi "}, {"Hi ", "\xf0"}, {"\xf0", "\x9f"}, {"\x9f", "\x98"}, {"\x98", "\x80"}},
         .chat_template = ScriptTemplate(thoughts)});
    for (const std::string& flags : {std::string(), Tools()}) {
      std::filesystem::remove(tool_.Path("kept"));
      const ToolResult result = Chat("a\nb\n", flags + Session() + "--max-tokens 3");
      EXPECT_EQ(result.code, 0) << result.err;
      ASSERT_EQ(Kept().size(), 4u);
      const bool reads_parts = thoughts || !flags.empty();
      if (reads_parts) {
        EXPECT_EQ(result.out, "Hi \nHi \n");
        EXPECT_EQ(Kept()[3]["content"], "Hi ");
      }
      EXPECT_EQ(Chat("a\n", flags).out, "Hi \xf0\x9f\x98\x80\n") << "all of it";
    }
  }
}

TEST_F(ChatStepsTest, ResultsAreBytesOfAnyKind) {
  ConvertCaller();
  // What is typed, up to the end of the input, which takes back the turn.
  const std::string save = "/save " + tool_.Path("saved") + "\n";
  ToolResult result = Chat("Hello\ncaf\xe9\n", Tools() + "--max-tokens 1 " + Session());
  EXPECT_THAT(result.err, HasSubstr(kTakenBack));
  Convert({.specials = {"<|im_end|>", "<|im_start|>"},
           .chunks = {kCall, "user"},
           .next = {{"\n", kCall}, {">", "<|im_end|>"}},
           .chat_template =
               "{% for m in messages %}{{ m.content }}{% if m.tool_calls %}<tool_call>\n{\"name\": "
               "\"{{ m.tool_calls[0].function.name }}\", \"arguments\": "
               "{{ m.tool_calls[0].function.arguments | tojson }}}\n</tool_call>{% endif %}"
               "{% if m.role == 'assistant' %}<|im_end|>{% endif %}{% endfor %}"
               "{{ '>' if messages[-1].role == 'tool' else '\\n' }}"});
#ifndef _WIN32
  tool_.Write("answer.sh", "printf '\\357\\273\\277caf\\351\\r\\n'");
  std::filesystem::remove(tool_.Path("kept"));
  result = Chat("Hello\ny\nAnd now?\ny\n" + save,
                Tools() + Session() + "--exec \"sh '" + tool_.Path("answer.sh") + "'\"");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("weather printed is not UTF-8 at its byte 3; what is none"));
  EXPECT_EQ(Kept()[2]["content"], "caf\xef\xbf\xbd");
  EXPECT_EQ(Kept().size(), 8u);
  EXPECT_EQ(tool_.Read("saved"), tool_.Read("kept"));
#endif
  std::filesystem::remove(tool_.Path("kept"));
  result = Chat("\xef\xbb\xbfHello\r\ncaf\xe9\r\n\xff\n", Tools() + Session());
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("the message is not UTF-8 at its byte 0"));
  EXPECT_EQ(Kept()[0]["content"], "Hello");
  EXPECT_EQ(Kept()[2]["content"], "caf\xef\xbf\xbd");
  EXPECT_EQ(Kept().size(), 4u);
}

TEST_F(ChatStepsTest, ACallThatIsNotAnsweredTakesTheTurnBack) {
  ConvertCaller();
  const ToolResult result = Chat("Hello\nsunny\n", Tools() + Session());
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("the call of weather was not answered; "));
  EXPECT_THAT(result.err, HasSubstr(kTakenBack));
  EXPECT_EQ(tool_.Read("kept"), "");
}

TEST_F(ChatStepsTest, RoundsOfCallsHaveALimitThatIsTold) {
  ConvertCaller();
  std::string input = "Hello\n";
  for (int round = 0; round < 16; ++round) input += "sunny\n";
  const ToolResult result = Chat(input + "/stats\n", Tools() + Session());
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("after 16 rounds of calls in one turn the model still"));
  EXPECT_THAT(result.err, HasSubstr(kTakenBack));
  EXPECT_EQ(tool_.Read("kept"), "");
  EXPECT_THAT(result.out, HasSubstr("context: 0 tokens"));
}

TEST_F(ChatStepsTest, ATemplateThatFailsBehindAResultTakesTheTurnBack) {
  std::string refuses = ScriptTemplate(false);
  const std::string content = "<tool_response>";
  refuses.insert(refuses.find(content), "{{ raise_exception('no results') }}");
  Convert({.chunks = {kCall, "Fine"},
           .next = {{"\n", kCall}, {"?", "Fine"}},
           .chat_template = refuses});
  const ToolResult result = Chat("Hello\nsunny\nHello\nsunny\n", Tools() + Session());
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("no results; the turn is taken back"));
  EXPECT_EQ(tool_.Read("kept"), "");
}

// As one family of reasoning models writes calls: the arguments are text, or it fails.
TEST_F(ChatStepsTest, ArgumentsAreTextWhereATemplateJoinsThem) {
  const std::string call = "weather\n```json\n{\"city\": \"Rome\"}\n```";
  for (const char* const null_content : {"", "{% if m.content is none %}"}) {
    const std::string end = *null_content == '\0' ? "" : "{% endif %}";
    Convert(
        {.specials = {"<|end|>", "<|user|>", "<|result|>", "<|bot|>", "<|fn|>", "<|/fn|>"},
         .chunks = {call, "Fine"},
         .next = {{"<|bot|>", "<|fn|>"}, {"<|fn|>", call}, {call, "<|/fn|>"}},
         .chat_template =
             "{% for m in messages %}{% if m.role == 'user' %}{{ '<|user|>' + m.content }}"
             "{% elif m.role == 'tool' %}{{ '<|result|>' + m.content }}{% else %}<|bot|>"
             "{% if m.content is not none %}{{ m.content }}{% endif %}" +
             std::string(null_content) +
             "{% for c in m.tool_calls or [] %}{{ '<|fn|>' + c.function.name + '\\n```json\\n' + "
             "c.function.arguments + '\\n```<|/fn|>' }}{% endfor %}" +
             end +
             "<|end|>{% endif %}{% endfor %}{% if add_generation_prompt %}<|bot|>{% endif %}"});
    std::filesystem::remove(tool_.Path("kept"));
    const ToolResult result = Chat("Hi\nsunny\n", Tools() + Session());
    // The model calls once more, and nobody answers: but the result was read.
    EXPECT_THAT(result.err, Not(HasSubstr("TypeError")));
    EXPECT_THAT(result.err, HasSubstr("was not answered"));
    EXPECT_EQ(result.out, "\nweather({\"city\": \"Rome\"})\n\nweather({\"city\": \"Rome\"})\n");
  }
}

// The last user's message has other marks than earlier ones.
TEST_F(ChatStepsTest, APlainAnswerBeginsWithNothingOfThePrompt) {
  Convert({.specials = {"</s>", "[ASK]", "[/ASK]", "[LAST]", "[/LAST]"},
           .chunks = {"Fine."},
           .next = {{"[/LAST]", "Fine."}},
           .chat_template =
               "{% for m in messages %}{% if m.role == 'user' %}{{ '[LAST]' + m.content + '[/LAST]'"
               " if loop.last else '[ASK]' + m.content + '[/ASK]' }}{% elif m.tool_calls %}"
               "[CALLS][{% for c in m.tool_calls %}{\"name\": \"{{ c.function.name }}\", "
               "\"arguments\": {{ c.function.arguments | tojson }}}{% if not loop.last %}, "
               "{% endif %}{% endfor %}]</s>{% else %}{{ m.content }}</s>{% endif %}{% endfor %}"});
  EXPECT_EQ(Chat("Hi\n", Tools()).out, "Fine.\n");
}

TEST_F(ChatStepsTest, WhatIsRefusedIsOfTheUsersFile) {
  ConvertCaller();
  tool_.Write(
      "tools.json",
      R"([{"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}},
                  {"type": "function", "function": {"name": "weather", "parameters": {"type":
                   "object", "properties": {"tags": {"type": "array", "uniqueItems": true}}}}}])");
  const ToolResult result = Chat("Hi\n", Tools());
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("weather: "));
  EXPECT_THAT(result.err, HasSubstr("#/properties/tags/uniqueItems"));
  EXPECT_THAT(result.err, Not(HasSubstr("line")));
  EXPECT_THAT(Chat("Hi\n", "--system \"$(printf 'a\\377')\"").err,
              HasSubstr("--system: the text is not UTF-8 at its byte 1"));
}

// As editors of other systems leave it, and as other programs write it.
TEST_F(ChatStepsTest, ConversationsThatWereEditedAreRead) {
  Convert({.chunks = {"Fine."}, .next = {{"\n", "Fine."}}});
  for (const char* const text :
       {"\xef\xbb\xbf[\r\n  {\r\n    \"role\": \"user\",\r\n    \"content\": \"Hi\"\r\n  },\r\n"
        "  {\r\n    \"role\": \"assistant\",\r\n    \"content\": \"Ho\"\r\n  }\r\n]\r\n",
        "[{\"role\":\"user\",\"content\":\"Hi\"},{\"role\":\"assistant\",\"content\":\"Ho\"}]"}) {
    tool_.Write("edited", text);
    const std::string saved = tool_.Path("saved");
    const ToolResult result =
        Chat("/load " + tool_.Path("edited") + "\nAnd?\n/save " + saved + "\n", "");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(SavedMessages(tool_.Read("saved")).size(), 4u);
  }
  std::string deep = "[{\"role\":\"user\",\"content\":\"Hi\",\"tool_calls\":";
  for (int i = 0; i < 100000; ++i) deep += '[';
  tool_.Write("edited", deep);
  EXPECT_THAT(Chat("/load " + tool_.Path("edited") + "\n", "").err, HasSubstr("do not end"));
  for (int i = 0; i < 100000; ++i) deep += ']';
  tool_.Write("edited", deep + "}]");
  EXPECT_THAT(Chat("/load " + tool_.Path("edited") + "\n", "").err, HasSubstr("was damaged"));
}

}  // namespace
}  // namespace rondo::chat_steps_model_test
