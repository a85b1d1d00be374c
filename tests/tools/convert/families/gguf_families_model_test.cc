// Every architecture of GGUF files that the converter knows, by metadata, names and shapes that
// llama.cpp's converter wrote and its loader demands, and by logits that llama.cpp gave
// (tests/data/families/gguf): what is written here as a file, converted and run has these logits.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "tests/tools/convert/families/golden.h"
#include "tests/tools/convert/families/golden_weights.h"
#include "tests/tools/convert/sources/gguf/gguf_writer.h"
#include "tests/tools/convert/sources/gguf/logits_difference.h"
#include "tests/tools/error_of.h"
#include "tools/convert/sources/json_text.h"

namespace rondo::convert::gguf_families_model_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// What 16 bits of a logit do.
constexpr double kRounding = 1e-4;
// The converter follows transformers; llama.cpp is as far from it as the golden says (it looks GELU
// up in a table of half floats), and weights differ between that run and this one.
constexpr double kTimesApart = 3;

std::vector<fs::path> Files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TestData("families/gguf"))) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

json ReadJson(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return ParseJsonObject(text, path.string());
}

void AddList(const std::string& name, const json& values, GgufWriter& writer) {
  if (values.front().is_boolean()) {
    std::string flags;
    for (const bool flag : values) flags += static_cast<char>(flag);
    writer.Flags(name, flags);
  } else if (values.front().is_number_float()) {
    std::vector<float> numbers;
    for (const json& one : values) {
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      numbers.push_back(one.is_null() ? -kInfinity : one.get<float>());
    }
    writer.Array(name, numbers);
  } else {
    writer.Array(name, values.get<std::vector<int32_t>>());
  }
}

void AddKey(const std::string& name, const json& value, GgufWriter& writer) {
  if (value.is_array()) {
    AddList(name, value, writer);
  } else if (value.is_string()) {
    writer.Key(name, value.get<std::string>());
  } else if (value.is_boolean()) {
    writer.Key(name, value.get<bool>());
  } else if (value.is_number_float()) {
    writer.Key(name, value.get<float>());
  } else {
    writer.Key(name, value.get<uint32_t>());
  }
}

// As many tokens as there are logits, of no meaning.
void AddVocabulary(size_t size, GgufWriter& writer) {
  std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
  std::vector<int32_t> types = {2, 3, 3};
  while (tokens.size() < size) tokens.push_back("t" + std::to_string(tokens.size()));
  types.resize(size, 1);
  writer.Key("tokenizer.ggml.model", std::string("llama"))
      .Array("tokenizer.ggml.tokens", tokens)
      .Array("tokenizer.ggml.token_type", types)
      .Array("tokenizer.ggml.scores", std::vector<float>(size, -1))
      .Key("tokenizer.ggml.bos_token_id", uint32_t{1})
      .Key("tokenizer.ggml.eos_token_id", uint32_t{2});
}

fs::path WriteGguf(const fs::path& path, const json& golden, size_t vocab) {
  GgufWriter writer;
  for (const auto& [name, value] : golden["keys"].items()) AddKey(name, value, writer);
  AddVocabulary(vocab, writer);
  for (const auto& [folded, kind] : golden["tensors"].items()) {
    const auto shape = kind.at(0).get<std::vector<uint64_t>>();
    const uint64_t size =
        std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<uint64_t>());
    for (const std::string& name : Unfolded(folded)) {
      const bool given = kind.at(1).is_array();
      writer.Floats(name, shape,
                    given ? kind[1].get<std::vector<float>>()
                          : GoldenWeights(golden["seed"], name, size, kind[1], kind.at(2)));
    }
  }
  return writer.Save(path);
}

class GgufFamilies : public testing::TestWithParam<fs::path> {};

TEST_P(GgufFamilies, GivesTheLogitsOfLlamaCpp) {
  const json golden = ReadJson(GetParam());
  const std::vector<std::vector<float>> expected = GoldenRows(golden.at("logits"));
  const size_t vocab = expected.front().size();
  const TempFolder folder;
  const fs::path file = WriteGguf(folder / "model.gguf", golden, vocab);
  const auto tokens = GoldenTokens(GoldenModel{"", golden["seed"], {}, {}, {}, ""});
  const std::vector<float> logits = FloatLogits(file, tokens);
  ASSERT_EQ(logits.size(), tokens.size() * vocab);
  const double difference = GoldenDifference(expected, logits);
  const double tolerance =
      kRounding + kTimesApart * golden.at("apart_from_transformers").get<double>();
  if (golden.contains("differs")) {
    EXPECT_GT(difference, kRounding) << "no longer: " << golden["differs"];
  } else {
    EXPECT_LE(difference, tolerance);
  }
}

TEST(GgufFamiliesTest, EveryKnownArchitectureHasAGolden) {
  const TempFolder folder;
  const json nobody = {{"seed", 1},
                       {"keys", {{"general.architecture", "nobody"}}},
                       {"tensors", {{"output.weight", {{1}, 0, 0}}}}};
  const fs::path file = WriteGguf(folder / "model.gguf", nobody, 8);
  const std::string sentence =
      SentenceOf([&] { TestModel model(file, format::TensorFormat::F32); });
  const size_t begin = sentence.find("known: ");
  ASSERT_NE(begin, std::string::npos) << sentence;
  std::set<std::string> known, recorded;
  std::istringstream names(sentence.substr(begin + 7));
  for (std::string name; std::getline(names >> std::ws, name, ',');) known.insert(name);
  for (const fs::path& path : Files()) {
    recorded.insert(ReadJson(path)["keys"]["general.architecture"]);
  }
  EXPECT_EQ(recorded, known);
}

INSTANTIATE_TEST_SUITE_P(Files, GgufFamilies, testing::ValuesIn(Files()), [](const auto& param) {
  std::string name = param.param.stem().string();
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace rondo::convert::gguf_families_model_test
