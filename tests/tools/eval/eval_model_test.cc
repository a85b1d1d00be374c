// What `rondo eval` begins chunks with.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/run_tool.h"

namespace rondo {
namespace {

using nlohmann::json;

class EvalTool : public testing::Test {
 protected:
  EvalTool() {
    std::filesystem::copy(std::string(kTestData) + "/tiny", folder_,
                          std::filesystem::copy_options::recursive);
    std::string text;
    for (int i = 0; i < 40; ++i) text += "Once there was a girl of " + std::to_string(i) + ". ";
    tool_.Write("text", text);
  }

  void Change(const char* file, const char* key) const {
    const std::filesystem::path path = std::filesystem::path(folder_) / file;
    std::ifstream in(path);
    json value = json::parse(in);
    value[key] = nullptr;
    std::ofstream(path) << value;
  }
  double Perplexity() const {
    const ToolResult made =
        tool_("convert '" + folder_ + "' -o '" + tool_.Path("m.rondo") + "' --weights q8 --force");
    EXPECT_EQ(made.code, 0) << made.err;
    const ToolResult judged = tool_("eval '" + tool_.Path("m.rondo") + "' --context 16 --json " +
                                    "--text '" + tool_.Path("text") + "'");
    EXPECT_EQ(judged.code, 0) << judged.err;
    return json::parse(judged.out).at("perplexity").get<double>();
  }

  ToolRunner tool_;
  const std::string folder_ = tool_.Path("model");
};

// As Qwen2.5 has it: a BOS in the config, which its tokenizer never writes.
TEST_F(EvalTool, BeginsChunksAsTheTokenizerBeginsTexts) {
  const double with_bos = Perplexity();
  Change("config.json", "bos_token_id");
  Change("generation_config.json", "bos_token_id");
  EXPECT_EQ(Perplexity(), with_bos);
  Change("tokenizer.json", "post_processor");
  const double without = Perplexity();
  EXPECT_NE(without, with_bos);
  std::filesystem::copy_file(std::string(kTestData) + "/tiny/config.json", folder_ + "/config.json",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(Perplexity(), without);
}

}  // namespace
}  // namespace rondo
