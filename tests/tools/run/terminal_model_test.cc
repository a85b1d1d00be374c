// `rondo run` on a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/places.h"
#include "tests/tools/run_tool.h"
#include "tests/tools/terminal.h"

namespace rondo {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kNotice =
    "reads the prompt from the terminal until Ctrl-D; for a conversation: rondo chat ";

class RunOnATerminal : public testing::Test {
 protected:
  void SetUp() override {
#ifdef RONDO_EMULATED
    GTEST_SKIP() << "the terminal is the emulator's";
#endif
    const std::string folder = tool_.Path("checkpoint");
    std::filesystem::copy(std::string(kTestData) + "/tiny", folder);
    tool_.Write("checkpoint/generation_config.json", R"({"do_sample": true, "top_p": 0.9})");
    model_ = tool_.Convert(folder, "q8");
  }

  ToolRunner tool_;
  std::string model_;
};

TEST_F(RunOnATerminal, WithoutAPromptItSaysWhatItWaitsFor) {
  for (const char* prompt : {"", " -"}) {
    Terminal terminal("run " + model_ + prompt + " --greedy --max-tokens 8", nullptr);
    ASSERT_NO_FATAL_FAILURE(terminal.WaitFor(kNotice));
    terminal.Type("Today's weather is so");
    ASSERT_NO_FATAL_FAILURE(terminal.WaitFor("weather is so"));
    terminal.Type("\x04\x04");  // Ctrl-D ends the line, and then the input
    EXPECT_EQ(terminal.Wait(), 0);
    tool_.Write("prompt", "Today's weather is so");
    const ToolResult piped = tool_("run " + model_ + prompt + " --greedy --max-tokens 8 < '" +
                                   tool_.Path("prompt") + "'");
    EXPECT_EQ(piped.err, "");
    const std::string text = piped.out.substr(0, piped.out.size() - 1);
    EXPECT_GT(text.size(), 5u);
    EXPECT_THAT(terminal.screen(), HasSubstr(text));
  }
}

TEST_F(RunOnATerminal, SamplingIsShownWhereThereIsChance) {
  Terminal sampled("run " + model_ + " Once --max-tokens 3", nullptr);
  ASSERT_NO_FATAL_FAILURE(sampled.WaitFor("sampling: temperature 1, top-k 50, top-p 0.9, seed 0"));
  EXPECT_EQ(sampled.Wait(), 0);
  EXPECT_THAT(sampled.screen(), Not(HasSubstr(kNotice)));
  Terminal greedy("run " + model_ + " Once --max-tokens 3 --greedy --verbose", nullptr);
  ASSERT_NO_FATAL_FAILURE(greedy.WaitFor("sampling: the most likely token\r\n"));
  EXPECT_EQ(greedy.Wait(), 0);
  Terminal quiet("run " + model_ + " Once --max-tokens 3 --greedy", nullptr);
  ASSERT_NO_FATAL_FAILURE(quiet.WaitFor("\r\n"));
  EXPECT_EQ(quiet.Wait(), 0);
  EXPECT_THAT(quiet.screen(), Not(HasSubstr("sampling: ")));
}

}  // namespace
}  // namespace rondo
