#include "tools/convert/architectures/vision/tower_parts.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "runtime/model/limits.h"
#include "tools/common/error.h"
#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

namespace {

// What the names of the last merger's tensors begin with.
std::string MergerName(const format::TowerT& tower) {
  return tower.mergers.empty() ? "vision."
                               : "vision.mergers." + std::to_string(tower.mergers.size() - 1) + ".";
}

}  // namespace

Family SiglipFamily(const Config& vision, const std::string& prefix) {
  Family f(ReadSizes(vision.With("vocab_size", 1),
                     {.default_context = 1, .without_kv_heads = "this tower"}));
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = vision.Positive("layer_norm_eps", 1e-6);
  f.norm_bias = f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = true;
  f.prefix = prefix;
  f.layer_prefix = "encoder.layers.";
  f.final_norm = "post_layernorm";
  f.attention.names.output = "self_attn.out_proj";
  f.attention.pre_norm = "layer_norm1";
  f.mlp.pre_norm = "layer_norm2";
  f.mlp.Ungate("mlp.fc1", "mlp.fc2");
  f.mlp.activation = ReadActivation(vision, "hidden_act", "gelu_pytorch_tanh");
  return f;
}

format::TowerT& AddTower(const Family& f, DecoderSpec* spec) {
  format::ModelT& vision = *(spec->vision = std::make_shared<format::ModelT>());
  vision.hidden_size = f.sizes.hidden;
  vision.tower = std::make_unique<format::TowerT>();
  vision.tower->processor = std::make_unique<format::ImageProcessorT>();
  vision.tower->text = std::make_unique<format::PictureTextT>();
  const size_t begin = spec->tensors.size();
  BuildTower(f, spec, &vision);
  for (size_t i = begin; i < spec->tensors.size(); ++i) {
    TensorRole& role = spec->tensors[i].role;
    if (role == TensorRole::kMatrix) role = TensorRole::kVision;
  }
  return *vision.tower;
}

void AddPatchProduct(const std::string& source, uint32_t patch, bool is_convolution, bool has_bias,
                     DecoderSpec* spec) {
  const uint64_t hidden = spec->vision->hidden_size, values = 3 * uint64_t{patch} * patch;
  TensorRecipe recipe{"vision.patch",
                      TensorRole::kVision,
                      {{.source = source + ".weight", .rows = hidden}},
                      values};
  if (is_convolution) recipe.parts[0].shape = {hidden, 3, patch, patch};
  auto& linear = spec->vision->tower->patch = std::make_unique<format::LinearT>();
  linear->weight = spec->Add(std::move(recipe));
  if (!has_bias) return;
  linear->bias = static_cast<int32_t>(
      spec->Add({"vision.patch.bias", TensorRole::kVector, {{source + ".bias", hidden}}, 1}));
}

void AddGridPositions(const std::string& source, uint32_t side, uint32_t table_side,
                      const std::function<uint32_t(uint32_t place)>& row, DecoderSpec* spec) {
  // Far above real ones; the recipe may have a part for each patch.
  constexpr uint32_t kMostSide = 1024;
  if (side > kMostSide) {
    throw tools::Error("a tile has " + std::to_string(side) + " patches a side, expected at most " +
                       std::to_string(kMostSide));
  }
  const uint64_t hidden = spec->vision->hidden_size;
  TensorRecipe recipe{"vision.positions", TensorRole::kTable, {}, hidden};
  const std::vector<uint64_t> shape = {uint64_t{table_side} * table_side, hidden};
  for (uint32_t y = 0; y < side; ++y) {
    for (uint32_t x = 0; x < side; ++x) {
      const uint64_t first = uint64_t{row(y)} * table_side + row(x);
      TensorRecipe::Part* const last = recipe.parts.empty() ? nullptr : &recipe.parts.back();
      if (last != nullptr && last->first_row + last->rows == first) {
        ++last->rows;
      } else {
        recipe.parts.push_back({source + ".weight", 1, first, shape});
      }
    }
  }
  format::TowerT& tower = *spec->vision->tower;
  tower.positions = format::PatchPositions::kGrid;
  tower.side = side;
  tower.position_table = static_cast<int32_t>(spec->Add(std::move(recipe)));
}

void AddTowerDense(const std::string& source, uint64_t rows, uint64_t cols, bool has_bias,
                   format::DenseActivation activation, DecoderSpec* spec) {
  format::TowerT& tower = *spec->vision->tower;
  auto& all = tower.mergers.empty() ? tower.dense : tower.mergers.back()->dense;
  const std::string name = MergerName(tower) + "dense." + std::to_string(all.size());
  auto dense = std::make_unique<format::DenseT>();
  dense->activation = activation;
  dense->linear = std::make_unique<format::LinearT>();
  dense->linear->weight =
      spec->Add({name, TensorRole::kVision, {{source + ".weight", rows}}, cols});
  if (has_bias) {
    dense->linear->bias = static_cast<int32_t>(
        spec->Add({name + ".bias", TensorRole::kVector, {{source + ".bias", rows}}, 1}));
  }
  all.push_back(std::move(dense));
}

void AddMergingDense(const std::string& source, uint64_t rows, uint32_t merge, bool has_bias,
                     DecoderSpec* spec) {
  const size_t hidden = spec->vision->hidden_size, places = size_t{merge} * merge;
  AddTowerDense(source, rows, hidden * places, has_bias, format::DenseActivation::kIdentity, spec);
  spec->tensors[spec->vision->tower->dense.back()->linear->weight].columns = {
      hidden * places, [=](std::span<const float> row, std::span<float> made) {
        for (size_t i = 0; i < made.size(); ++i) made[i] = row[i % hidden * places + i / hidden];
      }};
}

void AddMergedNorm(const std::string& source, uint64_t n, format::NormKind kind, double epsilon,
                   bool has_bias, float offset, DecoderSpec* spec) {
  format::TowerT& tower = *spec->vision->tower;
  auto& norm = tower.mergers.empty() ? tower.merged_norm : tower.mergers.back()->norm;
  norm = std::make_unique<format::NormT>();
  norm->kind = kind;
  norm->epsilon = epsilon;
  const std::string name = MergerName(tower) + "merged_norm";
  TensorRecipe weight{name, TensorRole::kVector, {{source + ".weight", n}}, 1};
  weight.offset = offset;
  norm->weight = spec->Add(std::move(weight));
  if (!has_bias) return;
  norm->bias = static_cast<int32_t>(
      spec->Add({name + ".bias", TensorRole::kVector, {{source + ".bias", n}}, 1}));
}

void AddPositionTable(const std::string& source, format::PatchPositions kind, uint32_t side,
                      DecoderSpec* spec) {
  format::TowerT& tower = *spec->vision->tower;
  tower.positions = kind;
  tower.side = side;
  tower.position_table =
      static_cast<int32_t>(spec->Add({"vision.positions",
                                      TensorRole::kTable,
                                      {{source + ".weight", uint64_t{side} * side}},
                                      spec->vision->hidden_size}));
}

void AddOtherNames(std::initializer_list<OtherName> names, DecoderSpec* spec) {
  spec->other_names.insert(spec->other_names.end(), names);
}

format::DenseActivation ReadDenseActivation(const Config& config, const char* key,
                                            const char* if_absent) {
  const std::string name = config.Text(key, if_absent);
  if (name == "gelu") return format::DenseActivation::kGelu;
  config.Refuse(key, "is " + name + "; known: gelu");
}

void ReadNormalization(const Config& processor, format::ImageProcessorT& into) {
  constexpr double kByte = 1.0 / 255;
  if (!processor.Flag("do_rescale", true) ||
      std::fabs(processor.Positive("rescale_factor", kByte) - kByte) > 1e-9) {
    processor.Refuse("rescale_factor", "is not 1 / 255, or do_rescale is false");
  }
  if (!processor.Flag("do_resize", true)) processor.Refuse("do_resize", "is false");
  into.mean = {0, 0, 0};
  into.std = {1, 1, 1};
  if (!processor.Flag("do_normalize", true)) return;
  for (const auto& [key, values] :
       {std::pair("image_mean", &into.mean), {"image_std", &into.std}}) {
    *values = processor.Numbers(key);
    if (values->size() != 3) processor.Refuse(key, "is no list of three numbers");
  }
}

format::Filter ReadFilter(const Config& processor, int if_absent) {
  switch (processor.Integer("resample", 0, 5, static_cast<uint64_t>(if_absent))) {
    case 1:
      return format::Filter::kLanczos;
    case 2:
      return format::Filter::kBilinear;
    case 3:
      return format::Filter::kBicubic;
    case 4:
      return format::Filter::kBox;
    default:
      processor.Refuse("resample", "is no filter that is known: 1, 2, 3 or 4");
  }
}

}  // namespace rondo::convert
