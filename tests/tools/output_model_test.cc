// What the tool prints: all of it or an error, and nothing that a terminal obeys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#if !defined(_WIN32)
#include <sys/wait.h>
#endif

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "rondo/rondo.h"
#include "tests/support/places.h"
#include "tests/tools/run_tool.h"

namespace rondo::output_model_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kHostile =
    "evil\x1b]0;title\x07\x1b[2J\nrondo: all is well\xc2\x9b"
    "31m";

// Whether it holds what a terminal would obey.
bool IsObeyed(const std::string& text) {
  return text.find_first_of("\x1b\x07\r\x7f") != std::string::npos ||
         text.find("\xc2\x9b") != std::string::npos;
}

class OutputTest : public testing::Test {
 protected:
  // A model is called what its folder is.
  std::string Convert(const std::string& name) {
    const fs::path folder = fs::path(tool_.Path("models")) / name;
    fs::create_directories(folder.parent_path());
    fs::copy(std::string(kTestData) + "/tiny", folder);
    return tool_.Convert(folder.string(), "q8");
  }

  ToolRunner tool_;
};

// Every command, as it would print something.
std::vector<std::string> Commands(const ToolRunner& tool, const std::string& model) {
  const std::string out = tool.Path("out");
  const std::string checkpoint = std::string(kTestData) + "/tiny";
  return {"--help",
          "--version",
          "help run",
          "run --help",
          "convert '" + checkpoint + "' -o '" + tool.Path("c.rondo") + "'",
          "pack " + model + " -o '" + tool.Path("p.rondo") + "'",
          "run " + model + " Once --max-tokens 2",
          "inspect " + model,
          "inspect " + model + " --plan",
          "inspect " + model + " --fit 1GiB",
          "inspect " + model + " --check",
          "inspect " + model + " --tensors",
          "logits " + model + " --ids 1,2 -o '" + tool.Path("l.npy") + "'",
          "eval " + model + " --context 16 --text '" + tool.Path("text") + "'",
          "eval " + model + " --context 16 --json --text '" + tool.Path("text") + "'",
          "bench " + model + " -p 8 -n 2 --reps 1",
          "bench " + model + " -p 8 -n 2 --reps 1 --csv",
          "bench " + model + " -p 8 -n 2 --reps 1 --json"};
}

TEST_F(OutputTest, WhatCannotBeWrittenIsAnError) {
#if defined(_WIN32)
  GTEST_SKIP() << "no device is full, and no shell closes a program's output";
#else
  const std::string model = Convert("plain");
  std::string text;
  for (int i = 0; i < 50; ++i) text += " one two";
  tool_.Write("text", text);
  for (const auto& [end, why] : {std::pair{" > /dev/full", "No space left on device"},
                                 std::pair{" >&-", "Bad file descriptor"}}) {
    for (const std::string& command : Commands(tool_, model)) {
      const std::string whole = std::string("'") + kToolProgram + "' " + command + end + " 2> '" +
                                tool_.Path("err") + "'";
      const int status = std::system(whole.c_str());  // NOLINT(cert-env33-c): what is tested
      EXPECT_EQ(WEXITSTATUS(status), 1) << command;
      EXPECT_THAT(tool_.Read("err"),
                  HasSubstr(std::string("rondo: cannot write to standard output: ") + why + "\n"))
          << command;
    }
  }
#endif
}

// A file that is opened first would have its number and get what is printed.
TEST_F(OutputTest, NoFileTakesThePlaceOfClosedOutput) {
#if defined(_WIN32)
  GTEST_SKIP() << "no shell closes a program's output here";
#else
  const std::string model = Convert("plain");
  const std::string whole = std::string("'") + kToolProgram + "' logits " + model +
                            " --ids 1,2 -o '" + tool_.Path("l.npy") + "' <&- >&- 2>&-";
  const int status = std::system(whole.c_str());  // NOLINT(cert-env33-c): what is tested
  EXPECT_EQ(WEXITSTATUS(status), 1);
  const std::string closed = tool_.Read("l.npy");
  EXPECT_EQ(tool_("logits " + model + " --ids 1,2 -o '" + tool_.Path("l.npy") + "'").code, 0);
  EXPECT_EQ(closed, tool_.Read("l.npy"));
#endif
}

TEST_F(OutputTest, TextOutOfFilesIsEscaped) {
#if defined(_WIN32)
  GTEST_SKIP() << "names of files hold nothing here that a terminal obeys";
#endif
  const std::string model = Convert(kHostile);
  for (const std::string flags : {"", " --plan", " --tensors", " --check"}) {
    const ToolResult result = tool_(std::string("inspect ").append(model).append(flags));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_FALSE(IsObeyed(result.out)) << flags;
    EXPECT_EQ(result.out.find("\nrondo: all"), std::string::npos);
    if (flags.empty()) {
      EXPECT_THAT(result.out, HasSubstr("evil\\x1b]0;title\\x07"));
    }
  }
  // Names of files, in results and in errors.
  const fs::path odd = fs::path(tool_.Path("folder")) / kHostile;
  fs::create_directories(odd.parent_path());
  const std::string quoted = "'" + odd.string() + "'";
  const std::vector<std::string> all_arguments = {"inspect " + quoted,
                                                  "run " + quoted + " x",
                                                  "convert " + quoted + " -o x.rondo",
                                                  "pack " + quoted,
                                                  "run " + model + " x " + quoted,
                                                  "eval " + model + " --text " + quoted,
                                                  "run " + model + " --policy " + quoted,
                                                  quoted,
                                                  "help " + quoted,
                                                  "run " + model + " --context " + quoted,
                                                  "bench --shape " + quoted};
  for (const std::string& arguments : all_arguments) {
    const ToolResult result = tool_(arguments);
    const std::string told = std::string(result.out).append(result.err);
    EXPECT_FALSE(IsObeyed(told)) << arguments << "\n" << result.err;
    EXPECT_EQ(told.find("\nrondo: all"), std::string::npos) << arguments;
    EXPECT_THAT(told, HasSubstr("\\x1b]0;title\\x07")) << arguments;
  }
}

TEST_F(OutputTest, WhatATemplateSaysIsEscaped) {
  int64_t has_chat = 0;
  rondo_query("chat", &has_chat);
  if (has_chat == 0) GTEST_SKIP() << "built without chat templates";
  const std::string model = Convert("plain");
  tool_.Write("refuses.jinja", "{{ raise_exception('no \x1b[2J\nrondo: all is well') }}");
  tool_.Write("input", "Hello\n");
  const ToolResult result = tool_("chat " + model + " --template '" + tool_.Path("refuses.jinja") +
                                  "' < '" + tool_.Path("input") + "'");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("no \\x1b[2J\\nrondo: all is well"));
  EXPECT_FALSE(IsObeyed(result.err));
}

}  // namespace
}  // namespace rondo::output_model_test
