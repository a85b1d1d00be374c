// The pieces that each name of a pre-tokenizer splits text into. Where its own tokenizer is at
// hand, gguf_tokenizer_model_test compares ids.
#include "tools/convert/tokenizer/splittings.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/text/pre_tokenizer.h"
#include "tests/runtime/chat/small_json.h"
#include "tests/runtime/text/compiled_tokenizer.h"

namespace rondo::convert {
namespace {

using Pieces = std::vector<std::string>;

class Collector final : public ModelEncoder {
 public:
  size_t Encode(std::span<const uint8_t> text, bool) override {
    pieces.emplace_back(text.begin(), text.end());
    return text.size();
  }
  Pieces pieces;
};

Pieces Split(const std::string& pre, const std::string& text) {
  const Splitting* splitting = FindSplitting(pre);
  if (splitting == nullptr) return {"(unknown)"};
  rondo::test::SmallJson json;
  json.pre_tokenizer = PreTokenizerOf(*splitting).dump();
  json.Token("x");
  const auto compiled = rondo::test::CompileJson(json.Text());
  const auto memory = std::move(*RegexMemory::Create());
  memory->BeginText(text.size());
  const auto pre_tokenizer = PreTokenizer::Create(compiled->tables(), *memory);
  if (!pre_tokenizer.ok()) return {pre_tokenizer.status().message()};
  Collector collector;
  PreTokenizer::Run run{collector, {}, true};
  size_t taken = 0;
  const Status status = pre_tokenizer->Split(
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()}, /*more=*/false, run, &taken);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(taken, text.size());
  return collector.pieces;
}

struct SplitCase {
  std::vector<const char*> pre;
  const char* text;
  Pieces pieces;
};

class Splittings : public ::testing::TestWithParam<SplitCase> {};

TEST_P(Splittings, SplitAsTheirPatternsSay) {
  for (const char* pre : GetParam().pre) {
    EXPECT_EQ(Split(pre, GetParam().text), GetParam().pieces) << pre;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Names, Splittings,
    ::testing::Values(
        SplitCase{
            {"gpt-2", "exaone4", "jais", "mellum"},
            "I'll pay 12345 (now);\r\n  OK\n\nx",
            {"I", "'ll", " pay", " 12345", " (", "now", ");", "\r\n ", " OK", "\n", "\n", "x"}},
        SplitCase{{"smollm", "command-r", "exaone", "minerva-7b"},
                  "I'll pay 12345 (now);\r\n  OK\n\nx",
                  {"I", "'ll", " pay", " ", "1", "2", "3", "4", "5", " (", "now", ");", "\r\n ",
                   " OK", "\n", "\n", "x"}},
        SplitCase{
            {"llama-bpe", "falcon-h1", "glm4", "chatglm-bpe"},
            "I'll pay 12345 (now);\r\n  OK\n\nx",
            {"I", "'ll", " pay", " ", "123", "45", " (", "now", ");\r\n", " ", " OK", "\n\n", "x"}},
        SplitCase{{"jais-2"}, "a       b   c  ", {"a", "    ", "  ", " b", "  ", " c", "  "}},
        SplitCase{{"minicpm5"},
                  "We'Re 12345\xc2\xbd"
                  "67",
                  {"We", "'Re", " ", "123", "45\xc2\xbd", "67"}},
        SplitCase{{"qwen2", "hunyuan", "grok-2", "megrez", "solar-open"},
                  "I'll pay 12345 (now);\r\n  OK\n\nx",
                  {"I", "'ll", " pay", " ", "1", "2", "3", "4", "5", " (", "now", ");\r\n", " ",
                   " OK", "\n\n", "x"}},
        SplitCase{
            {"qwen35"},
            "e\xcc\x81t\xcc\x81 12 "
            "\xe0\xa4\xa8\xe0\xa4\xae\xe0\xa4\xb8\xe0\xa5\x8d\xe0\xa4\xa4\xe0\xa5\x87 x\xcc\x81!",
            {"e\xcc\x81t\xcc\x81", " ", "1", "2",
             " \xe0\xa4\xa8\xe0\xa4\xae\xe0\xa4\xb8\xe0\xa5\x8d\xe0\xa4\xa4\xe0\xa5\x87",
             " x\xcc\x81", "!"}},
        SplitCase{
            {"qwen2"}, "e\xcc\x81t\xcc\x81 12", {"e", "\xcc\x81t", "\xcc\x81", " ", "1", "2"}},
        SplitCase{{"laguna"}, "a;\n\n b\r\n", {"a", ";", "\n\n", " b", "\r", "\n"}},
        SplitCase{{"ufakzeka"}, "Ali'nin it's", {"Ali", "'nin", " it", "'s"}},
        SplitCase{{"bailingmoe", "bailingmoe2", "llada-moe"},
                  "it's \n\n 12;;\n",
                  {"it", "'s", " \n\n", " ", "1", "2", ";;\n"}},
        SplitCase{{"seed-coder"}, "x;;\n\n y 12", {"x", ";;", "\n\n", " y", " ", "1", "2"}},
        SplitCase{{"exaone-moe"}, "ab cd ef! gh/\n\n", {"ab cd ef", "!", " gh", "/\n", "\n"}},
        SplitCase{{"gpt-4o", "llama4", "minimax-m2"},
                  "HelloWORLDfoo it's 1234 //\n",
                  {"Hello", "WORLDfoo", " it's", " ", "123", "4", " //\n"}},
        SplitCase{{"tekken"},
                  "HelloWORLDfoo it's 1234 //\n",
                  {"Hello", "WORLDfoo", " it", "'s", " ", "1", "2", "3", "4", " //\n"}},
        SplitCase{{"youtu"},
                  "ab\xe4\xbd\xa0\xe5\xa5\xbd\xef\xbc\x8c\xed\x95\x9c\xea\xb8\x80 12",
                  {"ab", "\xe4\xbd\xa0\xe5\xa5\xbd", "\xef\xbc\x8c", "\xed\x95\x9c\xea\xb8\x80",
                   " ", "1", "2"}},
        SplitCase{{"tiny_aya", "cohere2moe"},
                  "1234567 12a 1234a",
                  {"1", "234", "567", " ", "12", "a", " ", "123", "4", "a"}},
        SplitCase{{"kimi-k2"},
                  "ab\xe4\xbd\xa0\xe5\xa5\xbd"
                  "cd\xe3\x81\xae 1234",
                  {"ab", "\xe4\xbd\xa0\xe5\xa5\xbd", "cd\xe3\x81\xae", " ", "123", "4"}},
        SplitCase{{"superbpe"},
                  "a b 1234567 12\xc2\xbd"
                  "345",
                  {"a b ", "1", "234", "567", " ", "12\xc2\xbd", "345"}},
        SplitCase{{"deepseek-llm"},
                  "ab\n \xe4\xbd\xa0\xe5\xa5\xbd cd, (12\xc2\xbd)  ",
                  {"ab", "\n", " ", "\xe4\xbd\xa0\xe5\xa5\xbd", " cd", ",", " (", "12\xc2\xbd", ")",
                   "  "}},
        SplitCase{{"deepseek-coder"},
                  "ab\n \xe4\xbd\xa0\xe5\xa5\xbd cd, (12\xc2\xbd)  ",
                  {"ab", "\n", " ", "\xe4\xbd\xa0\xe5\xa5\xbd", " cd", ",", " (", "1", "2",
                   "\xc2\xbd", ")", "  "}},
        SplitCase{{"deepseek-v3", "hunyuan-dense", "joyai-llm"},
                  "_ab (\xe4\xbd\xa0\xe5\xa5\xbd) 1234 ++\n",
                  {"_ab", " (", "\xe4\xbd\xa0\xe5\xa5\xbd", ")", " ", "123", "4", " ++\n"}},
        SplitCase{
            {"spark2_5"}, "_ab 1234 ++\n\n", {"_ab", " ", "1", "2", "3", "4", " ++", "\n", "\n"}},
        SplitCase{{"afmoe"},
                  "ab\xe0\xb8\x81\xe0\xb8\x82 1234567 _x",
                  {"ab\xe0\xb8\x81\xe0\xb8\x82", " ", "1", "234", "567", " _", "x"}},
        SplitCase{{"bloom", "poro-chat", "gpt3-finnish"},
                  "ab, cd (12) ...",
                  {"ab", ",", " cd", " (", "12", ") ..."}},
        SplitCase{{"viking"}, "ab, cd (12) ...", {"ab", ",", " cd", " (", "1", "2", ") ..."}},
        SplitCase{
            {"chameleon"},
            "IMGIMGABZ a    b<sentinel:1>12!",
            {"IMGIMGABZ", " a", "    ", "b", "<", "sentinel", ":", "1", ">", "1", "2", "!"}}));

TEST(SplittingsTest, EveryNameCompilesAndKeepsTheText) {
  const std::string text =
      "I'll pay 12345 (now);\r\n  \xe4\xbd\xa0\xe5\xa5\xbd \xed\x95\x9c\t\xc3\xa9\xcc\x81 "
      "x\xc2\xb2   ";
  const std::string names = KnownSplittings();
  for (size_t begin = 0; begin < names.size();) {
    const size_t end = std::min(names.find(", ", begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    std::string joined;
    for (const std::string& piece : Split(name, text)) joined += piece;
    EXPECT_EQ(joined, text) << name;
    begin = end + 2;
  }
  EXPECT_EQ(FindSplitting("wild"), nullptr);
}

}  // namespace
}  // namespace rondo::convert
