// Tokenizers that are no tokenizer.json, against the reference cases of the same models.
#include "tools/convert/tokenizer/folder.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/runtime/text/reference_cases.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"
#include "tools/convert/tokenizer/text.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

fs::path Reference(const std::string& name) { return fs::path(kSharedData) / "tok" / name; }

// An empty folder of the test's own.
fs::path NewFolder(const std::string& name) {
  fs::path folder = fs::path(::testing::TempDir()) / ("folder_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

nlohmann::json ReadJson(const fs::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

class SentencePieceCases : public ::testing::TestWithParam<const char*> {};

TEST_P(SentencePieceCases, OfTokenizerModelAreExact) {
  const fs::path reference = Reference(GetParam());
  RONDO_SKIP_WITHOUT(reference);
  const fs::path folder = NewFolder(GetParam());
  for (const char* name : {"tokenizer.model", "tokenizer_config.json"}) {
    if (fs::exists(reference / name)) fs::copy(reference / name, folder / name);
  }
  // A model for which a folder's class has no say, as the cases are of the tokenizer.json alone.
  std::ofstream(folder / "config.json") << R"({"model_type": "mistral"})";
  rondo::test::ExpectExact(rondo::test::CompiledTokenizer(folder), reference / "cases.jsonl",
                           std::string(GetParam()) + "/tokenizer.model");
}

// The same merges as in Hugging Face's own conversion, and in the same order but for llama2, whose
// conversion is older and orders those of equal score (runs of spaces) otherwise.
TEST_P(SentencePieceCases, MergesFollowFromScores) {
  const fs::path reference = Reference(GetParam());
  RONDO_SKIP_WITHOUT(reference);
  nlohmann::json expected = ReadJson(reference / "tokenizer.json")["model"]["merges"];
  for (nlohmann::json& merge : expected) {
    if (!merge.is_string()) continue;
    const std::string text = merge;
    const size_t space = text.find(' ');
    merge = {text.substr(0, space), text.substr(space + 1)};
  }
  nlohmann::json made =
      ReadFolderTokenizer(reference / "tokenizer.model").document["model"]["merges"];
  if (std::string(GetParam()) == "llama2") {
    std::sort(expected.begin(), expected.end());
    std::sort(made.begin(), made.end());
  }
  EXPECT_TRUE(made == expected);
}

INSTANTIATE_TEST_SUITE_P(Reference, SentencePieceCases,
                         ::testing::Values("llama2", "mistral-v1", "mistral-v3"));

// Llama 3.2's vocabulary written as the tiktoken file that it once was, under its names.
class TiktokenCases : public ::testing::TestWithParam<const char*> {};

TEST_P(TiktokenCases, AreExact) {
  const fs::path reference = Reference("llama3.2");
  RONDO_SKIP_WITHOUT(reference);
  std::map<uint32_t, std::string> by_rank;
  const nlohmann::json document = ReadJson(reference / "tokenizer.json");
  for (const auto& [text, id] : document["model"]["vocab"].items()) {
    ASSERT_TRUE(FromByteAlphabet(text, &by_rank[id]));
  }
  const fs::path folder = NewFolder("tiktoken");
  std::ofstream file(folder / GetParam(), std::ios::binary);
  for (const auto& [rank, bytes] : by_rank) file << EncodeBase64(bytes) << ' ' << rank << '\n';
  file.close();
  const bool is_named = std::string(GetParam()) == "cl100k_base.tiktoken";
  if (is_named) {
    // Here the name tells the pattern, and tokenizer_config.json the special tokens.
    fs::copy(reference / "tokenizer_config.json", folder / "tokenizer_config.json");
    nlohmann::json config = ReadJson(folder / "tokenizer_config.json");
    config["add_bos_token"] = true;
    fs::remove(folder / "tokenizer_config.json");
    std::ofstream(folder / "tokenizer_config.json") << config;
  }
  EXPECT_EQ(ReadFolderTokenizer(folder / GetParam()).notes.size(), is_named ? 1u : 2u);
  rondo::test::ExpectExact(rondo::test::CompiledTokenizer(folder), reference / "cases.jsonl",
                           std::string("llama3.2/") + GetParam());
}

INSTANTIATE_TEST_SUITE_P(Reference, TiktokenCases,
                         ::testing::Values("tokenizer.model", "cl100k_base.tiktoken"));

}  // namespace
}  // namespace rondo::convert
