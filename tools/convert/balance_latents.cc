#include "tools/convert/balance_latents.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tools/convert/output/part_reader.h"

namespace rondo::convert {
namespace {

// Beyond this a model would be no better for it, and products could leave the range of floats.
constexpr long kMostPower = 16;

// visit(part) for those that hold the rows from `first` on.
template <typename Recipe, typename Visit>
void ForPartsFrom(uint64_t first, Recipe& recipe, const Visit& visit) {
  uint64_t row = 0;
  for (auto& part : recipe.parts) {
    if (row >= first) visit(part);
    row += part.rows;
  }
}

// Of the rows from `first` on: the mean square of what comes out when inputs of variance 1 go
// through `norm` (null: none) and then through them.
double MeanSquare(const Checkpoint& checkpoint, const TensorRecipe& recipe, uint64_t first,
                  const std::vector<float>* norm) {
  double sum = 0;
  uint64_t rows = 0;
  ForPartsFrom(first, recipe, [&](const TensorRecipe::Part& part) {
    const std::vector<float> values = ReadPart(recipe, part, checkpoint);
    for (size_t i = 0; i < values.size(); ++i) {
      const double value =
          static_cast<double>(values[i]) * (norm == nullptr ? 1.0f : (*norm)[i % recipe.cols]);
      sum += value * value;
    }
    rows += part.rows;
  });
  return sum / static_cast<double>(rows);
}

void Multiply(float factor, uint64_t first, TensorRecipe& recipe) {
  ForPartsFrom(first, recipe, [&](TensorRecipe::Part& part) { part.scale *= factor; });
}

void Balance(const Checkpoint& checkpoint, const format::NormT* input_norm,
             const format::LatentAttentionT& attention, DecoderSpec& spec) {
  std::vector<float> norm;
  if (input_norm != nullptr) {
    const TensorRecipe& recipe = spec.tensors[input_norm->weight];
    norm = ReadPart(recipe, recipe.parts.front(), checkpoint);
  }
  TensorRecipe& keys = spec.tensors[attention.kv_down->weight];
  const uint64_t first = attention.latent_dim;  // of the rows that turn
  double turned = MeanSquare(checkpoint, keys, first, input_norm != nullptr ? &norm : nullptr);
  TensorRecipe* biases = nullptr;
  if (attention.kv_down->bias >= 0) {
    biases = &spec.tensors[static_cast<size_t>(attention.kv_down->bias)];
    turned += MeanSquare(checkpoint, *biases, first, nullptr);
  }
  const double latent =
      MeanSquare(checkpoint, spec.tensors[attention.latent_norm->weight], 0, nullptr);
  if (turned == 0 || latent == 0) return;
  const long power =
      std::clamp(std::lround(std::log2(latent / turned) / 2), -kMostPower, kMostPower);
  const float factor = std::ldexp(1.0f, static_cast<int>(power));
  Multiply(factor, first, keys);
  if (biases != nullptr) Multiply(factor, first, *biases);
  Multiply(1 / factor, uint64_t{attention.n_heads} * attention.nope_dim,
           spec.tensors[attention.q->weight]);
}

}  // namespace

void BalanceLatents(const Checkpoint& checkpoint, DecoderSpec& spec) {
  for (const format::LayerT& layer : spec.layers) {
    for (const auto& sublayer : layer.sublayers) {
      const format::LatentAttentionT* attention = sublayer->op.AsLatentAttention();
      if (attention == nullptr || attention->latent_norm == nullptr) continue;
      Balance(checkpoint, sublayer->norm.get(), *attention, spec);
    }
  }
}

}  // namespace rondo::convert
