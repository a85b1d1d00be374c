// `rondo chat`, driven through a pipe as a script would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "rondo/rondo.h"
#include "tests/support/places.h"
#include "tests/tools/chat/saved_messages.h"
#include "tests/tools/run_tool.h"
#if !defined(_WIN32)
#include "tests/tools/tool_process.h"
#endif

namespace rondo::chat_model_test {
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
    std::filesystem::copy(std::string(kTestData) + "/tiny", folder);
    tool_.Write("checkpoint/chat_template.jinja", kTemplate);
    model_ = tool_.Convert(folder, "q8");
  }
  ToolResult Chat(const std::string& input, const std::string& flags = "", int max_tokens = 12) {
    tool_.Write("input", input);
    return tool_("chat " + model_ + " --ignore-eos --max-tokens " + std::to_string(max_tokens) +
                 " " + flags + " < '" + tool_.Path("input") + "'");
  }
  // The messages that /save has written.
  nlohmann::json Saved(const std::string& name = "saved") {
    return SavedMessages(tool_.Read(name));
  }
  std::string Save() { return "/save " + tool_.Path("saved") + "\n"; }

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

// A message that spells a special token takes more tokens than that one.
TEST_F(ChatToolTest, MessagesSpeakNoSpecialTokens) {
  const auto tokens = [&](const std::string& flags) {
    std::smatch found;
    const std::string out = Chat("a <|eos|><|bos|>\n/stats\n", flags, 1).out;
    EXPECT_TRUE(std::regex_search(out, found, std::regex("prefill: ([0-9]+) tokens"))) << out;
    return std::stoi(found[1]);
  };
  EXPECT_GE(tokens(""), tokens("--special-tokens") + 4);
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

TEST_F(ChatToolTest, WhatIsQuotedIsNoCommand) {
  const std::string file = tool_.Path("pasted");
  const std::string quotes = "\"\"\"";
  const ToolResult result =
      Chat(quotes + "\n/exit\n" + quotes + "\n" + quotes + "/save " + file + quotes + "\n" +
           quotes + "\n/api/chat now returns\na message object\n" + quotes + "\n" + Save());
  EXPECT_EQ(result.code, 0) << result.err;
  const nlohmann::json messages = Saved();
  ASSERT_EQ(messages.size(), 6u);
  EXPECT_EQ(messages[0]["content"], "/exit");
  EXPECT_EQ(messages[2]["content"], "/save " + file);
  EXPECT_EQ(messages[4]["content"], "/api/chat now returns\na message object");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(ChatToolTest, WhatIsNoWordBehindTheSlashIsAMessage) {
  const std::vector<std::string> told = {"/usr/bin is full", "//x",    "/",     "/ 5",
                                         "/1 of 2",          "/exit!", "/exit/"};
  std::string input;
  for (const std::string& line : told) input += line + "\n";
  const ToolResult result = Chat(input + "/reset\\\nnow\n" + Save(), "", 2);
  EXPECT_EQ(result.code, 0) << result.err;
  const nlohmann::json messages = Saved();
  ASSERT_EQ(messages.size(), 2 * told.size() + 2);
  for (size_t i = 0; i < told.size(); ++i) EXPECT_EQ(messages[2 * i]["content"], told[i]);
  EXPECT_EQ(messages[2 * told.size()]["content"], "/reset\nnow");
}

TEST_F(ChatToolTest, AFullContextIsToldWithWhatHelpsHere) {
  const std::string question = "one two three four five six seven eight nine ten\n";
  const ToolResult result =
      Chat(question + question + question + question + "/reset\n" + question, "--context 64", 8);
  EXPECT_EQ(result.code, 1);
  // So few cannot slide.
  EXPECT_THAT(result.err,
              HasSubstr("(/reset begins anew here; a larger --context needs a new start)\n"));
  EXPECT_THAT(result.err.substr(result.err.rfind("rondo: ")), HasSubstr("limit of --max-tokens"));
  // Where nothing was said yet, beginning anew would not help.
  EXPECT_THAT(Chat(std::string(600, 'x') + "\n", "--context 64").err,
              testing::AllOf(HasSubstr("do not fit"), Not(HasSubstr("/reset"))));
}

TEST_F(ChatToolTest, CommandsThatFailAreTold) {
  const ToolResult result =
      Chat("/nonsense\n/sav x\n/save\n/save -\n/reset now\n/help\n/exit\nnever read\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("there is no command /nonsense (/help"));
  EXPECT_THAT(result.err, HasSubstr("there is no command /sav; did you mean /save? (/help"));
  EXPECT_THAT(result.err, HasSubstr("/save needs the name"));
  EXPECT_THAT(result.err, HasSubstr("/save: - is no name of a file"));
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
  const std::string plain = tool_.Convert(std::string(kTestData) + "/tiny", "f32");
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

// Two runs say what one says, and the second reads only what is new.
TEST_F(ChatToolTest, ASessionGoesOnInAnotherRun) {
  for (const std::string flags : {"", "--policy slide --context 192"}) {
    const std::string file = " --session '" + tool_.Path("kept") + "'";
    std::filesystem::remove(tool_.Path("kept"));
    const ToolResult whole =
        Chat("Hello there\nAnd now?\n/stats\nAnd then?\n", flags + " --system 'Be brief.'");
    const ToolResult first = Chat("Hello there\n", flags + file + " --system 'Be brief.'");
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(Saved("kept").size(), 3u);
    const ToolResult second = Chat("And now?\n/stats\nAnd then?\n", flags + file);
    EXPECT_EQ(second.code, 0) << second.err;
    EXPECT_EQ(Saved("kept").size(), 7u);
    const auto speeds_hidden = [](const std::string& text) {
      return std::regex_replace(text, std::regex("(prefill|decode): ([0-9]+ tokens).*"), "$1: $2");
    };
    EXPECT_EQ(speeds_hidden(first.out + second.out), speeds_hidden(whole.out));
    EXPECT_THAT(second.out, testing::ContainsRegex("kept: [1-9][0-9]+ tokens"));
  }
}

TEST_F(ChatToolTest, SaveAndLoadAreAPair) {
  const ToolResult whole = Chat("Hello there\nAnd now?\n");
  const std::string path = tool_.Path("saved");
  const ToolResult loaded =
      Chat("Hello there\n" + Save() + "Something else\n/load " + path + "\nAnd now?\n/stats\n");
  EXPECT_EQ(loaded.code, 0) << loaded.err;
  const std::string second = whole.out.substr(whole.out.find('\n') + 1);
  EXPECT_THAT(loaded.out, HasSubstr("\n" + second + "context: "));
  EXPECT_THAT(loaded.out, testing::ContainsRegex("kept: [1-9][0-9]+ tokens"));
  // Messages without a snapshot are read again, and that is said.
  const std::string file = tool_.Read("saved");
  tool_.Write("messages", file.substr(0, file.find("\n]\n") + 3));
  const ToolResult read = Chat("/load " + tool_.Path("messages") + "\nAnd now?\n/stats\n");
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_THAT(read.err, HasSubstr("has messages only"));
  EXPECT_THAT(read.out, HasSubstr(second));
  EXPECT_THAT(read.out, HasSubstr("kept: 0 tokens"));
}

TEST_F(ChatToolTest, NamesOfFilesMayStandInQuotes) {
  const std::string path = tool_.Path("a b");
  const ToolResult result =
      Chat("Hello there\n/save \"" + path + "\"\n/load '" + path + "'\n/save --force '" + path +
           "'\n/save " + tool_.Path("it's") + "\n/save \"\"\n");
  EXPECT_EQ(Saved("a b").size(), 2u);
  EXPECT_THAT(result.err, HasSubstr("/it's\n"));
  EXPECT_THAT(result.err, HasSubstr("/save needs the name of a file"));
  EXPECT_EQ(Saved("it's").size(), 2u);
}

TEST_F(ChatToolTest, AnotherSystemPromptOfALoadedConversationIsTold) {
  const std::string load = "/load " + tool_.Path("saved") + "\n";
  EXPECT_EQ(Chat("Hello there\n" + Save(), "--system 'Be brief.'").code, 0);
  constexpr const char* kTold = "with the system prompt of this conversation, not that of --system";
  EXPECT_THAT(Chat(load, "--system 'Be long.'").err, HasSubstr(kTold));
  EXPECT_THAT(Chat(load, "--system 'Be brief.'").err, Not(HasSubstr(kTold)));
  EXPECT_THAT(Chat(load).err, Not(HasSubstr(kTold)));
}

TEST_F(ChatToolTest, ResetReachesTheSessionsFile) {
  const std::string file = "--session '" + tool_.Path("kept") + "'";
  EXPECT_EQ(Chat("Hello there\n/reset\n", file).code, 0);
  EXPECT_EQ(tool_.Read("kept"), "");
  const ToolResult anew = Chat("Hello there\n", file);
  EXPECT_EQ(anew.out, Chat("Hello there\n").out);
  EXPECT_EQ(Saved("kept").size(), 2u);
}

TEST_F(ChatToolTest, FilesThatAreNoConversationOfThisModelAreRefused) {
  const std::string file = "--session '" + tool_.Path("kept") + "'";
  const auto refused = [&](const std::string& flags) {
    const std::string before = tool_.Read("kept");
    const ToolResult result = Chat("And now?\n", file + flags);
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(tool_.Read("kept"), before);
    return result.err;
  };
  tool_.Write("kept", "a letter");
  EXPECT_THAT(refused(""), HasSubstr("is not a saved conversation"));
  std::filesystem::remove(tool_.Path("kept"));
  EXPECT_EQ(Chat("Hello there\n", file).code, 0);
  EXPECT_THAT(refused(" --policy slide --context 128"), HasSubstr("context policy is to stop"));
  EXPECT_THAT(refused(" --context 16"), HasSubstr("context room for 16"));
  EXPECT_THAT(refused(" --system other"), HasSubstr("another system prompt"));
  const std::string good = tool_.Read("kept");
  tool_.Write("kept", good.substr(0, good.size() - 1));
  EXPECT_THAT(refused(""), HasSubstr("the snapshot was truncated"));
  tool_.Write("kept", good.substr(0, 40));
  EXPECT_THAT(refused(""), HasSubstr("its messages do not end"));
  std::string odd = good;
  odd.replace(odd.find("content"), 7, "contort");
  tool_.Write("kept", odd);
  EXPECT_THAT(refused(""), HasSubstr("its messages are not a list"));
  tool_.Write("kept", good);
  model_ = tool_.Convert(tool_.Path("checkpoint"), "q4b");
  EXPECT_THAT(refused(""), HasSubstr("of another model"));
  EXPECT_THAT(Chat("/load\n/load " + tool_.Path("kept") + "\n/load /no/such/file\n").err,
              testing::AllOf(HasSubstr("/load needs the name"), HasSubstr("of another model"),
                             HasSubstr("cannot read the conversation /no/such/file")));
}

TEST_F(ChatToolTest, CtrlCStopsTheAnswerAndKeepsTheSession) {
#if defined(_WIN32)
  GTEST_SKIP() << "no process sends another a signal here";
#else
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
#endif
}

}  // namespace
}  // namespace rondo::chat_model_test
