#include "tools/convert/calibrate/priors.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "platforms/cpu.h"
#include "tools/convert/output/part_reader.h"

namespace rondo::convert {
namespace {

using format::TensorFormat;

constexpr uint64_t kSampledRows = 128;
constexpr uint64_t kRowsTogether = 16;

// Some rows from everywhere in the matrix.
std::vector<float> Sample(const TensorRecipe& recipe, const Checkpoint& checkpoint) {
  std::vector<float> sample;
  for (const TensorRecipe::Part& part : recipe.parts) {
    const uint64_t share = std::max<uint64_t>(1, kSampledRows * part.rows / recipe.rows());
    const uint64_t pieces = std::max<uint64_t>(1, share / kRowsTogether);
    PartReader reader(recipe, part, checkpoint);
    for (uint64_t i = 0; i < pieces; ++i) {
      const uint64_t row = part.rows * i / pieces;
      const uint64_t n_rows = std::min({part.rows - row, kRowsTogether, share});
      const size_t before = sample.size();
      sample.resize(before + static_cast<size_t>(n_rows * recipe.cols));
      reader.Read(row, std::span(sample).subspan(before));
    }
  }
  return sample;
}

}  // namespace

double Sensitivity(const std::string& name) {
  struct Prior {
    const char* part;
    double sensitivity;
  };
  // As published of quantised Qwen3.5 and Gemma 4: attention and what recurrences put out lose
  // most, an MLP's gate and up least. What is not here is as these.
  constexpr std::array kPriors = {
      Prior{"mamba2.output", 4}, Prior{"gated_delta_net.output", 4},
      Prior{"attention.", 2},    Prior{"latent", 2},
      Prior{"mlp.down", 1.5},    Prior{"down", 1.5},
  };
  const auto* const found = std::ranges::find_if(
      kPriors, [&](const Prior& prior) { return name.find(prior.part) != std::string::npos; });
  return found == kPriors.end() ? 1 : found->sensitivity;
}

std::map<size_t, FormatDecision> ChooseFormatsByPriors(
    const std::vector<TensorRecipe>& recipes, const Checkpoint& checkpoint, double bits,
    const std::function<void(double)>& progress) {
  std::vector<size_t> matrices;
  std::vector<std::vector<FormatCost>> costs;
  std::vector<FormatDecision> decisions;
  const std::vector<MatrixFormat> formats = FormatsFor(bits);
  for (size_t i = 0; i < recipes.size(); ++i) {
    const TensorRecipe& recipe = recipes[i];
    progress(static_cast<double>(i) / static_cast<double>(recipes.size()));
    if (recipe.role != TensorRole::kMatrix) continue;
    const std::vector<float> sample = Sample(recipe, checkpoint);
    const double squares = std::inner_product(sample.begin(), sample.end(), sample.begin(), 0.0);
    const auto cols = static_cast<size_t>(recipe.cols);
    costs.emplace_back();
    for (const MatrixFormat& format : formats) {
      const std::vector<float> rounded = RoundTrip(sample, cols, format, PerformanceCores());
      const double error = squares > 0 ? SquaredDistance(sample, rounded) / squares : 0;
      costs.back().push_back(
          {StoredBytes(recipe.rows(), recipe.cols, format), error * Sensitivity(recipe.name)});
    }
    matrices.push_back(i);
    decisions.push_back(
        {recipe.name, recipe.rows() * recipe.cols, costs.back().front().loss, {}, 0});
  }
  std::map<size_t, FormatDecision> by_index;
  if (matrices.empty()) return by_index;
  Decide(costs, bits, &decisions);
  for (size_t i = 0; i < matrices.size(); ++i) by_index[matrices[i]] = decisions[i];
  return by_index;
}

}  // namespace rondo::convert
