// Folders whose tokenizer is more than its tokenizer.json, against AutoTokenizer of transformers.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"
#include "tests/temp_folder.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// tests/data/auto_tokenizer.json: files of each folder, and the ids of texts.
json Folders() {
  std::ifstream file(fs::path(kTestData) / "auto_tokenizer.json");
  return json::parse(file)["folders"];
}

TEST(AutoTokenizer, GivesTheSameIds) {
  for (const json& entry : Folders()) {
    SCOPED_TRACE(entry["name"].get<std::string>());
    const TempFolder folder;
    for (const auto& [name, content] : entry["files"].items()) {
      std::ofstream(folder / name, std::ios::binary)
          << (content.is_string() ? content.get<std::string>() : content.dump());
    }
    const rondo::test::CompiledTokenizer compiled(folder.path());
    const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
    ASSERT_NE(tokenizer, nullptr);
    for (const json& test : entry["cases"]) {
      const std::string text = test["text"];
      SCOPED_TRACE(text);
      EXPECT_EQ(rondo::test::Encode(*tokenizer, text, true),
                test["ids"].get<std::vector<int32_t>>());
      EXPECT_EQ(rondo::test::Encode(*tokenizer, text, false),
                test["ids_raw"].get<std::vector<int32_t>>());
    }
  }
}

// The README of the shared data: a Llama 2 whose special tokens are normalized.
TEST(AutoTokenizer, FindsLlama2sTokensInsideOfAText) {
  const fs::path reference = fs::path(kSharedData) / "tok/llama2";
  RONDO_SKIP_WITHOUT(reference);
  for (const char* name : {"tokenizer.json", "tokenizer.model"}) {
    SCOPED_TRACE(name);
    const TempFolder folder;
    fs::copy(reference / name, folder / name);
    fs::copy(reference / "tokenizer_config.json", folder / "tokenizer_config.json");
    const rondo::test::CompiledTokenizer compiled(folder.path());
    const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
    EXPECT_EQ(rondo::test::Encode(*tokenizer, "Hi</s>x", true),
              (std::vector<int32_t>{1, 6324, 2, 29916}));
  }
}

}  // namespace
}  // namespace rondo::convert
