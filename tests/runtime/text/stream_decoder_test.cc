// Streaming: whole characters, no byte more or less than decoding all at once.
#include "runtime/text/stream_decoder.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/base/utf8.h"
#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/places.h"

namespace rondo {
namespace {

using test::CompileJson;
using test::Decode;
using test::SmallJson;

bool IsUtf8(std::string_view text) {
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    const Utf8Step step = DecodeUtf8(at, end);
    if (step.kind != Utf8Kind::kValid) return false;
    at += step.length;
  }
  return true;
}

// One decoder over all ids; checks each part by itself.
std::string Stream(const Tokenizer& tokenizer, const std::vector<int32_t>& ids, bool skip_special,
                   StreamDecoder::Start start = StreamDecoder::Start::kText) {
  std::string text;
  std::vector<char> buffer(StreamDecoder::MaxTextBytes(tokenizer));
  StreamDecoder decoder;
  decoder.Begin(tokenizer, skip_special, start);
  const auto take = [&](const TextSink& sink) {
    ASSERT_LE(sink.size, buffer.size());
    const std::string_view part(buffer.data(), sink.size);
    EXPECT_TRUE(IsUtf8(part));
    text += part;
  };
  for (const int32_t id : ids) {
    TextSink sink{buffer};
    decoder.Append(tokenizer, id, sink);
    take(sink);
  }
  TextSink sink{buffer};
  decoder.Flush(sink);
  take(sink);
  return text;
}

// What a decoder of whole byte strings would say, independent of the incremental one.
std::string Reference(const Tokenizer& tokenizer, const std::vector<int32_t>& ids,
                      bool skip_special) {
  std::string bytes;
  for (const int32_t id : ids) {
    if (skip_special && tokenizer.IsSkipped(id)) continue;
    for (const uint8_t byte : tokenizer.TokenBytes(id)) bytes += static_cast<char>(byte);
  }
  std::string text;
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  const auto* const end = at + bytes.size();
  while (at < end) {
    const Utf8Step step = DecodeUtf8(at, end);
    uint8_t out[4];
    text.append(reinterpret_cast<const char*>(out), EncodeUtf8(step.code_point, out));
    at += step.length;
  }
  for (uint32_t i = 0; i < tokenizer.settings().strip_start() && text.starts_with(' '); ++i) {
    text.erase(0, 1);
  }
  return text;
}

void CheckRandomIds(const Tokenizer& tokenizer, uint32_t seed) {
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::vector<int32_t> ids;
    for (size_t length = random() % 30; length > 0; --length) {
      ids.push_back(static_cast<int32_t>(random() % tokenizer.vocab_size()));
    }
    const bool skip_special = random() % 2 == 0;
    const std::string streamed = Stream(tokenizer, ids, skip_special);
    ASSERT_EQ(streamed, Decode(tokenizer, ids, skip_special));
    ASSERT_EQ(streamed, Reference(tokenizer, ids, skip_special));
  }
}

// All 256 bytes as tokens, and some pairs that begin and end inside of characters.
TEST(StreamDecoder, EqualsTheWholeForAnyBytes) {
  SmallJson json;
  json.byte_level = false;
  json.decoder = R"({"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"},
                     {"type": "Strip", "content": " ", "start": 2, "stop": 0}]})";
  json.model_options = R"("byte_fallback": true)";
  for (unsigned byte = 0; byte < 256; ++byte) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", byte);
    json.Token(text);
  }
  json.Added(" special ");
  json.Token("\u00E9");
  json.Token("  a");
  const auto compiled = CompileJson(json.Text());
  CheckRandomIds(*compiled->Create(), 1);
}

TEST(StreamDecoder, EqualsTheWholeForTheTinyModel) {
  const test::CompiledTokenizer compiled(std::filesystem::path(kTestData) / "tiny");
  CheckRandomIds(*compiled.Create(), 2);
}

TEST(StreamDecoder, HoldsBackHalfACharacter) {
  const test::CompiledTokenizer compiled(std::filesystem::path(kTestData) / "tiny");
  const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
  const std::vector<int32_t> ids = test::Encode(*tokenizer, "\U0001F980");
  ASSERT_GT(ids.size(), 1u);
  char buffer[256];
  StreamDecoder decoder;
  decoder.Begin(*tokenizer, false, StreamDecoder::Start::kText);
  for (size_t i = 0; i < ids.size(); ++i) {
    TextSink sink{buffer};
    const StreamDecoder before = decoder;
    decoder.Append(*tokenizer, ids[i], sink);
    EXPECT_EQ(sink.size, i + 1 == ids.size() ? 4u : 0u);
    // A copy is a state to come back to.
    decoder = before;
    TextSink again{buffer};
    decoder.Append(*tokenizer, ids[i], again);
    EXPECT_EQ(again.size, sink.size);
  }
  EXPECT_EQ(std::string_view(buffer, 4), "\U0001F980");

  decoder.Begin(*tokenizer, false, StreamDecoder::Start::kText);
  TextSink sink{buffer};
  decoder.Append(*tokenizer, ids[0], sink);
  decoder.Flush(sink);
  EXPECT_EQ(std::string_view(buffer, sink.size), "\uFFFD");
}

TEST(StreamDecoder, ContinuationKeepsTheLeadingSpace) {
  SmallJson json;
  json.byte_level = false;
  json.decoder = R"({"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "_"}, "content": " "}, {"type": "Fuse"},
      {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})";
  json.Token("_word");
  const auto compiled = CompileJson(json.Text());
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  EXPECT_EQ(Stream(*tokenizer, {0, 0}, false), "word word");
  EXPECT_EQ(Stream(*tokenizer, {0, 0}, false, StreamDecoder::Start::kContinuation), " word word");
}

TEST(StreamDecoder, MetaspaceDropsTheSpacesOfTheFirstTokenOnly) {
  SmallJson json;
  json.byte_level = false;
  json.decoder = R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "always"})";
  json.Token("__a_b");
  json.Token("_c");
  json.Added("<s>");
  const auto compiled = CompileJson(json.Text());
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  EXPECT_EQ(Stream(*tokenizer, {0, 1}, false), "ab c");
  EXPECT_EQ(Stream(*tokenizer, {2, 0, 1}, true), "ab c");
  EXPECT_EQ(Stream(*tokenizer, {2, 0, 1}, false), "<s>  a b c");
}

TEST(StreamDecoder, IdsOutOfRangeHaveNoText) {
  const test::CompiledTokenizer compiled(std::filesystem::path(kTestData) / "tiny");
  const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
  EXPECT_EQ(Stream(*tokenizer, {-1, 1 << 30, INT32_MIN, INT32_MAX}, true), "");
}

}  // namespace
}  // namespace rondo
