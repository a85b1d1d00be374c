#include "tools/convert/identities/magnitudes.h"

#include <algorithm>
#include <cmath>

#include "platforms/cpu.h"
#include "tools/convert/common/parallel.h"
#include "tools/convert/common/vector_clones.h"
#include "tools/convert/output/part_reader.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kElementsPerStep = 1u << 20;
// So that no sum depends on how many cores there are.
constexpr size_t kSlices = 16;
constexpr size_t kSums = 16;

// The root of the sum of (row[i] * inputs[i])^2.
RONDO_VECTOR_CLONES
double RowMagnitude(const float* row, const float* inputs, size_t cols) {
  float sums[kSums] = {};
  size_t i = 0;
  for (; i + kSums <= cols; i += kSums) {
    for (size_t lane = 0; lane < kSums; ++lane) {
      const float value = row[i + lane] * inputs[i + lane];
      sums[lane] += value * value;
    }
  }
  double sum = 0;
  for (const float lane : sums) sum += double{lane};
  for (; i < cols; ++i) sum += std::pow(double{row[i]} * double{inputs[i]}, 2);
  return std::sqrt(sum);
}

RONDO_VECTOR_CLONES
void AddShares(const float* row, float factor, size_t cols, float* shares) {
  for (size_t i = 0; i < cols; ++i) {
    const float value = row[i] * factor;
    shares[i] += value * value;
  }
}

}  // namespace

Magnitudes::Magnitudes(const DecoderSpec& spec, const Checkpoint& checkpoint,
                       const std::vector<Identity>& identities)
    : spec_(spec), checkpoint_(checkpoint) {
  for (const Identity& identity : identities) {
    for (const Place& place : identity.shrinks) {
      std::vector<const Identity*>& feeding = feeding_[place.tensor];
      if (place.columns && (feeding.empty() || feeding.back() != &identity)) {
        feeding.push_back(&identity);
      }
    }
  }
}

std::vector<double> Magnitudes::Made(const Identity& identity) {
  std::vector<double> channels(identity.channels, 1);
  Multiply(identity.grows, &channels);
  for (const Places& places : identity.made_with) Multiply(places, &channels);
  for (double& channel : channels) channel = std::pow(channel, identity.degree);
  return channels;
}

std::vector<double> Magnitudes::Read(const Identity& identity) {
  std::vector<double> channels(identity.channels, 1);
  Multiply(identity.shrinks, &channels);
  for (const Places& places : identity.read_with) Multiply(places, &channels);
  if (identity.shrinks_apart.empty()) return channels;
  Multiply(identity.shrinks_apart, &channels);
  for (double& channel : channels) channel = std::sqrt(channel);
  return channels;
}

void Magnitudes::Multiply(const Places& places, std::vector<double>* channels) {
  std::vector<double> squares(channels->size());
  for (const Place& place : places) {
    if (spec_.tensors[place.tensor].role == TensorRole::kTable) continue;
    const OfTensor& tensor = Of(place.tensor);
    const std::vector<double>& values = place.columns ? tensor.columns : tensor.rows;
    for (uint64_t i = 0; i < place.n; ++i) {
      squares[place.from + i] += std::pow(values.at(place.first + i), 2);
    }
  }
  for (size_t i = 0; i < squares.size(); ++i) (*channels)[i] *= std::sqrt(squares[i]);
}

const Magnitudes::OfTensor& Magnitudes::Of(uint32_t tensor) {
  if (const auto found = tensors_.find(tensor); found != tensors_.end()) return found->second;
  const TensorRecipe& recipe = spec_.tensors[tensor];
  OfTensor result;
  if (recipe.role == TensorRole::kVector) {
    for (const TensorRecipe::Part& part : recipe.parts) {
      for (const float value : ReadPart(recipe, part, checkpoint_)) {
        result.rows.push_back(std::fabs(double{value}));
      }
    }
  } else {
    result = OfMatrix(recipe, InputsOf(tensor));
  }
  return tensors_.emplace(tensor, std::move(result)).first->second;
}

std::vector<float> Magnitudes::InputsOf(uint32_t tensor) {
  std::vector<float> inputs(spec_.tensors[tensor].cols, 1);
  for (const Identity* const identity : feeding_[tensor]) {
    const std::vector<double> made = Made(*identity);
    for (const Place& place : identity->shrinks) {
      if (place.tensor != tensor || !place.columns) continue;
      for (uint64_t i = 0; i < place.n; ++i) {
        inputs[place.first + i] = static_cast<float>(made[place.from + i]);
      }
    }
  }
  return inputs;
}

Magnitudes::OfTensor Magnitudes::OfMatrix(const TensorRecipe& recipe,
                                          const std::vector<float>& inputs) const {
  const auto cols = static_cast<size_t>(recipe.cols);
  const uint64_t rows_per_step = std::max<uint64_t>(kSlices, kElementsPerStep / recipe.cols);
  OfTensor result;
  std::vector<double> shares(cols);
  std::vector<float> values, of_slices;
  for (const TensorRecipe::Part& part : recipe.parts) {
    PartReader reader(recipe, part, checkpoint_);
    for (uint64_t row = 0; row < part.rows; row += rows_per_step) {
      const auto n_rows = static_cast<size_t>(std::min(rows_per_step, part.rows - row));
      values.resize(n_rows * cols);
      reader.Read(row, values);
      const size_t before = result.rows.size();
      result.rows.resize(before + n_rows);
      of_slices.assign(kSlices * cols, 0);
      ParallelFor(PerformanceCores(), kSlices, [&](size_t slice) {
        for (size_t i = slice; i < n_rows; i += kSlices) {
          const float* const one = &values[i * cols];
          const double magnitude = RowMagnitude(one, inputs.data(), cols);
          result.rows[before + i] = magnitude;
          if (magnitude == 0) continue;
          AddShares(one, static_cast<float>(1 / magnitude), cols, &of_slices[slice * cols]);
        }
      });
      for (size_t i = 0; i < of_slices.size(); ++i) shares[i % cols] += double{of_slices[i]};
    }
  }
  const auto rows = static_cast<double>(result.rows.size());
  for (const double share : shares) result.columns.push_back(std::sqrt(share / rows));
  return result;
}

}  // namespace rondo::convert
