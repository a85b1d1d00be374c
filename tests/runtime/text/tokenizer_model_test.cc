// Every reference case of the listed tokenizers, through the compiled form: exact.
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"

namespace rondo {
namespace {

using testing::CompiledTokenizer;
using testing::Decode;
using testing::Encode;

class TokenizerCases : public ::testing::TestWithParam<const char*> {};

TEST_P(TokenizerCases, AreExact) {
  const std::filesystem::path directory =
      std::filesystem::path(RONDO_SHARED_DATA) / "tok" / GetParam();
  if (!std::filesystem::exists(directory)) {
    GTEST_SKIP() << "no reference data at " << directory;
  }
  const CompiledTokenizer compiled(directory);
  const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_TRUE(tokenizer->CheckGolden().ok()) << tokenizer->CheckGolden().message();

  std::ifstream file(directory / "cases.jsonl");
  std::string line;
  std::getline(file, line);
  ASSERT_TRUE(nlohmann::json::parse(line).contains("header"));
  size_t cases = 0;
  size_t exact = 0;
  while (std::getline(file, line)) {
    const nlohmann::json json = nlohmann::json::parse(line);
    const std::string text = json.at("text");
    const std::vector<int32_t> ids = json.at("ids");
    const std::vector<int32_t> ids_raw = json.at("ids_raw");
    SCOPED_TRACE(line);
    const bool equal = Encode(*tokenizer, text, true) == ids &&
                       Encode(*tokenizer, text, false) == ids_raw &&
                       Decode(*tokenizer, ids_raw, false) == json.at("dec") &&
                       Decode(*tokenizer, ids, true) == json.at("dec_skip");
    EXPECT_EQ(Encode(*tokenizer, text, true), ids);
    EXPECT_EQ(Encode(*tokenizer, text, false), ids_raw);
    EXPECT_EQ(Decode(*tokenizer, ids_raw, false), json.at("dec"));
    EXPECT_EQ(Decode(*tokenizer, ids, true), json.at("dec_skip"));
    ++cases;
    exact += equal ? 1 : 0;
  }
  EXPECT_GT(cases, 100u);
  std::cout << "[  cases   ] " << GetParam() << ": " << exact << " of " << cases << "\n";
}

INSTANTIATE_TEST_SUITE_P(Reference, TokenizerCases,
                         ::testing::Values("gpt2", "llama3.2", "qwen3", "smollm2", "phi-2",
                                           "gpt-neox", "falcon", "llama2", "phi-3-mini",
                                           "mistral-v1", "mistral-v3", "minimind", "tok512", "t5-small"));

}  // namespace
}  // namespace rondo
