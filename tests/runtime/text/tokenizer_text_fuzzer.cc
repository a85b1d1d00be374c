// Any bytes as a text: it has ids, and these have a text, the same at once and piece by piece.
#include "runtime/text/stream_decoder.h"
#include "tests/runtime/text/damaged_tokenizer.h"
#include "tests/support/fuzzing.h"

namespace {

using rondo::Tokenizer;

constexpr size_t kTokenizers = 4;

const Tokenizer& GoodTokenizer(size_t i) {
  using rondo::testing::CompileJson;
  static const std::unique_ptr<rondo::testing::CompiledTokenizer> tables[kTokenizers] = {
      CompileJson(rondo::testing::ByteLevelJson()),
      CompileJson(rondo::testing::SentencePieceJson()), CompileJson(rondo::testing::UnigramJson()),
      std::make_unique<rondo::testing::CompiledTokenizer>(std::filesystem::path(RONDO_TEST_DATA) /
                                                          "tiny")};
  static const std::unique_ptr<Tokenizer> all[kTokenizers] = {
      tables[0]->Create(), tables[1]->Create(), tables[2]->Create(), tables[3]->Create()};
  return *all[i];
}

std::string Stream(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  std::string text;
  std::vector<char> buffer(rondo::StreamDecoder::MaxTextBytes(tokenizer));
  rondo::StreamDecoder decoder;
  decoder.Begin(tokenizer, false, rondo::StreamDecoder::Start::kText);
  for (size_t i = 0; i <= ids.size(); ++i) {
    rondo::TextSink sink{buffer};
    if (i < ids.size()) {
      decoder.Append(tokenizer, ids[i], sink);
    } else {
      decoder.Flush(sink);
    }
    text.append(buffer.data(), sink.size);
  }
  return text;
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
  const Tokenizer& tokenizer = GoodTokenizer(data[0] % kTokenizers);
  const std::string text = AsInput(data + 1, size - 1);
  const std::vector<int32_t> ids = rondo::testing::Encode(tokenizer, text, size % 2 == 0);
  EXPECT_EQ(Stream(tokenizer, ids), rondo::testing::Decode(tokenizer, ids));
  return 0;
}
