// Tables changed at random, as a file with valid checksums could hold them: refused, or used
// without harm. Meant to be run under the address sanitizer too.
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/runtime/text/damaged_tokenizer.h"
#include "tests/support/places.h"

namespace rondo {
namespace {

using test::CompiledTokenizer;
using test::CompileJson;
using test::UseIfAccepted;

// Flips bits in the sections and in the metadata, many times; returns how many were refused.
size_t Damage(CompiledTokenizer& compiled, uint32_t seed, int rounds) {
  const std::vector<uint8_t> sections(compiled.sink().bytes().begin(),
                                      compiled.sink().bytes().end());
  const std::vector<uint8_t> metadata(compiled.metadata().begin(), compiled.metadata().end());
  std::mt19937 random(seed);
  size_t refused = 0;
  for (int round = 0; round < rounds; ++round) {
    std::copy(sections.begin(), sections.end(), compiled.sink().bytes().begin());
    std::copy(metadata.begin(), metadata.end(), compiled.metadata().begin());
    for (size_t flips = 1 + random() % 3; flips > 0; --flips) {
      const std::span<uint8_t> bytes =
          random() % 2 == 0 ? compiled.sink().bytes() : compiled.metadata();
      uint8_t& byte = bytes[random() % bytes.size()];
      byte = static_cast<uint8_t>(random() % 3 == 0 ? random() : byte ^ (1u << random() % 8));
    }
    refused += UseIfAccepted(compiled) ? 0 : 1;
  }
  return refused;
}

TEST(TokenizerFuzz, ByteLevel) {
  EXPECT_GT(Damage(*CompileJson(test::ByteLevelJson()), 1, 4000), 100u);
}

TEST(TokenizerFuzz, SentencePieceStyle) {
  EXPECT_GT(Damage(*CompileJson(test::SentencePieceJson()), 2, 4000), 100u);
}

TEST(TokenizerFuzz, Unigram) {
  EXPECT_GT(Damage(*CompileJson(test::UnigramJson()), 4, 4000), 100u);
}

TEST(TokenizerFuzz, TinyModel) {
  CompiledTokenizer compiled(std::filesystem::path(kTestData) / "tiny");
  EXPECT_GT(Damage(compiled, 3, 300), 10u);
}

}  // namespace
}  // namespace rondo
