// Of the equal models that a family's identities make, none loses more to few bits than another.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/test_model.h"
#include "tests/tools/convert/families/golden.h"
#include "tests/tools/convert/identities/scale_at_random.h"
#include "tools/convert/architectures/gguf_rules_of.h"
#include "tools/convert/identities/turn_stream.h"
#include "tools/convert/sources/source.h"

namespace rondo::convert::equal_models_model_test {
namespace {

namespace fs = std::filesystem;
using format::TensorFormat;
const std::function<void(DecoderSpec&)> kScaled = std::bind_front(ScaleAtRandom, 5);
struct Kind {
  const char* name;
  TensorFormat weights;
  double bits = 0;
};
constexpr Kind kFloat = {"f32", TensorFormat::F32};
constexpr Kind kFewBits[] = {{"q8", TensorFormat::Q8},   {"q4", TensorFormat::Q4},
                             {"q3", TensorFormat::Q3},   {"q2", TensorFormat::Q2},
                             {"q4b", TensorFormat::Q4B}, {"auto", TensorFormat::Q4, 6}};

std::vector<fs::path> Files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TestData("families"))) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && path.stem() != "refused") files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

// Of the family's tokens, on the checkpoint in `folder`, which is made another one by `change`.
std::vector<float> LogitsOf(const fs::path& folder, const std::vector<int32_t>& tokens,
                            const Kind& kind,
                            const std::function<void(DecoderSpec&)>& change = nullptr) {
  ConvertOptions convert;
  convert.directory = folder;
  convert.weights = kind.weights;
  convert.bits = kind.bits;
  const bool is_float = kind.weights == TensorFormat::F32;
  if (is_float) convert.embedding = kind.weights;
  convert.change = change;
  const TestModel model(convert);
  EngineOptions options;
  options.threads = 1;
  options.kv_format = is_float ? KvFormat::kFloat32 : KvFormat::kInt8;
  const std::unique_ptr<Engine> engine = model.NewEngine(options);
  return AllLogits(*NewSession(*engine), tokens);
}

// The mean KL divergence of rows of logits.
double Divergence(const std::vector<float>& expected, const std::vector<float>& found,
                  size_t rows) {
  const size_t cols = expected.size() / rows;
  double divergence = 0;
  for (size_t row = 0; row < rows; ++row) {
    const auto log_sum = [&](const std::vector<float>& logits) {
      double sum = 0;
      for (size_t i = 0; i < cols; ++i) sum += std::exp(double{logits[row * cols + i]});
      return std::log(sum);
    };
    const double of_expected = log_sum(expected), of_found = log_sum(found);
    for (size_t i = row * cols; i < (row + 1) * cols; ++i) {
      const double log_p = double{expected[i]} - of_expected;
      divergence += std::exp(log_p) * (log_p - (double{found[i]} - of_found));
    }
  }
  return divergence / static_cast<double>(rows);
}

class EqualFamilies : public testing::TestWithParam<fs::path> {};

// Powers of two change no bit of float32; in another basis sums of products are rounded otherwise.
TEST_P(EqualFamilies, AreOneInFloat) {
  for (const GoldenModel& golden : ReadGoldens(GetParam())) {
    if (!golden.refused.empty()) continue;
    SCOPED_TRACE(golden.label);
    const TempFolder folder;
    WriteCheckpoint(folder / "model", golden);
    const Source source = OpenSource(folder / "model", GgufRulesOf);
    std::string restriction;
    const auto turn = [&](DecoderSpec& spec) {
      restriction = TurnStream(*source.checkpoint, spec);
    };
    const auto logits = [&](const std::function<void(DecoderSpec&)>& change) {
      return LogitsOf(folder / "model", GoldenTokens(golden), kFloat, change);
    };
    const std::vector<float> own = logits(nullptr), turned = logits(turn);
    EXPECT_EQ(logits(kScaled), own);
    float largest = 0, difference = 0;
    for (size_t i = 0; i < own.size(); ++i) {
      largest = std::max(largest, std::fabs(own[i]));
      difference = std::max(difference, std::fabs(own[i] - turned[i]));
    }
    EXPECT_LE(difference, 1e-4f * largest);
    EXPECT_EQ(restriction.empty(), difference > 0) << restriction;
    RecordProperty("restriction", restriction);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EqualFamilies, testing::ValuesIn(Files()), [](const auto& param) {
  std::string name = param.param.stem().string();
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
});

// Random weights round by chance: of one small model a loss may well be four times as large, of all
// together it stays. Not scaled back, models lose 10 to 1,000 times as much.
TEST(EqualModels, LoseTheSameInFewBits) {
  double logs[std::size(kFewBits)] = {};
  size_t n = 0;
  for (const fs::path& file : Files()) {
    const GoldenModel golden = ReadGoldens(file).front();
    if (!golden.refused.empty()) continue;
    SCOPED_TRACE(file.stem());
    const TempFolder folder;
    WriteCheckpoint(folder / "model", golden);
    const std::vector<int32_t> tokens = GoldenTokens(golden);
    const auto logits = [&](const Kind& kind, bool scaled) {
      return LogitsOf(folder / "model", tokens, kind, scaled ? kScaled : nullptr);
    };
    const std::vector<float> exact = logits(kFloat, false);
    for (size_t i = 0; i < std::size(kFewBits); ++i) {
      const double before = Divergence(exact, logits(kFewBits[i], false), tokens.size());
      const double after = Divergence(exact, logits(kFewBits[i], true), tokens.size());
      EXPECT_LE(after, 5 * before + 1e-4) << kFewBits[i].name;
      logs[i] += std::log(after / before);
    }
    ++n;
  }
  for (size_t i = 0; i < std::size(kFewBits); ++i) {
    EXPECT_LE(std::exp(logs[i] / static_cast<double>(n)), 1.15) << kFewBits[i].name;
  }
}

}  // namespace
}  // namespace rondo::convert::equal_models_model_test
