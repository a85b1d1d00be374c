// `rondo chat` on a terminal, as a person uses it: characters of every size, editing, Ctrl-C,
// Ctrl-D.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "rondo/rondo.h"
#include "tests/support/places.h"
#include "tests/tools/chat/saved_messages.h"
#include "tests/tools/chat/script_model.h"
#include "tests/tools/run_tool.h"
#include "tests/tools/terminal.h"

namespace rondo::terminal_model_test {
namespace {

constexpr const char* kTemplate =
    "{{ bos_token }}{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant] {% endif %}";

constexpr const char* kLeft = "\x1b[D";
constexpr const char* kBackspace = "\x7f";
constexpr const char* kEnd = "\x05";  // Ctrl-E
constexpr const char* kCtrlC = "\x03";
constexpr const char* kCtrlD = "\x04";

class TerminalTest : public testing::Test {
 protected:
  void SetUp() override {
    int64_t has_chat = 0;
    rondo_query("chat", &has_chat);
    if (has_chat == 0) GTEST_SKIP() << "built without chat templates";
#ifdef RONDO_EMULATED
    GTEST_SKIP() << "the terminal is the emulator's";
#endif
#ifndef RONDO_LINE_EDITING
    GTEST_SKIP() << "built without libedit";
#endif
    const std::string folder = tool_.Path("checkpoint");
    std::filesystem::copy(std::string(kTestData) + "/tiny", folder);
    tool_.Write("checkpoint/chat_template.jinja", kTemplate);
    model_ = tool_.Convert(folder, "q8");
  }
  std::string Chat(const std::string& flags) const {
    return "chat " + model_ + " --ignore-eos " + flags;
  }
  std::string Short() const { return Chat("--max-tokens 3"); }
  std::string Endless() const { return Chat("--max-tokens 0 --policy slide --context 128"); }

  // Saves the conversation and returns what the model was told in it.
  std::vector<std::string> Told(Terminal& terminal) {
    terminal.Type("/save " + tool_.Path("saved.json") + "\r");
    terminal.WaitFor("saved: ");
    std::vector<std::string> told;
    for (const auto& message : SavedMessages(tool_.Read("saved.json"))) {
      if (message["role"] == "user") told.push_back(message["content"]);
    }
    return told;
  }

  ToolRunner tool_;
  std::string model_;
};

TEST_F(TerminalTest, CharactersOfEverySizeReachTheModel) {
  for (const char* locale : {static_cast<const char*>(nullptr), "C", "C.UTF-8", "xx_XX.UTF-8"}) {
    SCOPED_TRACE(locale == nullptr ? "no locale" : locale);
    Terminal terminal(Short(), locale);
    ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
    terminal.Type("Grüße 日本 🙂\r");
    ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("Grüße 日本 🙂"));
    EXPECT_THAT(Told(terminal), testing::ElementsAre("Grüße 日本 🙂"));
    ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
    terminal.Type(kCtrlD);
    EXPECT_EQ(terminal.Wait(), 0);
  }
}

TEST_F(TerminalTest, EditingGoesByCharacters) {
  Terminal terminal(Short(), "C");
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
  // Behind each key what the line is then; | is the cursor.
  terminal.Type("äöü日本🙂");  // äöü日本🙂|
  terminal.Type(kLeft);               // äöü日本|🙂
  terminal.Type(kBackspace);          // äöü日|🙂
  terminal.Type(kLeft);               // äöü|日🙂
  terminal.Type("é");                 // äöüé|日🙂
  terminal.Type(kEnd);                // äöüé日🙂|
  terminal.Type(kBackspace);          // äöüé日|
  terminal.Type("!\r");
  EXPECT_THAT(Told(terminal), testing::ElementsAre("äöüé日!"));
  EXPECT_TRUE(std::filesystem::exists(tool_.Path("saved.json")));
}

// What the terminal sends for a paste, as it was told to.
std::string Pasted(const std::string& text) { return "\x1b[200~" + text + "\x1b[201~"; }

TEST_F(TerminalTest, WhatIsPastedIsOneTextAndNoCommand) {
  Terminal terminal(Short(), nullptr);
  ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("\x1b[?2004h"));
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
  const auto tell = [&](const std::string& keys) {
    terminal.Type(keys + "\r");
    terminal.WaitFor("(the limit of --max-tokens, 3)");
    terminal.WaitForEditing();
  };
  ASSERT_NO_FATAL_FAILURE(tell(Pasted("/exit")));
  ASSERT_NO_FATAL_FAILURE(tell(Pasted("first\r/exit\r\r\tGrüße\\\r")));
  ASSERT_NO_FATAL_FAILURE(tell("Read this: " + Pasted("one\r/reset") + "!"));
  ASSERT_NO_FATAL_FAILURE(tell(Pasted("\"\"\"\r/exit")));
  // Within a block the quotes of a paste are its own.
  terminal.Type("\"\"\"\r");
  ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("... "));
  terminal.Type(Pasted("x = \"\"\"\r/exit\r\"\"\"") + "\r");
  ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("... "));
  ASSERT_NO_FATAL_FAILURE(tell("\"\"\""));
  // A command may have its file's name pasted.
  terminal.Type("/save " + Pasted(tool_.Path("saved.json")) + "\r");
  ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("saved: "));
  EXPECT_THAT(Told(terminal),
              testing::ElementsAre("/exit", "first\n/exit\n\n\tGrüße\\", "Read this: one\n/reset!",
                                   "\"\"\"\n/exit", "x = \"\"\"\n/exit\n\"\"\""));
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
  terminal.Type(kCtrlD);
  ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("\x1b[?2004l"));
  EXPECT_EQ(terminal.Wait(), 0);
}

TEST_F(TerminalTest, CtrlCStopsTheAnswerAndTakesBackALine) {
  Terminal terminal(Endless(), nullptr);
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
  terminal.Type("Hello\r");
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForBytes(2000));  // it would never end
  terminal.Type(kCtrlC);
  ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("(stopped)"));
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
  terminal.Type("wröng");
  ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("wröng"));
  terminal.Type(kCtrlC);
  ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("> "));
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
  EXPECT_THAT(Told(terminal), testing::ElementsAre("Hello"));
  // What was interrupted does not disturb what follows.
  terminal.Type("Again\r");
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForBytes(500));
  terminal.Type(kCtrlC);
  ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("(stopped)"));
  EXPECT_THAT(Told(terminal), testing::ElementsAre("Hello", "Again"));
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
  terminal.Type(kCtrlD);
  EXPECT_EQ(terminal.Wait(), 0);
  EXPECT_TRUE(terminal.IsCooked());
}

// Nothing that was begun is sent by it.
TEST_F(TerminalTest, CtrlDEndsWhereNothingWasBegun) {
  Terminal terminal(Short(), nullptr);
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
  for (const char* begin : {"\"\"\"begun\r", "begun\\\r"}) {
    terminal.Type(begin);
    ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("... "));
    ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
    terminal.Type(kCtrlD);
    ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("(taken back; to end, type /exit, or Ctrl-D"));
    ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("> "));
    ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
  }
  terminal.Type(std::string("Hello") + kCtrlD + " there\r");
  ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("(the limit of --max-tokens, 3)"));
  EXPECT_THAT(Told(terminal), testing::ElementsAre("Hello there"));
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
  terminal.Type(kCtrlD);
  EXPECT_EQ(terminal.Wait(), 0);
}

TEST_F(TerminalTest, OtherSignalsEndTheProgramAndGiveTheTerminalBack) {
  for (const int signal : {SIGTERM, SIGHUP}) {
    for (const bool answering : {false, true}) {
      Terminal terminal(Endless(), nullptr);
      ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
      if (answering) {
        terminal.Type("Hello\r");
        ASSERT_NO_FATAL_FAILURE(terminal.WaitForBytes(2000));
      }
      terminal.Signal(signal);
      EXPECT_EQ(terminal.Wait(), 128 + signal);
      EXPECT_TRUE(terminal.IsCooked());
    }
  }
}

// Where a call waits for its result both take back the whole turn: what follows must not stand
// behind a call without one.
TEST_F(TerminalTest, CtrlCAndCtrlDAtACallTakeBackTheTurn) {
  const std::string call = "<tool_call>\n{\"name\": \"stop\", \"arguments\": {}}\n</tool_call>";
  Script script;
  script.specials = {"<|im_end|>", "<|im_start|>"};
  script.chunks = {call};
  script.next = {{"\n", call}};
  script.chat_template = ScriptTemplate(false);
  WriteScriptModel(tool_.Path("script"), script);
  tool_.Write("tools.json", R"([{"type": "function", "function": {"name": "stop", "parameters": )"
                            R"({"type": "object", "additionalProperties": false}}}])");
  Terminal terminal("chat " + tool_.Convert(tool_.Path("script"), "f32") + " --tools '" +
                        tool_.Path("tools.json") + "'",
                    nullptr);
  for (const char* const key : {kCtrlC, kCtrlD}) {
    ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
    terminal.Type("Hello\r");
    ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("result: "));
    ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
    terminal.Type("one");
    ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("one"));
    terminal.Type(std::string("\r"));
    ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("result: "));
    ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
    terminal.Type(key);
    ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("the turn is taken back"));
    ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
    terminal.Type("/save " + tool_.Path("saved.json") + "\r");
    ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("there is nothing to save yet"));
  }
  ASSERT_NO_FATAL_FAILURE(terminal.WaitForEditing());
  terminal.Type(kCtrlD);
  EXPECT_EQ(terminal.Wait(), 0);
}

}  // namespace
}  // namespace rondo::terminal_model_test
