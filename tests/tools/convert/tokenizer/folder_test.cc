// Which file of a folder is the tokenizer, what the files beside it say, and what is refused.
#include "tools/convert/tokenizer/folder.h"

#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/tools/error_of.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert::folder_test {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<int32_t>;

class Folder : public ::testing::Test {
 protected:
  Folder()
      : path_(fs::path(::testing::TempDir()) /
              (std::string("folder_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::string Message() const {
    return SentenceOf([&] { const rondo::test::CompiledTokenizer compiled(path_); });
  }

  const fs::path path_;
};

// "a" 0, "b" 1, " " 2, "ab" 3, " ab" 4.
const std::string kRanks = "YQ== 0\nYg== 1\nIA== 2\nYWI= 3\r\nIGFi 4\n";

TEST_F(Folder, TakesTheFirstOfTheKnownFiles) {
  EXPECT_EQ(FindTokenizer(path_), fs::path());
  EXPECT_EQ(FindTokenizer(path_ / "nothing"), fs::path());
  Write("qwen.tiktoken", kRanks);
  EXPECT_EQ(FindTokenizer(path_).filename(), "qwen.tiktoken");
  Write("tokenizer.model", "");
  EXPECT_EQ(FindTokenizer(path_).filename(), "tokenizer.model");
  Write("tokenizer.json", "{}");
  EXPECT_EQ(FindTokenizer(path_).filename(), "tokenizer.json");
}

TEST_F(Folder, RefusesToChoose) {
  Write("qwen.tiktoken", kRanks);
  Write("gpt2.tiktoken", kRanks);
  EXPECT_NE(Message().find("expected one tokenizer"), std::string::npos) << Message();
}

TEST_F(Folder, TiktokenByName) {
  Write("gpt2.tiktoken", kRanks);
  const rondo::test::CompiledTokenizer compiled(path_);
  const auto tokenizer = compiled.Create();
  EXPECT_EQ(rondo::test::Encode(*tokenizer, "ab ab ba"), (Ids{3, 4, 2, 1, 0}));
  EXPECT_EQ(ReadFolderTokenizer(path_ / "gpt2.tiktoken").notes.size(), 2u);
}

TEST_F(Folder, TiktokenWithItsConfig) {
  Write("my.tiktoken", kRanks);
  EXPECT_NE(Message().find("does not say how it splits text"), std::string::npos) << Message();
  Write("tokenizer_config.json", R"({"pat_str": "a|[^a]", "add_bos_token": true,
      "bos_token": "<x>", "added_tokens_decoder": {
        "7": {"content": "<x>", "special": true}, "9": {"content": "yy", "rstrip": true}}})");
  EXPECT_EQ(ReadFolderTokenizer(path_ / "my.tiktoken").notes.size(), 0u);
  const rondo::test::CompiledTokenizer compiled(path_);
  const auto tokenizer = compiled.Create();
  EXPECT_EQ(rondo::test::Encode(*tokenizer, "abyy  ab", true), (Ids{7, 0, 1, 9, 0, 1}));
  EXPECT_TRUE(tokenizer->IsSpecial(7));
  EXPECT_FALSE(tokenizer->IsSpecial(9));
}

TEST_F(Folder, RefusesDamagedRanks) {
  const auto message = [&](const std::string& text) {
    Write("gpt2.tiktoken", text);
    return Message();
  };
  EXPECT_NE(message("").find("has no tokens"), std::string::npos);
  EXPECT_NE(message(kRanks + "YQ==").find("line 6 is not a token and its rank"), std::string::npos);
  EXPECT_NE(message("Y*== 1\n").find("line 1 has a token that is not base64"), std::string::npos);
  EXPECT_NE(message("YQ= 1\n").find("not base64"), std::string::npos);
  EXPECT_NE(message(" 1\n").find("not base64"), std::string::npos);
  EXPECT_NE(message("YQ== -1\n").find("rank that is not"), std::string::npos);
  EXPECT_NE(message("YQ== 1x\n").find("rank that is not"), std::string::npos);
  EXPECT_NE(message("YQ== 99999999999999999999\n").find("rank that is not"), std::string::npos);
  EXPECT_NE(message("YQ== 1\nYg== 1\n").find("gives id 1"), std::string::npos);
}

TEST_F(Folder, RefusesDamagedConfigs) {
  Write("gpt2.tiktoken", kRanks);
  const auto message = [&](const std::string& text) {
    Write("tokenizer_config.json", text);
    return Message();
  };
  EXPECT_NE(message("[").find("tokenizer_config.json: line 1, column 2: not JSON"),
            std::string::npos);
  EXPECT_NE(message(R"({"add_bos_token": "yes"})").find("add_bos_token is of type string"),
            std::string::npos);
  EXPECT_NE(message(R"({"added_tokens_decoder": [1]})").find("added_tokens_decoder is not"),
            std::string::npos);
  EXPECT_NE(message(R"({"added_tokens_decoder": {"x": {"content": "a"}}})")
                .find("added_tokens_decoder.x is not"),
            std::string::npos);
  EXPECT_NE(message(R"({"added_tokens_decoder": {"8": {"special": true}}})")
                .find("added_tokens_decoder.8.content is missing"),
            std::string::npos);
  EXPECT_NE(message(R"({"added_tokens_decoder": {"4": {"content": "zz"}}})").find("id 4"),
            std::string::npos);
  EXPECT_EQ(message("{}"), "");
  Write("added_tokens.json", R"({"zz": -5})");
  EXPECT_NE(Message().find("added_tokens.json: ['zz'] is -5"), std::string::npos) << Message();
}

}  // namespace
}  // namespace rondo::convert::folder_test
