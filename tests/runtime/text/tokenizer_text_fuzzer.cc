// Any bytes as a text and as ids: a text has ids, these give it back where the tokenizer loses
// nothing, and the text of any ids is UTF-8.
#include "runtime/base/utf8.h"
#include "tests/runtime/text/damaged_tokenizer.h"
#include "tests/support/fuzzing.h"
#include "tests/support/places.h"

namespace {

using rondo::Tokenizer;

constexpr size_t kTokenizers = 4;
constexpr size_t kLossless = 3;  // the tiny model's: no normaliser, all bytes

const Tokenizer& GoodTokenizer(size_t i) {
  using rondo::test::CompileJson;
  static const std::unique_ptr<rondo::test::CompiledTokenizer> tables[kTokenizers] = {
      CompileJson(rondo::test::ByteLevelJson()), CompileJson(rondo::test::SentencePieceJson()),
      CompileJson(rondo::test::UnigramJson()),
      std::make_unique<rondo::test::CompiledTokenizer>(std::filesystem::path(rondo::kTestData) /
                                                       "tiny")};
  static const std::unique_ptr<Tokenizer> all[kTokenizers] = {
      tables[0]->Create(), tables[1]->Create(), tables[2]->Create(), tables[3]->Create()};
  return *all[i];
}

// With U+FFFD for what is not UTF-8.
std::string Repaired(const std::string& text) {
  std::string repaired;
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    const rondo::Utf8Step step = rondo::DecodeUtf8(at, end);
    uint8_t out[4];
    repaired.append(reinterpret_cast<const char*>(out), rondo::EncodeUtf8(step.code_point, out));
    at += step.length;
  }
  return repaired;
}

}  // namespace

std::vector<std::string> FirstInputs() {
  std::vector<std::string> inputs;
  for (size_t i = 0; i < kTokenizers; ++i) {
    inputs.push_back(static_cast<char>(i) +
                     std::string("Hello <|bos|>  wor1d 12\u00BD! \u4F60\u597D e\u0323\u0307 <s> "
                                 "x\xFF\xE2\x96<|eos|> it's  \n\n\t0123456789 \U0001F600"));
  }
  return inputs;
}

// The first byte chooses the tokenizer.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t number = data[0] % kTokenizers;
  const Tokenizer& tokenizer = GoodTokenizer(number);
  const std::string text = AsInput(data + 1, size - 1);
  const std::vector<int32_t> ids = rondo::test::Encode(tokenizer, text, false);
  const std::string back = rondo::test::Decode(tokenizer, ids);
  if (number == kLossless) EXPECT_EQ(back, Repaired(text));
  rondo::test::Encode(tokenizer, text, true);

  std::vector<uint8_t> plain(text.begin(), text.end());
  for (uint8_t& mark : plain) mark &= 4;
  size_t count = 0;
  (void)tokenizer.Encode(text, false, {}, &count, plain);
  std::vector<int32_t> plain_ids(count);
  const rondo::Status status = tokenizer.Encode(text, false, plain_ids, &count, plain);
  EXPECT_TRUE(status.ok()) << status.message();
  const std::string plain_back = rondo::test::Decode(tokenizer, plain_ids);
  if (number == kLossless) EXPECT_EQ(plain_back, Repaired(text));

  std::vector<int32_t> any;
  for (size_t i = 1; i + 1 < size; i += 2) {
    any.push_back(static_cast<int32_t>((data[i] | data[i + 1] << 8) % tokenizer.vocab_size()));
  }
  const std::string decoded = rondo::test::Decode(tokenizer, any, size % 2 == 0);
  EXPECT_EQ(decoded, Repaired(decoded));
  return 0;
}
