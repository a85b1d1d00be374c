// Tokenizers that went through a GGUF file against the reference cases of the originals.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/runtime/text/reference_cases.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/sources/gguf/gguf_writer.h"
#include "tools/convert/sources/gguf/keys.h"
#include "tools/convert/sources/input_file.h"
#include "tools/convert/tokenizer/gguf_tokenizer.h"
#include "tools/convert/tokenizer/sentencepiece.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// ggml's kinds of tokens.
constexpr int32_t kNormal = 1, kControl = 3, kUserDefined = 4, kUnused = 5;

// What llama.cpp's converter writes of a tokenizer.json whose split pattern it knows as `pre`.
GgufWriter OfBytes(const fs::path& directory, const std::string& pre) {
  const json document = json::parse(std::ifstream(directory / "tokenizer.json"));
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
  for (const auto& [text, id] : document.at("model").at("vocab").items()) put(id, text, kNormal);
  for (const json& token : document.at("added_tokens")) {
    put(token.at("id"), token.at("content"),
        token.at("special").get<bool>() ? kControl : kUserDefined);
  }
  std::vector<std::string> merges;
  for (const json& merge : document.at("model").at("merges")) {
    merges.push_back(merge.is_string()
                         ? merge.get<std::string>()
                         : merge.at(0).get<std::string>() + " " + merge.at(1).get<std::string>());
  }
  GgufWriter writer;
  writer.Key("tokenizer.ggml.model", std::string("gpt2"))
      .Key("tokenizer.ggml.pre", pre)
      .Array("tokenizer.ggml.tokens", tokens)
      .Array("tokenizer.ggml.token_type", types)
      .Array("tokenizer.ggml.merges", merges);
  if (pre == "llama-bpe") writer.Key("tokenizer.ggml.bos_token_id", uint32_t{128000});
  return writer;
}

// And of a tokenizer.model.
GgufWriter OfPieces(const fs::path& directory) {
  const fs::path path = directory / "tokenizer.model";
  const SentencePieceModel model =
      ReadSentencePiece(ReadWholeFile(path, uint64_t{1} << 24), path.string());
  std::vector<std::string> tokens;
  std::vector<float> scores;
  std::vector<int32_t> types;
  for (const SentencePiece& piece : model.pieces) {
    tokens.push_back(piece.text);
    scores.push_back(piece.score);
    types.push_back(static_cast<int32_t>(piece.kind));
  }
  GgufWriter writer;
  writer.Key("tokenizer.ggml.model", std::string("llama"))
      .Array("tokenizer.ggml.tokens", tokens)
      .Array("tokenizer.ggml.scores", scores)
      .Array("tokenizer.ggml.token_type", types)
      .Key("tokenizer.ggml.bos_token_id", uint32_t{1});
  return writer;
}

struct Case {
  const char* name;
  const char* pre;  // empty: from tokenizer.model
};

class GgufTokenizerCases : public ::testing::TestWithParam<Case> {};

void ExpectExactCases(const fs::path& path, const fs::path& directory) {
  const GgufFile file(path);
  std::vector<std::string> notes;
  const json document =
      ReadGgufTokenizer(GgufKeys(file).all(), file.metadata(), path.string(), notes);
  EXPECT_TRUE(notes.empty());
  const auto compiled = rondo::test::CompileJson(document.dump());
  rondo::test::ExpectExact(*compiled, directory / "cases.jsonl", directory.filename().string());
}

TEST_P(GgufTokenizerCases, AreExact) {
  const auto [name, pre] = GetParam();
  const fs::path directory = fs::path(kSharedData) / "tok" / name;
  RONDO_SKIP_WITHOUT(directory);
  const TempFolder folder;
  GgufWriter writer = std::string(pre).empty() ? OfPieces(directory) : OfBytes(directory, pre);
  writer.Key("general.architecture", std::string("llama"))
      .Tensor("token_embd.weight", {1, 32}, kQ40, std::string(18, '\1'))
      .Save(folder / "model.gguf");
  ExpectExactCases(folder / "model.gguf", directory);
}

// Files that llama.cpp's converter made: the ids are those of the original tokenizer, which is not
// at hand where only a file of few bits was downloaded.
TEST(GgufTokenizer, OfStories260KIsExact) {
  const fs::path data = kSharedData;
  for (const char* name : {"stories260K-f32.gguf", "stories260K-Q8_0.gguf"}) {
    const fs::path path = data / "gguf" / name;
    RONDO_SKIP_WITHOUT(path);
    ExpectExactCases(path, data / "tok" / "tok512");
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, GgufTokenizerCases,
                         ::testing::Values(Case{"gpt2", "gpt-2"}, Case{"llama3.2", "llama-bpe"},
                                           Case{"falcon", "falcon"}, Case{"gpt-neox", "mpt"},
                                           Case{"minimind", "gpt-2"}, Case{"mistral-v1", ""},
                                           Case{"phi-2", "phi-2"}, Case{"qwen3", "qwen2"},
                                           Case{"smollm2", "smollm"}, Case{"mistral-v3", ""}),
                         [](const auto& param) {
                           std::string name = param.param.name;
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

}  // namespace
}  // namespace rondo::convert
