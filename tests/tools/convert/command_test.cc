// `rondo convert` as a program: what it prints, and its exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/tools/convert/random_checkpoint.h"
#include "tests/tools/run_tool.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class ConvertCommand : public testing::Test {
 protected:
  ConvertCommand() : model_(tool_.Path("model")), out_(tool_.Path("out.rondo")) {
    WriteRandomCheckpoint(model_, {});
  }
  ToolRunner tool_;
  const std::string model_, out_;
};

TEST_F(ConvertCommand, ConvertsAndSaysWhat) {
  const ToolResult outcome =
      tool_("convert " + model_ + " -o " + out_ + " --weights q4b --block 128");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("LlamaForCausalLM, 2,992 parameters"),
                                 HasSubstr("note: no tokenizer.json")));
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(fs::exists(out_));
}

TEST_F(ConvertCommand, EmbeddingsAreInt8BesideFourBits) {
  for (const std::string weights : {"q4", "q4b"}) {
    const std::string convert = "convert " + model_ + " -o " + out_ + " --weights " + weights;
    tool_(convert);
    const auto q8_embedding = fs::file_size(out_);
    tool_(convert + " --embedding q8");
    EXPECT_EQ(fs::file_size(out_), q8_embedding) << weights;
    tool_(convert + " --embedding f32");
    EXPECT_GT(fs::file_size(out_), q8_embedding) << weights;
  }
}

TEST_F(ConvertCommand, FailsWithOneSentence) {
  fs::remove(fs::path(model_) / "model.safetensors");
  const ToolResult outcome = tool_("convert " + model_ + " -o " + out_);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "rondo: " + model_ +
                             " holds neither model.safetensors nor model.safetensors.index.json\n");
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(ConvertCommand, TellsWrongUsage) {
  for (const std::string& arguments :
       {std::string("convert"), "convert " + model_,
        "convert " + model_ + " -o " + out_ + " --weights q4b --block 48",
        "convert " + model_ + " -o " + out_ + " --block 32",
        "convert " + model_ + " -o " + out_ + " --weights q4 --block 32",
        "convert " + model_ + " -o " + out_ + " --weights q5"}) {
    EXPECT_EQ(tool_(arguments).code, 2) << arguments;
  }
  const ToolResult help = tool_("convert --help");
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("Examples:"), HasSubstr("--embedding")));
}

}  // namespace
}  // namespace rondo::convert
