// `rondo run --trace`: a file that chrome://tracing reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/places.h"
#include "tests/tools/run_tool.h"

namespace rondo {
namespace {

using testing::HasSubstr;

class Trace : public testing::Test {
 protected:
  ToolResult Run(const std::string& options) {
    return tool_("run " + model_ + " 'Once upon a time' --greedy --max-tokens 5 " + options);
  }

  ToolRunner tool_;
  std::string model_ = tool_.Convert(std::string(kTestData) + "/tiny", "q8");
  std::string trace_ = "--trace '" + tool_.Path("trace.json") + "'";
};

TEST_F(Trace, IsJsonInTheFormatOfChrome) {
  const ToolResult plain = Run("");
  const ToolResult traced = Run(trace_);
  ASSERT_EQ(traced.code, 0) << traced.err;
  EXPECT_EQ(traced.out, plain.out);
  EXPECT_EQ(traced.err, plain.err);
  const auto trace = nlohmann::json::parse(tool_.Read("trace.json"));
  std::map<std::string, size_t> count;
  for (const auto& event : trace.at("traceEvents")) {
    ++count[event.at("name")];
    EXPECT_EQ(event.at("ph"), "X");
    EXPECT_GE(event.at("ts").get<double>(), 0);
    EXPECT_GE(event.at("dur").get<double>(), 0);
    EXPECT_EQ(event.at("pid"), 1);
    EXPECT_EQ(event.at("tid"), 1);
    if (event.at("name") == "product") {
      EXPECT_GT(event.at("args").at("inputs"), 0);
    }
  }
  EXPECT_EQ(count["sample"], 5u);
  EXPECT_EQ(count["pass"], 5u);    // the prompt, and four tokens more
  EXPECT_EQ(Run(trace_).code, 0);  // a trace may be replaced
}

TEST_F(Trace, ReplacesNothingElse) {
  tool_.Write("trace.json", "{\"mine\": 1}");
  const ToolResult refused = Run(trace_);
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("trace.json"));
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(tool_.Read("trace.json"), "{\"mine\": 1}");
}

}  // namespace
}  // namespace rondo
