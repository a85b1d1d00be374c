// `rondo convert` of a text's GGUF file with what sees for it in a file beside: what it makes
// computes as what the folder of the same checkpoint becomes does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/places.h"
#include "tests/tools/common/pictures/encoders.h"
#include "tests/tools/convert/seeing_gguf.h"
#include "tests/tools/run_tool.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class MmprojModel : public testing::Test {
 protected:
  MmprojModel() { SeeingText().Save(tool_.Path("text.gguf")); }

  ToolResult Convert(const std::string& flags = "") {
    return tool_("convert '" + tool_.Path("text.gguf") + "' -o '" + tool_.Path("gguf.rondo") +
                 "' --weights f32 " + flags);
  }
  std::string Refused(const std::string& flags = "") {
    const ToolResult result = Convert(flags);
    EXPECT_EQ(result.code, 1) << result.out;
    EXPECT_FALSE(fs::exists(tool_.Path("gguf.rondo")));
    return result.err;
  }
  std::string LogitsOf(const std::string& model) {
    const ToolResult result =
        tool_("logits '" + tool_.Path(model) + "' --kv f32 --image '" + tool_.Path("picture.png") +
              "' --prompt 'what is it' -o '" + tool_.Path("logits.npy") + "'");
    EXPECT_EQ(result.code, 0) << result.err;
    return tool_.Read("logits.npy");
  }

  ToolRunner tool_;
};

TEST_F(MmprojModel, ItSeesAsTheFolderDoes) {
  tool_.Write("picture.png", SmallPng());
  ASSERT_EQ(tool_("convert '" + std::string(kTestData) + "/seeing' -o '" +
                  tool_.Path("folder.rondo") + "' --weights f32")
                .code,
            0);
  const std::string expected = LogitsOf("folder.rondo");
  for (const bool is_swapped : {false, true}) {
    SeeingMmproj mmproj;
    mmproj.is_swapped = is_swapped;
    mmproj.Whole().Save(tool_.Path("mmproj-text.gguf"));
    const ToolResult converted = Convert();
    EXPECT_EQ(converted.code, 0) << converted.err;
    EXPECT_THAT(converted.out, AllOf(HasSubstr("mmproj-text.gguf, which lies beside it"),
                                     HasSubstr("; sees pictures, by weights in f32")));
    EXPECT_EQ(LogitsOf("gguf.rondo"), expected);
  }
}

TEST_F(MmprojModel, WhichOneIsTaken) {
  EXPECT_THAT(Convert().out, Not(HasSubstr("sees")));
  SeeingMmproj().Whole().Save(tool_.Path("MMPROJ-a.gguf"));
  EXPECT_THAT(Convert().out, HasSubstr("sees pictures"));
  const ToolResult blind = Convert("--text-only");
  EXPECT_EQ(blind.code, 0) << blind.err;
  EXPECT_THAT(blind.out, Not(HasSubstr("sees")));

  SeeingMmproj().Whole().Save(tool_.Path("b-mmproj.gguf"));
  fs::remove(tool_.Path("gguf.rondo"));
  EXPECT_THAT(Refused(), AllOf(HasSubstr("2 files of what sees for a model, MMPROJ-a.gguf, "
                                         "b-mmproj.gguf: --mmproj names the one to take"),
                               HasSubstr("--text-only")));
  const ToolResult named = Convert("--mmproj '" + tool_.Path("b-mmproj.gguf") + "'");
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_THAT(named.out, AllOf(HasSubstr("sees pictures"), Not(HasSubstr("beside"))));
}

TEST_F(MmprojModel, WhatDoesNotGoWithIt) {
  const std::string mmproj = tool_.Path("other.gguf"), flag = "--mmproj '" + mmproj + "'";
  EXPECT_THAT(Refused(flag), HasSubstr("other.gguf does not exist"));
  tool_.Write("other.gguf", "text");
  EXPECT_THAT(Refused(flag), HasSubstr("other.gguf is no GGUF file, as a mmproj is"));
  SeeingText().Save(mmproj);
  EXPECT_THAT(Refused(flag), HasSubstr("other.gguf is no mmproj"));
  EXPECT_EQ(Convert(flag + " --text-only").code, 2);
  const ToolResult folder = tool_("convert '" + std::string(kTestData) + "/seeing' " + flag +
                                  " -o '" + tool_.Path("x.rondo") + "'");
  EXPECT_EQ(folder.code, 1);
  EXPECT_THAT(folder.err, HasSubstr("other.gguf goes with a GGUF file"));
}

}  // namespace
}  // namespace rondo::convert
