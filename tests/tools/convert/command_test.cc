// `rondo convert` as a program: what it prints, and its exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>

#include "tests/temp_folder.h"
#include "tests/tools/convert/random_checkpoint.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Outcome {
  int exit_code;
  std::string text;  // stdout and stderr
};

Outcome RunTool(const std::string& arguments) {
  FILE* pipe = popen((RONDO_TOOL " " + arguments + " 2>&1").c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> buffer;
  while (size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.text.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

class ConvertCommand : public testing::Test {
 protected:
  ConvertCommand() : model_((folder_ / "model").string()), out_((folder_ / "out.rondo").string()) {
    WriteRandomCheckpoint(model_, {});
  }
  TempFolder folder_;
  const std::string model_, out_;
};

TEST_F(ConvertCommand, ConvertsAndSaysWhat) {
  const Outcome outcome =
      RunTool("convert " + model_ + " -o " + out_ + " --weights q4 --block 128");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("LlamaForCausalLM, 2992 parameters"),
                                  HasSubstr("note: no tokenizer.json"), Not(HasSubstr("left"))));
  EXPECT_TRUE(fs::exists(out_));
}

TEST_F(ConvertCommand, EmbeddingsAreInt8InAQ4File) {
  RunTool("convert " + model_ + " -o " + out_ + " --weights q4");
  const auto q8_embedding = fs::file_size(out_);
  RunTool("convert " + model_ + " -o " + out_ + " --weights q4 --embedding q8");
  EXPECT_EQ(fs::file_size(out_), q8_embedding);
  RunTool("convert " + model_ + " -o " + out_ + " --weights q4 --embedding f32");
  EXPECT_GT(fs::file_size(out_), q8_embedding);
}

TEST_F(ConvertCommand, FailsWithOneSentence) {
  fs::remove(fs::path(model_) / "model.safetensors");
  const Outcome outcome = RunTool("convert " + model_ + " -o " + out_);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(
      outcome.text,
      "rondo: " + model_ + " holds neither model.safetensors nor model.safetensors.index.json\n");
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(ConvertCommand, TellsWrongUsage) {
  for (const std::string& arguments : {std::string("convert"), "convert " + model_,
                                       "convert " + model_ + " -o " + out_ + " --block 48",
                                       "convert " + model_ + " -o " + out_ + " --weights q5"}) {
    EXPECT_EQ(RunTool(arguments).exit_code, 2) << arguments;
  }
  const Outcome help = RunTool("convert --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.text, AllOf(HasSubstr("Examples:"), HasSubstr("--embedding")));
}

}  // namespace
}  // namespace rondo::convert
