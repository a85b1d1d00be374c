// After its creation a tokenizer asks for no memory, whatever the text does to it.
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/count_allocations.h"
#include "tests/support/places.h"

namespace rondo {
namespace {

#ifdef RONDO_COUNTS_ALLOCATIONS

void ExpectNoAllocation(const test::CompiledTokenizer& compiled) {
  const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
  ASSERT_NE(tokenizer, nullptr);
  std::vector<std::string> texts = {"",
                                    "Today's weather <s> is 123 n\u00EFce, e\u0323\u0307 \xFF!",
                                    std::string(300'000, 'a'),
                                    std::string(300'000, ' '),
                                    std::string(3'000'000, '\n'),
                                    std::string(100'000, 'z')};
  std::vector<int32_t> ids(4'000'000);
  std::vector<char> out(1'000'000);
  const Counted counted;
  for (const std::string& text : texts) {
    size_t count = 0;
    (void)tokenizer->Encode(text, true, ids, &count);
    (void)tokenizer->Encode(text, true, {}, &count);
    size_t size = 0;
    (void)tokenizer->Decode(std::span(ids).first(count), true, out, &size);
    StreamDecoder decoder;
    decoder.Begin(*tokenizer, true, StreamDecoder::Start::kContinuation);
    for (size_t i = 0; i < std::min<size_t>(count, 100); ++i) {
      TextSink sink{out};
      decoder.Append(*tokenizer, ids[i], sink);
    }
  }
  (void)tokenizer->CheckGolden();
  (void)tokenizer->AddedTokenId("<s>");
  EXPECT_EQ(counted.count(), 0);
}

TEST(TokenizerAllocation, TheCounterSeesCreation) {
  const test::CompiledTokenizer compiled(std::filesystem::path(kTestData) / "tiny");
  const Counted counted;
  const auto tokenizer = Tokenizer::Create(compiled.tables(), compiled.tables().vocab_size());
  EXPECT_GT(counted.count(), 5);
}

TEST(TokenizerAllocation, NoneForTheTinyModel) {
  ExpectNoAllocation(test::CompiledTokenizer(std::filesystem::path(kTestData) / "tiny"));
}

// A group that repeats keeps a frame for each round: the pattern's memory grows to its limit.
TEST(TokenizerAllocation, NoneForAPatternThatNeedsMemory) {
  test::SmallJson json;
  json.normalizer = R"({"type": "NFC"})";
  json.pre_tokenizer = R"({"type": "Sequence", "pretokenizers": [
      {"type": "Split", "behavior": "Isolated", "invert": false,
       "pattern": {"Regex": "(?:z|zz)+|\\s+|[^z\\s]+"}},
      {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})";
  for (const char* token : {"a", "z", "\u0120"}) json.Token(token);
  json.Merge("a", "a");
  json.Added("<s>", true, true);
  ExpectNoAllocation(*test::CompileJson(json.Text()));
}

#else

TEST(TokenizerAllocation, NoneForTheTinyModel) {
  GTEST_SKIP() << "this build's allocator cannot be counted";
}

#endif

}  // namespace
}  // namespace rondo
