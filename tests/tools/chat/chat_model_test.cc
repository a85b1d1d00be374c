// `rondo chat`, driven through a pipe as a script would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "rondo/rondo.h"
#include "tests/tools/run_tool.h"
#include "tests/tools/tool_process.h"

namespace rondo {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kTemplate =
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}";

class ChatToolTest : public testing::Test {
 protected:
  void SetUp() override {
    int64_t has_chat = 0;
    rondo_query("chat", &has_chat);
    if (has_chat == 0) GTEST_SKIP() << "built without chat templates";
    tool_.Write("template.jinja", kTemplate);
    const std::string folder = tool_.Path("checkpoint");
    std::filesystem::copy(std::string(RONDO_TEST_DATA) + "/tiny", folder);
    tool_.Write("checkpoint/chat_template.jinja", kTemplate);
    model_ = tool_.Convert(folder, "q8");
  }
  ToolResult Chat(const std::string& input, const std::string& flags = "", int max_tokens = 12) {
    tool_.Write("input", input);
    return tool_("chat " + model_ + " --ignore-eos --max-tokens " + std::to_string(max_tokens) +
                 " " + flags + " < '" + tool_.Path("input") + "'");
  }
  // The messages that /save has written.
  nlohmann::json Saved() { return nlohmann::json::parse(tool_.Read("saved.json")); }
  std::string Save() { return "/save " + tool_.Path("saved.json") + "\n"; }

  ToolRunner tool_;
  std::string model_;
};

TEST_F(ChatToolTest, InspectNamesTheTemplate) {
  EXPECT_THAT(tool_("inspect " + model_).out, testing::ContainsRegex("chat template +default\n"));
}

TEST_F(ChatToolTest, AnswersAreThoseOfRunOnTheRenderedText) {
  const ToolResult result = Chat("Hello there\nAnd now?\n" + Save(), "--system 'Be brief.'");
  EXPECT_EQ(result.code, 0) << result.err;
  const nlohmann::json messages = Saved();
  ASSERT_EQ(messages.size(), 5u);
  EXPECT_EQ(messages[0]["content"], "Be brief.");
  EXPECT_EQ(messages[3]["content"], "And now?");
  const std::string first = messages[2]["content"], second = messages[4]["content"];
  EXPECT_EQ(result.out, first + "\n" + second + "\n");
  // The session has read the conversation in two parts; this reads it in one.
  tool_.Write("prompt", "<|bos|>[system] Be brief.\n[user] Hello there\n[assistant] " + first +
                            "\n[user] And now?\n[assistant] ");
  EXPECT_EQ(tool_("run " + model_ + " - --raw --max-tokens 12 --ignore-eos < '" +
                  tool_.Path("prompt") + "'")
                .out,
            second + "\n");
}

TEST_F(ChatToolTest, OnlyWhatIsNewIsRead) {
  const ToolResult result = Chat("Hello there\n/stats\nAnd now?\n/stats\n");
  EXPECT_THAT(result.out, HasSubstr("kept: 0 tokens"));
  EXPECT_THAT(result.out, testing::ContainsRegex("kept: [1-9][0-9]* tokens"));
  EXPECT_THAT(result.out, HasSubstr("decode: 12 tokens"));
  EXPECT_THAT(result.out, HasSubstr("room for "));
  EXPECT_THAT(result.out, HasSubstr("\nsampling: the most likely token\n"));
}

TEST_F(ChatToolTest, AnswersAreSampledAsRecommended) {
  const ToolResult greedy = Chat("Hello there\n/stats\n", "", 40);
  tool_.Write("checkpoint/generation_config.json",
              R"({"do_sample": true, "temperature": 1.5, "top_k": 40})");
  model_ = tool_.Convert(tool_.Path("checkpoint"), "q8");
  const ToolResult sampled = Chat("Hello there\n/stats\n", "", 40);
  EXPECT_THAT(sampled.out, HasSubstr("\nsampling: temperature 1.5, top-k 40, seed 0\n"));
  const auto answer = [](const ToolResult& chat) {
    return chat.out.substr(0, chat.out.find("context: "));
  };
  EXPECT_NE(answer(sampled), answer(greedy));
  EXPECT_EQ(answer(Chat("Hello there\n/stats\n", "--greedy", 40)), answer(greedy));
  EXPECT_THAT(sampled.err, Not(HasSubstr("sampling")));  // quiet where nobody looks
}

TEST_F(ChatToolTest, ResetBeginsAnew) {
  const ToolResult result = Chat("Hello there\nAnd now?\n/reset\nHello there\n" + Save());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Saved().size(), 2u);
  const std::string answer = Saved()[1]["content"];
  EXPECT_EQ(result.out.substr(0, answer.size()), answer);
}

TEST_F(ChatToolTest, MessagesOfManyLines) {
  Chat("one\\\ntwo\\\nthree\n\"\"\"\nfour\n\nfive\n\"\"\"\n\"\"\"six\nseven\"\"\"\n\n /x\n" +
       Save());
  const nlohmann::json messages = Saved();
  ASSERT_EQ(messages.size(), 8u);
  EXPECT_EQ(messages[0]["content"], "one\ntwo\nthree");
  EXPECT_EQ(messages[2]["content"], "four\n\nfive");
  EXPECT_EQ(messages[4]["content"], "six\nseven");
  EXPECT_EQ(messages[6]["content"], " /x");
}

TEST_F(ChatToolTest, CommandsThatFailAreTold) {
  const ToolResult result = Chat("/nonsense\n/save\n/reset now\n/help\n/exit\nnever read\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("no command /nonsense"));
  EXPECT_THAT(result.err, HasSubstr("/save needs the name"));
  EXPECT_THAT(result.err, HasSubstr("/reset takes nothing"));
  EXPECT_THAT(result.out, HasSubstr("/stats"));
  EXPECT_THAT(result.out, Not(HasSubstr("never")));
}

TEST_F(ChatToolTest, AFullContextIsToldAndSurvived) {
  const std::string question(600, 'x');
  const ToolResult result = Chat("Hi\n" + question + "\n/stats\n", "--context 64", 5);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("--context"));
  EXPECT_THAT(result.out, HasSubstr("context: "));
  const ToolResult slide = Chat("Hi\nAnd now?\nAnd then?\n", "--context 128 --policy slide", 100);
  EXPECT_EQ(slide.code, 0) << slide.err;
}

TEST_F(ChatToolTest, TemplatesThatCannotServe) {
  const std::string plain = tool_.Convert(std::string(RONDO_TEST_DATA) + "/tiny", "f32");
  tool_.Write("input", "Hello there\n");
  const std::string in = " --max-tokens 5 < '" + tool_.Path("input") + "'";
  const ToolResult none = tool_("chat " + plain + in);
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("has no chat template: give one with --template FILE"));
  EXPECT_EQ(tool_("chat " + plain + " --template '" + tool_.Path("template.jinja") + "'" + in).code,
            0);
  EXPECT_THAT(tool_("chat " + plain + " --template /no/such/file" + in).err,
              HasSubstr("cannot read the chat template /no/such/file"));
  tool_.Write("refuses.jinja", "{{ raise_exception('I only take cats') }}");
  const ToolResult refused =
      tool_("chat " + plain + " --template '" + tool_.Path("refuses.jinja") + "'" + in);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("I only take cats"));
}

TEST_F(ChatToolTest, CtrlCStopsTheAnswerAndKeepsTheSession) {
#ifdef RONDO_EMULATED
  GTEST_SKIP() << "signals go to the emulator";
#endif
  ToolProcess chat("chat " + model_ +
                   " --max-tokens 0 --ignore-eos --policy slide --context 128 2>/dev/null");
  chat.Write("Hello there\n");
  ASSERT_GE(chat.Read(2000).size(), 2000u);  // it would never end
  chat.Signal(SIGINT);
  chat.Write("/stats\n/exit\n");
  EXPECT_THAT(chat.Read(1 << 20), HasSubstr("context: "));
  EXPECT_EQ(chat.Wait(), 0);
}

}  // namespace
}  // namespace rondo
