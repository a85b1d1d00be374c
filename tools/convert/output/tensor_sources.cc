#include "tools/convert/output/tensor_sources.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/model/adaptable.h"

namespace rondo::convert {
namespace {

constexpr std::string_view kWeight = ".weight";

std::set<uint32_t> AdaptableTensors(const DecoderSpec& spec) {
  std::set<uint32_t> tensors;
  for (const format::LayerT& layer : spec.layers) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(format::CreateLayer(builder, &layer));
    ForEachAdaptable(*flatbuffers::GetRoot<format::Layer>(builder.GetBufferPointer()),
                     [&](const format::Linear& linear) { tensors.insert(linear.weight()); });
  }
  return tensors;
}

bool IsRows(const TensorRecipe& recipe, const TensorRecipe::Part& part) {
  return part.source.ends_with(kWeight) && part.first_col == 0 && part.matrix == 0 &&
         recipe.SourceShape(part).size() == 2;
}

}  // namespace

std::vector<format::TensorSourceT> TensorSources(const DecoderSpec& spec) {
  std::vector<format::TensorSourceT> sources;
  for (const uint32_t tensor : AdaptableTensors(spec)) {
    const TensorRecipe& recipe = spec.tensors[tensor];
    format::TensorSourceT source;
    source.tensor = tensor;
    bool known = recipe.IsOnlyScaled();
    for (const TensorRecipe::Part& part : recipe.parts) {
      known = known && IsRows(recipe, part);
      if (!known) break;
      auto rows = std::make_unique<format::SourceRowsT>();
      const std::vector<uint64_t> shape = recipe.SourceShape(part);
      rows->name = part.source.substr(0, part.source.size() - kWeight.size());
      rows->outputs = static_cast<uint32_t>(recipe.transposed ? shape[1] : shape[0]);
      rows->rows = static_cast<uint32_t>(part.rows);
      rows->first_row = static_cast<uint32_t>(part.first_row);
      rows->row_step = static_cast<uint32_t>(part.row_step);
      rows->scale = recipe.ScaleOf(part);
      source.parts.push_back(std::move(rows));
    }
    source.row_powers = recipe.row_powers;
    source.col_powers = recipe.col_powers;
    if (recipe.gains) source.gains = *recipe.gains;
    source.rows_turned = recipe.rows_turned;
    source.columns_turned = recipe.columns_turned;
    if (known) sources.push_back(std::move(source));
  }
  return sources;
}

bool AreChanged(const std::vector<format::TensorSourceT>& sources) {
  return std::ranges::any_of(sources, [](const format::TensorSourceT& source) {
    return !source.row_powers.empty() || !source.col_powers.empty() || !source.gains.empty() ||
           source.rows_turned || source.columns_turned;
  });
}

}  // namespace rondo::convert
