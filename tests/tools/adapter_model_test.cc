// The tool with an adapter: made for a model, told of, run with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/places.h"
#include "tests/tools/run_tool.h"

namespace rondo {
namespace {

using testing::HasSubstr;

class AdapterTool : public testing::Test {
 protected:
  void SetUp() override {
    const ToolResult made = tool_("convert '" + std::string(kTestData) + "/tiny_adapter' " +
                                  "--adapter-for " + model_ + " -o " + adapter_);
    ASSERT_EQ(made.code, 0) << made.err;
  }
  std::string Output(const std::string& arguments) const {
    const ToolResult result = tool_(arguments);
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.err;
    return result.out;
  }

  ToolRunner tool_;
  const std::string model_ = tool_.Convert(std::string(kTestData) + "/tiny", "q8");
  const std::string adapter_ = "'" + tool_.Path("adapter.rondo") + "'";
};

TEST_F(AdapterTool, InspectTellsOfAnAdapterAndPlansForIt) {
  const std::string plain = "inspect " + model_, with = plain + " --adapter " + adapter_;
  EXPECT_THAT(Output(with),
              HasSubstr(Output(plain) + "adapter           rank 4 at most, changes "));
  EXPECT_THAT(Output(with + " --check"), HasSubstr("adapter.rondo: every checksum is right\n"));
  EXPECT_NE(Output(with + " --plan"), Output(plain + " --plan"));
  EXPECT_EQ(tool_(with + " --tensors").code, 2);
  EXPECT_EQ(tool_("inspect " + model_ + " --adapter " + model_).code, 1);
}

// PEFT sets right what fan_in_fan_out says of a module that lies otherwise. Of square matrices no
// shape tells.
TEST_F(AdapterTool, HowAMatrixLiesIsTheModulesToSay) {
  const auto merged = [&](const std::string& adapter) {
    Output("convert '" + std::string(kTestData) + "/tiny' --merge '" + adapter +
           "' --weights f32 --force -o '" + tool_.Path("merged.rondo") + "'");
    return tool_.Read("merged.rondo");
  };
  const std::string own = std::string(kTestData) + "/tiny_adapter",
                    turned = tool_.Path("tiny_adapter");
  std::filesystem::copy(own, turned);  // by the same name, which the file tells
  std::ifstream in(own + "/adapter_config.json");
  nlohmann::json config = nlohmann::json::parse(in);
  config["fan_in_fan_out"] = true;
  std::ofstream(turned + "/adapter_config.json") << config;
  EXPECT_TRUE(merged(own) == merged(turned));
}

TEST_F(AdapterTool, RunsWithAnAdapterOnlyWhereItIsGiven) {
  const std::string run = "run " + model_ + " 'Once upon a time' --greedy --max-tokens 16";
  const std::string text = Output(run + " --adapter " + adapter_);
  EXPECT_NE(text, Output(run));
  EXPECT_EQ(text, Output(run + " --adapter " + adapter_));
}

// The same numbers as the model's into which it is merged, but for their rounding.
TEST_F(AdapterTool, WritesLogitsWithAnAdapter) {
  const auto logits = [&](const std::string& arguments) {
    Output("logits " + arguments + " --ids 0,5,6,7 --kv f32 --force -o '" + tool_.Path("x.npy") +
           "'");
    const std::string bytes = tool_.Read("x.npy");
    std::vector<float> values(4 * 2048);  // tokens, vocabulary
    std::memcpy(values.data(), bytes.data() + bytes.size() - values.size() * sizeof(float),
                values.size() * sizeof(float));
    return values;
  };
  const std::string merged = tool_.Path("merged.rondo");
  Output("convert '" + std::string(kTestData) + "/tiny' --merge '" + kTestData +
         "/tiny_adapter' --weights f32 -o '" + merged + "'");
  const std::string plain = tool_.Convert(std::string(kTestData) + "/tiny", "f32");
  Output("convert '" + std::string(kTestData) + "/tiny_adapter' --adapter-for " + plain +
         " --force -o " + adapter_);
  const std::vector<float> with = logits(plain + " --adapter " + adapter_);
  const std::vector<float> expected = logits("'" + merged + "'"), without = logits(plain);
  float worst = 0, change = 0;
  for (size_t i = 0; i < with.size(); ++i) {
    worst = std::max(worst, std::abs(with[i] - expected[i]));
    change = std::max(change, std::abs(with[i] - without[i]));
  }
  EXPECT_LT(worst, 1e-3f * change);
  EXPECT_GT(change, 0.1f);
}

}  // namespace
}  // namespace rondo
