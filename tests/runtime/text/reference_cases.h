// The reference cases of one tokenizer, run through the compiled form: exact, all four fields.
#pragma once

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"

namespace rondo::test {

// Prints how many of the cases in `file` are exact, as those of `name`.
inline void ExpectExact(const CompiledTokenizer& compiled, const std::filesystem::path& cases_file,
                        const std::string& name) {
  const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_LE(tokenizer->scratch_bytes(), Tokenizer::kMaxScratchBytes);
  EXPECT_TRUE(tokenizer->CheckGolden().ok()) << tokenizer->CheckGolden().message();

  std::ifstream file(cases_file);
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
  std::cout << "[  cases   ] " << name << ": " << exact << " of " << cases << "\n";
}

}  // namespace rondo::test
