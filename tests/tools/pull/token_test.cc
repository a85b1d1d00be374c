// The hub's token, from where its own clients keep it.
#include "tools/pull/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/environment.h"
#include "tests/temp_folder.h"
#include "tests/tools/error_of.h"

namespace rondo::tools {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kVariables[] = {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH",
                                      "HF_HOME", "HF_HUB_DISABLE_IMPLICIT_TOKEN"};

class HubTokenTest : public testing::Test {
 protected:
  HubTokenTest() {
    Clear();
    SetVariable("HF_HOME", home_.path().c_str());
  }
  ~HubTokenTest() override { Clear(); }

  static void Clear() {
    for (const char* name : kVariables) UnsetVariable(name);
  }
  void WriteFile(const std::string& name, const std::string& text) const {
    std::ofstream(home_ / name, std::ios::binary) << text;
  }
  static std::string Refusal() { return SentenceOf(HubToken); }

  TempFolder home_;
};

TEST_F(HubTokenTest, IsOfTheVariableOrOfTheFile) {
  EXPECT_EQ(HubToken(), "");
  WriteFile("token", "hf_of_the_file\n");
  EXPECT_EQ(HubToken(), "hf_of_the_file");
  WriteFile("other", "hf_of_another");
  SetVariable("HF_TOKEN_PATH", "$HF_HOME/other");
  EXPECT_EQ(HubToken(), "hf_of_another");
  SetVariable("HUGGING_FACE_HUB_TOKEN", "hf_old");
  EXPECT_EQ(HubToken(), "hf_old");
  SetVariable("HF_TOKEN", "hf_new");
  EXPECT_EQ(HubToken(), "hf_new");
  SetVariable("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1");
  EXPECT_EQ(HubToken(), "");
}

TEST_F(HubTokenTest, IsWithoutTheWhiteSpaceAroundIt) {
  SetVariable("HF_TOKEN", " \thf_secret \r\n");
  EXPECT_EQ(HubToken(), "hf_secret");
  WriteFile("token", "hf_of_the_file");
  SetVariable("HF_TOKEN", " \n");
  EXPECT_EQ(HubToken(), "hf_of_the_file");
}

TEST_F(HubTokenTest, IsOneWord) {
  for (const std::string between : {"\n", "\r", "\r\n"}) {
    SetVariable("HF_TOKEN", ("hf_secret" + between + "X-Other: 1").c_str());
    EXPECT_THAT(Refusal(), AllOf(HasSubstr("HF_TOKEN holds a token with a line break"),
                                 Not(HasSubstr("secret"))));
  }
  SetVariable("HF_TOKEN", "hf_se\xc3\xa9 ret");
  EXPECT_THAT(Refusal(), HasSubstr("HF_TOKEN holds a token with a byte of value 195"));
  UnsetVariable("HF_TOKEN");
  WriteFile("token", std::string("hf_a\0b", 6));
  EXPECT_THAT(Refusal(), AllOf(HasSubstr("token file"), HasSubstr("a byte of value 0")));
  WriteFile("token", std::string(5000, 'x'));
  EXPECT_THAT(Refusal(), HasSubstr("has more than 4096 bytes"));
  SetVariable("HF_TOKEN_PATH", home_.path().c_str());
  EXPECT_THAT(Refusal(), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace rondo::tools
