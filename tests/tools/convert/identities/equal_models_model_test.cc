// Of the equal models that a family's identities make, none loses more to few bits than another.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/test_model.h"
#include "tests/tools/convert/families/golden.h"
#include "tools/convert/identities/identity.h"

namespace rondo::convert::equal_models_model_test {
namespace {

namespace fs = std::filesystem;
using format::TensorFormat;

constexpr int kMostPower = 6;  // factors to 64

std::vector<fs::path> Files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TestData("families"))) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && path.stem() != "refused") files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

void Multiply(const Places& places, const std::vector<int>& powers, int times, DecoderSpec& spec) {
  for (const Place& place : places) {
    TensorRecipe& recipe = spec.tensors[place.tensor];
    auto& all = place.columns ? recipe.col_powers : recipe.row_powers;
    all.resize(place.columns ? recipe.cols : recipe.rows());
    for (uint64_t i = 0; i < place.n; ++i) {
      all.at(place.first + i) =
          static_cast<int8_t>(all.at(place.first + i) + times * powers[place.from + i]);
    }
  }
}

// A factor for one channel in four of each identity.
void ScaleAtRandom(DecoderSpec& spec) {
  std::mt19937 random(5);
  for (const Identity& identity : FindIdentities(spec)) {
    std::vector<int> powers(identity.channels);
    for (int& power : powers) {
      const auto draw = static_cast<int>(random() % (4 * (2 * kMostPower + 1)));
      if (draw <= 2 * kMostPower) power = draw - kMostPower;
    }
    if (!identity.restriction.empty()) continue;
    Multiply(identity.grows, powers, 1, spec);
    Multiply(identity.shrinks, powers, -identity.degree, spec);
    Multiply(identity.shrinks_apart, powers, -identity.degree, spec);
  }
}

// Of the family's tokens, on the checkpoint in `folder`.
std::vector<float> LogitsOf(const fs::path& folder, const std::vector<int32_t>& tokens,
                            TensorFormat weights, bool scaled) {
  ConvertOptions convert;
  convert.directory = folder;
  convert.weights = weights;
  if (weights == TensorFormat::F32) convert.embedding = weights;
  if (scaled) convert.change = ScaleAtRandom;
  const TestModel model(convert);
  EngineOptions options;
  options.threads = 1;
  options.kv_format = weights == TensorFormat::F32 ? KvFormat::kFloat32 : KvFormat::kInt8;
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

class EqualModels : public testing::TestWithParam<fs::path> {};

TEST_P(EqualModels, LoseTheSame) {
  for (const GoldenModel& golden : ReadGoldens(GetParam())) {
    if (!golden.refused.empty()) continue;
    SCOPED_TRACE(golden.label);
    const TempFolder folder;
    WriteCheckpoint(folder / "model", golden);
    const std::vector<int32_t> tokens = GoldenTokens(golden);
    const auto logits = [&](TensorFormat weights, bool scaled) {
      return LogitsOf(folder / "model", tokens, weights, scaled);
    };
    const std::vector<float> exact = logits(TensorFormat::F32, false);
    const std::vector<float> scaled = logits(TensorFormat::F32, true);
    double worst = 0, largest = 0;
    for (size_t i = 0; i < exact.size(); ++i) {
      worst = std::max(worst, std::fabs(double{exact[i]} - double{scaled[i]}));
      largest = std::max(largest, std::fabs(double{exact[i]}));
    }
    EXPECT_LE(worst, 1e-4 * largest);
    if (golden.label != "as it is") continue;
    for (const TensorFormat format : {TensorFormat::Q8, TensorFormat::Q4, TensorFormat::Q4B}) {
      const double before = Divergence(exact, logits(format, false), tokens.size());
      const double after = Divergence(exact, logits(format, true), tokens.size());
      printf("RATIO %s %s f32 %.2g %.4g %.4g %.3f\n", GetParam().stem().c_str(), format::EnumNameTensorFormat(format), worst / largest, before, after, after / before);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EqualModels, testing::ValuesIn(Files()), [](const auto& param) {
  std::string name = param.param.stem().string();
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace rondo::convert::equal_models_model_test
