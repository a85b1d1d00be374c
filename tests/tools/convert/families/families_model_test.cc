// Every type of transformers that the converter knows, by names, shapes and logits that
// transformers gave (tests/data/families): what is written here as a checkpoint, converted and run
// has these logits, or is refused by the key that the golden tells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/test_model.h"
#include "tests/tools/convert/families/golden.h"
#include "tests/tools/error_of.h"

namespace rondo::convert::families_model_test {
namespace {

namespace fs = std::filesystem;
using format::TensorFormat;

std::vector<fs::path> Files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TestData("families"))) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && path.stem() != "refused") files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

std::vector<float> LogitsOf(const fs::path& folder, const std::vector<int32_t>& tokens) {
  const TestModel model(folder, TensorFormat::F32);
  EngineOptions options;
  options.threads = 1;
  options.kv_format = KvFormat::kFloat32;
  const std::unique_ptr<Engine> engine = model.NewEngine(options);
  return AllLogits(*NewSession(*engine), tokens);
}

class Families : public testing::TestWithParam<fs::path> {};

TEST_P(Families, GivesTheLogitsOfTransformers) {
  for (const GoldenModel& golden : ReadGoldens(GetParam())) {
    SCOPED_TRACE(golden.label);
    const TempFolder folder;
    WriteCheckpoint(folder / "model", golden);
    std::vector<float> logits;
    const std::string sentence =
        SentenceOf([&] { logits = LogitsOf(folder / "model", GoldenTokens(golden)); });
    if (!golden.refused.empty()) {
      EXPECT_THAT(sentence, testing::HasSubstr(golden.refused));
      continue;
    }
    EXPECT_EQ(sentence, "");
    if (!sentence.empty()) continue;
    EXPECT_EQ(logits.size(), GoldenTokens(golden).size() * golden.logits.front().size());
    EXPECT_LE(GoldenDifference(golden.logits, logits), kGoldenTolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Families, testing::ValuesIn(Files()), [](const auto& param) {
  std::string name = param.param.stem().string();
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace rondo::convert::families_model_test
