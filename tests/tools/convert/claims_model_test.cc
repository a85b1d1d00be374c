// What README and --help say of `rondo convert`, each with the command that a user would type; what
// comes out is run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/environment.h"
#include "tests/support/places.h"
#include "tests/tools/run_tool.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ConvertClaims : public testing::Test {
 protected:
  ConvertClaims() {
    fs::copy(fs::path(kTestData) / "tiny", folder_, fs::copy_options::recursive);
    std::string text;
    for (int i = 0; i < 200; ++i) text += "Once upon a time there was a little girl. ";
    tool_.Write("book.txt", text);
  }
  void ExpectMade(const std::string& arguments) {
    const ToolResult made = tool_("convert " + arguments + " -o " + out_);
    EXPECT_EQ(made.code, 0) << arguments << ": " << made.err;
    const ToolResult run = tool_("run " + out_ + " 'Once upon' --max-tokens 4");
    EXPECT_EQ(run.code, 0) << arguments << ": " << run.err;
    EXPECT_NE(run.out, "") << arguments;
    EXPECT_EQ(tool_("inspect " + out_ + " --check").code, 0) << arguments;
  }

  ToolRunner tool_;
  const std::string folder_ = tool_.Path("model"), out_ = tool_.Path("out.rondo");
};

TEST_F(ConvertClaims, EveryFormat) {
  for (const char* weights : {"f32", "q8", "q4", "q3", "q4b", "q4b --block 64"}) {
    ExpectMade(folder_ + " --weights " + weights);  // over the one before
  }
  for (const char* embedding : {"f32", "q8", "q4", "q3", "q4b"}) {
    ExpectMade(folder_ + " --embedding " + embedding);
  }
}

TEST_F(ConvertClaims, WeightsChosenByAText) {
  const std::string by_text = " --calibrate " + tool_.Path("book.txt");
  for (const char* weights : {"q4", "q3", "q4b", "auto", "auto --bits 5"}) {
    ExpectMade(folder_ + " --weights " + weights + by_text);
  }
}

TEST_F(ConvertClaims, AModelOfAHubThatIsInTheLocalCache) {
  const fs::path model = tool_.Path("hub/models--me--it");
  fs::create_directories(model / "snapshots");
  fs::create_directories(model / "refs");
  fs::copy(folder_, model / "snapshots" / "abc", fs::copy_options::recursive);
  tool_.Write("hub/models--me--it/refs/main", "abc");
  SetVariable("HF_HUB_CACHE", tool_.Path("hub").c_str());
  ExpectMade("me/it");
  const ToolResult absent = tool_("convert me/other -o " + out_);
  UnsetVariable("HF_HUB_CACHE");
  EXPECT_EQ(absent.code, 1);
  EXPECT_THAT(absent.err, HasSubstr("`rondo pull me/other` downloads it"));
}

TEST_F(ConvertClaims, TheFileAppearsWholeOrNotAtAll) {
  fs::resize_file(fs::path(folder_) / "model.safetensors", 1000);
  EXPECT_EQ(tool_("convert " + folder_ + " -o " + out_).code, 1);
  for (const auto& entry : fs::directory_iterator(fs::path(out_).parent_path())) {
    EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr("out.rondo")));
  }
}

}  // namespace
}  // namespace rondo::convert
