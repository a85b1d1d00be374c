// The tiny model's tokenizer, compiled: what it must know, and what a damaged file is told.
#include "tools/convert/tokenizer/compile_tokenizer.h"

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"

namespace rondo::convert {
namespace {

using rondo::testing::CompiledTokenizer;
using rondo::testing::Decode;
using rondo::testing::Encode;

TEST(CompileTokenizer, TinyRoundTrip) {
  const CompiledTokenizer compiled(std::filesystem::path(RONDO_TEST_DATA) / "tiny");
  const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->vocab_size(), 2048u);
  EXPECT_EQ(tokenizer->AddedTokenId("<|eos|>"), 1);
  EXPECT_EQ(tokenizer->AddedTokenId("<|EOS|>"), -1);
  EXPECT_TRUE(tokenizer->IsSpecial(0));
  EXPECT_FALSE(tokenizer->IsSpecial(3));
  EXPECT_EQ(tokenizer->settings().golden()->size(), 12u);
  EXPECT_TRUE(tokenizer->CheckGolden().ok());

  const std::string text = "Today's weather is so\n  n\u00EFce, \u4F60\u597D 12345<|eos|>!";
  const std::vector<int32_t> ids = Encode(*tokenizer, text, /*add_special=*/true);
  EXPECT_EQ(ids.front(), 0);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 1), 1);
  EXPECT_EQ(Decode(*tokenizer, ids, /*skip_special=*/false), "<|bos|>" + text);
}

}  // namespace
}  // namespace rondo::convert
