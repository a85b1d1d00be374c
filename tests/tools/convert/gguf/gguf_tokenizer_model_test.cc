// Tokenizers that went through a GGUF file against the reference cases of the originals.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/runtime/text/reference_cases.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/gguf/gguf_writer.h"
#include "tools/convert/gguf/gguf_tokenizer.h"
#include "tools/convert/gguf/keys.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// ggml's kinds of tokens.
constexpr int32_t kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6;

// The keys that llama.cpp's converter writes of this tokenizer.json. `pre` is the name that it
// knows the split pattern by; empty: a SentencePiece model, whose scores fall with the ids.
GgufWriter KeysOf(const json& document, const std::string& pre) {
  const bool pieces = pre.empty();
  std::vector<std::string> tokens;
  std::vector<int32_t> types;
  const auto put = [&](size_t id, const std::string& text, int32_t type) {
    for (size_t i = tokens.size(); i <= id; ++i) {
      tokens.push_back("[PAD" + std::to_string(i) + "]");
      types.push_back(kUnused);
    }
    tokens[id] = text;
    types[id] = type;
  };
  for (const auto& [text, id] : document.at("model").at("vocab").items()) {
    const bool is_byte = pieces && text.size() == 6 && text.starts_with("<0x");
    put(id, text, is_byte ? kByte : kNormal);
  }
  for (const json& token : document.at("added_tokens")) {
    const std::string text = token.at("content");
    const bool is_unknown = text == document.at("model").at("unk_token");
    put(token.at("id"), text,
        is_unknown                        ? kUnknown
        : token.at("special").get<bool>() ? kControl
                                          : kUserDefined);
  }
  GgufWriter writer;
  writer.Key("general.architecture", std::string("llama"))
      .Key("tokenizer.ggml.model", std::string(pieces ? "llama" : "gpt2"))
      .Array("tokenizer.ggml.tokens", tokens)
      .Array("tokenizer.ggml.token_type", types);
  if (pieces) {
    std::vector<float> scores(tokens.size());
    for (size_t id = 0; id < tokens.size(); ++id) {
      if (types[id] == kNormal) scores[id] = -static_cast<float>(id);
    }
    writer.Array("tokenizer.ggml.scores", scores);
  } else {
    std::vector<std::string> merges;
    for (const json& merge : document.at("model").at("merges")) {
      merges.push_back(merge.is_string()
                           ? merge.get<std::string>()
                           : merge.at(0).get<std::string>() + " " + merge.at(1).get<std::string>());
    }
    writer.Array("tokenizer.ggml.merges", merges).Key("tokenizer.ggml.pre", pre);
  }
  if (pieces) writer.Key("tokenizer.ggml.bos_token_id", uint32_t{1});
  if (pre == "llama-bpe") writer.Key("tokenizer.ggml.bos_token_id", uint32_t{128000});
  return writer;
}

struct Case {
  const char* name;
  const char* pre;
};

class GgufTokenizerCases : public ::testing::TestWithParam<Case> {};

TEST_P(GgufTokenizerCases, AreExact) {
  const auto [name, pre] = GetParam();
  const fs::path directory = fs::path(RONDO_SHARED_DATA) / "tok" / name;
  if (!fs::exists(directory)) GTEST_SKIP() << directory << " is not on this machine";
  const TempFolder folder;
  KeysOf(json::parse(std::ifstream(directory / "tokenizer.json")), pre).Save(folder / "model.gguf");
  const GgufFile file(folder / "model.gguf");
  std::vector<std::string> notes;
  const json document =
      ReadGgufTokenizer(GgufKeys(file).all(), file.metadata(), "model.gguf", notes);
  EXPECT_TRUE(notes.empty());
  const auto compiled = rondo::testing::CompileJson(document.dump());
  rondo::testing::ExpectExact(*compiled, directory / "cases.jsonl", name);
}

INSTANTIATE_TEST_SUITE_P(Reference, GgufTokenizerCases,
                         ::testing::Values(Case{"gpt2", "gpt-2"}, Case{"llama3.2", "llama-bpe"},
                                           Case{"minimind", "gpt-2"}, Case{"mistral-v1", ""},
                                           Case{"phi-2", "phi-2"}, Case{"qwen3", "qwen2"},
                                           Case{"smollm2", "smollm"}, Case{"tok512", ""}),
                         [](const auto& param) {
                           std::string name = param.param.name;
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

}  // namespace
}  // namespace rondo::convert
