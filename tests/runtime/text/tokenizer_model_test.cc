// Every reference case of every tokenizer.json, without the files beside it, through the compiled
// form: exact.
#include <fstream>

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/runtime/text/reference_cases.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"

namespace rondo {
namespace {

class TokenizerCases : public ::testing::TestWithParam<const char*> {};

TEST_P(TokenizerCases, AreExact) {
  const std::filesystem::path directory = std::filesystem::path(kSharedData) / "tok" / GetParam();
  RONDO_SKIP_WITHOUT(directory);
  std::ifstream file(directory / "tokenizer.json");
  test::ExpectExact(test::CompiledTokenizer(nlohmann::json::parse(file)), directory / "cases.jsonl",
                    GetParam());
}

INSTANTIATE_TEST_SUITE_P(Reference, TokenizerCases,
                         ::testing::Values("gpt2", "llama3.2", "qwen3", "smollm2", "phi-2",
                                           "gpt-neox", "falcon", "llama2", "phi-3-mini",
                                           "mistral-v1", "mistral-v3", "minimind", "tok512",
                                           "t5-small"));

}  // namespace
}  // namespace rondo
