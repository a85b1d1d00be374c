// `rondo run` says the same whatever proposes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/places.h"
#include "tests/tools/run_tool.h"

namespace rondo::tools {
namespace {

TEST(RunSpeculation, ChangesNoText) {
  ToolRunner tool;
  const std::string tiny = std::string(kTestData) + "/tiny";
  const std::string model = tool.Convert(tiny, "q8"), draft = tool.Convert(tiny, "q4b");
  const std::string run =
      "run " + model + " 'Once upon a time' --max-tokens 80 --greedy --verbose ";
  const ToolResult off = tool(run + "--speculate off");
  ASSERT_EQ(off.code, 0) << off.err;
  EXPECT_THAT(off.err, testing::Not(testing::HasSubstr("drafts: ")));
  for (const std::string& how :
       {std::string(), std::string("--speculate lookup"), "--draft " + draft}) {
    const ToolResult result = tool(run + how);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, off.out) << how;
  }
  EXPECT_THAT(tool(run + "--draft " + draft).err, testing::HasSubstr("drafts: "));
}

TEST(RunSpeculation, WrongUsageIsTwo) {
  ToolRunner tool;
  for (const char* arguments :
       {"--speculate maybe", "--speculate", "--draft x --speculate lookup"}) {
    EXPECT_EQ(tool(std::string("run x y ") + arguments).code, 2) << arguments;
  }
  const std::string model = tool.Convert(std::string(kTestData) + "/tiny", "q8");
  EXPECT_EQ(tool("run " + model + " x --draft /no/such/file").code, 1);
  EXPECT_THAT(tool("run " + model + " x --speculate head").err,
              testing::HasSubstr("has no draft head"));
}

}  // namespace
}  // namespace rondo::tools
