// Encoding takes time linear in the text, whatever the text and the tokenizer's added tokens.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#if defined(_WIN32)
#include <windows.h>
#endif

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"
#include "tools/common/error.h"

namespace rondo {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kShort = size_t{8} << 10;
constexpr size_t kGrowth = 8;
// Linear work grows by kGrowth, quadratic work by its square: between them, with room for a machine
// that others use too.
constexpr double kMostGrowth = 2.5 * kGrowth;
// So fast that no part of it is quadratic, for the longer text.
constexpr double kFastSeconds = 0.05;

// Added tokens that lie in the way of plain text.
struct Alteration {
  const char* name;
  bool normalized, strip_left, strip_right, single_word;
};
constexpr Alteration kAlterations[] = {
    {"raw, lstrip, rstrip", false, true, true, false},
    {"normalized, lstrip", true, true, false, false},
    // Where compiling takes little:
    {"raw", false, false, false, false},
    {"raw, rstrip", false, false, true, false},
    {"raw, lstrip, rstrip, single_word", false, true, true, true},
    {"normalized, rstrip", true, false, true, false},
    {"normalized, lstrip, rstrip, single_word", true, true, true, true},
};
constexpr size_t kAlterationsOfLarge = 2;
constexpr size_t kLargeVocabulary = 40'000;
constexpr std::string_view kAddedTexts[] = {" ", "  ", "\n", "a", "<x>", "\xE3\x80\x80"};

// Texts are made of these, over and over.
constexpr std::string_view kUnits[] = {" ",
                                       "\n",
                                       "\t",
                                       "\r\n",
                                       " \n",
                                       "\n a",
                                       "a",
                                       "a ",
                                       " a",
                                       "A",
                                       "aB",
                                       "1",
                                       "1 ",
                                       "!",
                                       "! ",
                                       "'s",
                                       "<x>",
                                       " <x>",
                                       "<x> ",
                                       "<",
                                       "<s>",
                                       " </s> ",
                                       "\xC3\xA9",
                                       "e\xCC\x81",
                                       "\xCC\x81",
                                       "\xCC\xA3\xCC\x87",
                                       "\xE4\xBD\xA0",
                                       "\xE3\x80\x80",
                                       "\xE2\x96\x81",
                                       "\xE1\x84\x92\xE1\x85\xA1",
                                       "\xF0\x9F\x91\xA8\xE2\x80\x8D",
                                       "\xF0\x9F\x87\xBA",
                                       "\xFF",
                                       "\xE2\x82",
                                       "ab\xFF ",
                                       "\xE0\xB8\x81",
                                       "\xEF\xAC\x81",
                                       "The quick brown fox, 42 times.\n"};

std::string Repeated(std::string_view unit, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += unit;
  return text;
}

// Of this process, whatever else the machine does.
double Worked() {
#if defined(_WIN32)  // whose clock() is the time of day
  FILETIME begun, ended, kernel, user;
  GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user);
  const uint64_t ticks = (uint64_t{kernel.dwHighDateTime} << 32) + kernel.dwLowDateTime +
                         (uint64_t{user.dwHighDateTime} << 32) + user.dwLowDateTime;
  return static_cast<double>(ticks) * 1e-7;
#else
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
#endif
}

double Seconds(const Tokenizer& tokenizer, const std::string& text) {
  const double begin = Worked();
  size_t count = 0;
  // A pattern of ours may need more steps than it gets: then the time until it says so counts.
  (void)tokenizer.Encode(text, false, {}, &count);
  return Worked() - begin;
}

// The least growth of several tries: others' work only adds to the time of one.
void ExpectLinear(const Tokenizer& tokenizer, std::string_view unit) {
  const std::string text = Repeated(unit, kShort);
  const std::string longer = Repeated(unit, kGrowth * kShort);
  double before = 0;
  double after = 1e9;
  for (int attempt = 0; attempt < 3; ++attempt) {
    after = std::min(after, Seconds(tokenizer, longer));
    if (after < kFastSeconds) return;
    before = std::max(before, Seconds(tokenizer, text));
    if (after < kMostGrowth * before) return;
  }
  ADD_FAILURE() << text.size() << " bytes of '" << unit << "' take " << before << " s, "
                << longer.size() << " bytes " << after << " s";
}

// What the converter refuses needs no time.
void ExpectLinear(const json& document) {
  std::unique_ptr<test::CompiledTokenizer> compiled;
  try {
    compiled = std::make_unique<test::CompiledTokenizer>(document);
  } catch (const tools::Error&) {
    return;
  }
  const std::unique_ptr<Tokenizer> tokenizer = compiled->Create();
  for (const std::string_view unit : kUnits) ExpectLinear(*tokenizer, unit);
}

json ReadTokenizer(const fs::path& directory) {
  std::ifstream file(directory / "tokenizer.json");
  return json::parse(file);
}

// The tokenizer with every text of kAddedTexts as an added token.
json Altered(json document, const Alteration& alteration) {
  const json& vocab = document["model"]["vocab"];
  json& added = document["added_tokens"];
  size_t next = vocab.size();
  for (const json& token : added) next = std::max(next, token["id"].get<size_t>() + 1);
  for (const std::string_view text : kAddedTexts) {
    added.erase(std::remove_if(added.begin(), added.end(),
                               [&](const json& token) { return token["content"] == text; }),
                added.end());
    const bool known = vocab.is_object() && vocab.contains(text);
    added.push_back({{"id", known ? vocab.at(text).get<size_t>() : next++},
                     {"content", text},
                     {"special", false},
                     {"normalized", alteration.normalized},
                     {"lstrip", alteration.strip_left},
                     {"rstrip", alteration.strip_right},
                     {"single_word", alteration.single_word}});
  }
  return document;
}

class TokenizerTime : public ::testing::TestWithParam<const char*> {
 protected:
  // Empty: the reference data is not there.
  static fs::path Directory() {
    const std::string name = GetParam();
    if (name == "tiny") return fs::path(kTestData) / name;
    return fs::path(kSharedData) / "tok" / name;
  }
};

TEST_P(TokenizerTime, IsLinear) {
  const fs::path directory = Directory();
  RONDO_SKIP_WITHOUT(directory);
  ExpectLinear(ReadTokenizer(directory));
}

TEST_P(TokenizerTime, IsLinearWithAddedTokensInTheWay) {
  const fs::path directory = Directory();
  RONDO_SKIP_WITHOUT(directory);
  const json document = ReadTokenizer(directory);
  const bool large = document["model"]["vocab"].size() >= kLargeVocabulary;
  for (const Alteration& alteration :
       std::span(kAlterations).first(large ? kAlterationsOfLarge : std::size(kAlterations))) {
    SCOPED_TRACE(alteration.name);
    ExpectLinear(Altered(document, alteration));
  }
}

// Every normaliser and pre-tokeniser, before the merges of a small model.
TEST(TokenizerTimeOfSteps, IsLinear) {
  const json document = ReadTokenizer(fs::path(kTestData) / "tiny");
  const json pattern = {{"Regex", R"(\s+(?!\S)|\s*[\r\n]+|\s+|\p{L}+|[^\s\p{L}]+)"}};
  std::vector<json> normalizers = {
      {{"type", "Lowercase"}},
      {{"type", "StripAccents"}},
      {{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}},
      {{"type", "Prepend"}, {"prepend", "a"}},
      {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "xy"}},
      {{"type", "Replace"}, {"pattern", {{"String", "aaaaaaab"}}}, {"content", "x"}},
      {{"type", "Replace"}, {"pattern", {{"Regex", R"(\s+)"}}}, {"content", " "}},
      {{"type", "Replace"}, {"pattern", {{"Regex", R"(a+b|\s+x)"}}}, {"content", " "}}};
  for (const char* type : {"NFC", "NFD", "NFKC", "NFKD"}) normalizers.push_back({{"type", type}});
  for (const json& normalizer : normalizers) {
    SCOPED_TRACE(normalizer.dump());
    json altered = document;
    altered["normalizer"] = normalizer;
    ExpectLinear(altered);
  }
  std::vector<json> pre_tokenizers = {
      {{"type", "Digits"}, {"individual_digits", false}},
      {{"type", "Whitespace"}},
      {{"type", "WhitespaceSplit"}},
      {{"type", "CharDelimiterSplit"}, {"delimiter", " "}},
      {{"type", "Metaspace"}, {"replacement", "_"}, {"prepend_scheme", "always"}, {"split", true}}};
  for (const char* behavior :
       {"Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"}) {
    pre_tokenizers.push_back({{"type", "Punctuation"}, {"behavior", behavior}});
    for (const bool invert : {false, true}) {
      pre_tokenizers.push_back(
          {{"type", "Split"}, {"pattern", pattern}, {"behavior", behavior}, {"invert", invert}});
      pre_tokenizers.push_back({{"type", "Split"},
                                {"pattern", {{"String", " "}}},
                                {"behavior", behavior},
                                {"invert", invert}});
    }
  }
  const json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  for (const json& pre_tokenizer : pre_tokenizers) {
    SCOPED_TRACE(pre_tokenizer.dump());
    json altered = document;
    altered["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {pre_tokenizer, bytes}}};
    ExpectLinear(altered);
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, TokenizerTime,
                         ::testing::Values("tiny", "gpt2", "llama3.2", "qwen3", "smollm2", "phi-2",
                                           "gpt-neox", "falcon", "llama2", "phi-3-mini",
                                           "mistral-v1", "mistral-v3", "minimind", "tok512",
                                           "t5-small"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace rondo
