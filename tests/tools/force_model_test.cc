// Every command that writes: files of other kinds stay, but for --force.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "rondo/rondo.h"
#include "tests/support/places.h"
#include "tests/tools/run_tool.h"

namespace rondo {
namespace {

using testing::HasSubstr;

constexpr const char* kForeign = "what somebody wrote";

class ForceTest : public testing::Test {
 protected:
  // `command` runs the tool for an output file, with "" or "--force " among its arguments.
  template <typename Command>
  void Expect(const char* kind, const std::string& begin, const Command& command,
              const std::string& advice = "--force") {
    const std::string out = tool_.Path("target"), quoted = "'" + out + "'";
    tool_.Write("target", kForeign);
    const ToolResult refused = command(quoted, "");
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err,
                testing::EndsWith("rondo: " + out + " exists and is not " + kind +
                                  "; choose another name, or replace it with " + advice + "\n"));
    EXPECT_EQ(tool_.Read("target"), kForeign);
    const ToolResult forced = command(quoted, "--force ");
    EXPECT_EQ(forced.code, 0) << forced.err;
    EXPECT_EQ(tool_.Read("target").substr(0, begin.size()), begin);
    const ToolResult again = command(quoted, "");  // its own kind
    EXPECT_EQ(again.code, 0) << again.err;

    std::filesystem::create_directory(tool_.Path("folder"));
    EXPECT_THAT(command("'" + tool_.Path("folder") + "'", "--force ").err,
                HasSubstr("/folder is a folder; name a file in it"));
    std::filesystem::remove(tool_.Path("link"));
    std::filesystem::create_symlink("target", tool_.Path("link"));
    EXPECT_THAT(command("'" + tool_.Path("link") + "'", "--force ").err,
                HasSubstr("/link is a symbolic link"));
    EXPECT_THAT(command("/no/such/folder/x", "").err,
                HasSubstr("cannot create /no/such/folder/x: No such file"));
  }

  ToolRunner tool_;
  const std::string tiny_ = std::string(kTestData) + "/tiny";
  std::string model_ = tool_.Convert(tiny_, "q8");
};

TEST_F(ForceTest, Convert) {
  Expect("a Rondo file", "RNDO", [&](const std::string& out, const std::string& force) {
    return tool_("convert '" + tiny_ + "' " + force + "-o " + out);
  });
}

TEST_F(ForceTest, Pack) {
  Expect("a Rondo file", "RNDO", [&](const std::string& out, const std::string& force) {
    return tool_("pack " + model_ + " " + force + "-o " + out);
  });
}

TEST_F(ForceTest, Logits) {
  Expect("a NumPy file", "\x93NUMPY", [&](const std::string& out, const std::string& force) {
    return tool_("logits " + model_ + " --ids 1,2 " + force + "-o " + out);
  });
}

TEST_F(ForceTest, BenchPlot) {
  Expect("an SVG picture", "<svg ", [&](const std::string& out, const std::string& force) {
    return tool_("bench " + model_ + " -p 0 -n 2 --reps 1 " + force + "--plot " + out);
  });
}

TEST_F(ForceTest, ChatSave) {
  int64_t has_chat = 0;
  rondo_query("chat", &has_chat);
  if (has_chat == 0) GTEST_SKIP() << "built without chat templates";
  tool_.Write("template", "{% for m in messages %}{{ m.content }}\n{% endfor %}");
  Expect(
      "a saved conversation", "[\n  {\n    \"role\": \"user\"",
      [&](const std::string& out, const std::string& force) {
        std::string path = out;
        std::erase(path, '\'');  // no shell reads it
        tool_.Write("input", "Hello\n/save " + force + path + "\n");
        return tool_("chat " + model_ + " --max-tokens 2 --template '" + tool_.Path("template") +
                     "' < '" + tool_.Path("input") + "'");
      },
      "/save --force FILE");
}

// Where no option replaces a file, none is named.
TEST_F(ForceTest, FilesThatNothingReplaces) {
  tool_.Write("target", kForeign);
  tool_.Write("template", "{{ messages }}");
  const std::string out = tool_.Path("target");
  EXPECT_THAT(tool_("run " + model_ + " x --max-tokens 1 --trace '" + out + "'").err,
              testing::EndsWith(out + " exists and is not a trace; choose another name\n"));
  EXPECT_THAT(
      tool_("chat " + model_ + " --template '" + tool_.Path("template") + "' --session '" + out +
            "' < /dev/null")
          .err,
      testing::EndsWith(out + " exists and is not a saved conversation; choose another name\n"));
  EXPECT_EQ(tool_.Read("target"), kForeign);
}

}  // namespace
}  // namespace rondo
