// InternVL: square tiles and the whole picture, each seen by a ViT with a row of its own behind the
// patches and scales behind attention and MLP; squares of patches become rows.
#include <cmath>
#include <string>
#include <vector>

#include "tools/convert/architectures/vision/tower_parts.h"

namespace rondo::convert {

namespace {

// A number, or a list of two, which must be equal.
uint32_t SquareSide(const Config& config, const char* key, uint64_t if_absent) {
  constexpr uint64_t kMost = 1u << 14;
  if (!config.Has(key) || config.IsNumber(key)) return config.Count(key, kMost, if_absent);
  const std::vector<uint64_t> sides = config.Integers(key, kMost);
  if (sides.size() != 2 || sides[0] != sides[1] || sides[0] == 0) {
    config.Refuse(key, "is no list of two equal numbers");
  }
  return static_cast<uint32_t>(sides[0]);
}

Family ReadInternLayers(const Config& vision, const std::string& prefix) {
  Family f(ReadSizes(vision.With("vocab_size", 1),
                     {.default_context = 1, .without_kv_heads = "this tower"}));
  const std::string norm = vision.Text("norm_type", "layer_norm");
  if (norm != "layer_norm" && norm != "rms_norm") {
    vision.Refuse("norm_type", "is " + norm + "; known: layer_norm, rms_norm");
  }
  f.norm = norm == "layer_norm" ? format::NormKind::kLayerNorm : format::NormKind::kRmsNorm;
  f.norm_bias = norm == "layer_norm";
  f.epsilon = vision.Positive("layer_norm_eps", 1e-6);
  f.prefix = prefix;
  f.layer_prefix = "encoder.layer.";
  f.final_norm = vision.Flag("use_mean_pooling", true) ? "" : "layernorm";
  f.attention.pre_norm = "layernorm_before";
  f.attention.qkv_bias = vision.Flag("attention_bias", false);
  f.attention.output_bias = f.mlp.bias = true;
  Attention::Names& names = f.attention.names;
  for (std::string* name : {&names.q, &names.k, &names.v, &names.q_norm, &names.k_norm}) {
    name->replace(0, std::string("self_attn").size(), "attention");
  }
  names.output = "attention.projection_layer";
  if (vision.Flag("use_qk_norm", false)) f.attention.head_norm = HeadNorm::kWhole;
  f.mlp.pre_norm = "layernorm_after";
  f.mlp.Ungate("mlp.fc1", "mlp.fc2");
  f.mlp.activation = ReadActivation(vision, "hidden_act", "gelu");
  return f;
}

void ScaleRows(const format::LinearT& linear, const std::string& scales, DecoderSpec* spec) {
  spec->tensors[linear.weight].row_scales = scales;
  if (linear.bias >= 0) spec->tensors[static_cast<size_t>(linear.bias)].row_scales = scales;
}

// What attention and MLP make is scaled by channel. Norms of q and k are RMSNorms beside any
// others.
void FinishLayers(const std::string& prefix, DecoderSpec* spec) {
  uint32_t i = 0;
  for (const auto& layer : spec->vision->layers) {
    const std::string source = prefix + "encoder.layer." + std::to_string(i++) + ".";
    for (const auto& sublayer : layer->sublayers) {
      if (const format::AttentionT* attention = sublayer->op.AsAttention()) {
        ScaleRows(*attention->output, source + "lambda_1", spec);
        for (format::NormT* norm : {attention->q_norm.get(), attention->k_norm.get()}) {
          if (norm == nullptr) continue;
          norm->kind = format::NormKind::kRmsNorm;
          norm->epsilon = 1e-6;
        }
      } else {
        ScaleRows(*sublayer->op.AsMlp()->down, source + "lambda_2", spec);
      }
    }
  }
}

// The first position is that of the row of its own.
void AddEmbeddings(const Config& vision, const std::string& source, uint32_t side, uint32_t patch,
                   DecoderSpec* spec) {
  const uint64_t hidden = spec->vision->hidden_size, places = uint64_t{side} * side;
  format::TowerT& tower = *spec->vision->tower;
  AddPatchProduct(source + "patch_embeddings.projection", patch, true, true, spec);
  TensorRecipe own{"vision.class_row", TensorRole::kTable, {}, hidden};
  own.parts.push_back({source + "cls_token", 1, 0, {1, 1, hidden}});
  if (vision.Flag("use_absolute_position_embeddings", true)) {
    const std::vector<uint64_t> shape = {1, places + 1, hidden};
    const std::string positions = source + "position_embeddings";
    own.parts.push_back({positions, 1, 0, shape});
    tower.positions = format::PatchPositions::kGrid;
    tower.side = side;
    tower.position_table = static_cast<int32_t>(spec->Add(
        {"vision.positions", TensorRole::kTable, {{positions, places, 1, shape}}, hidden}));
  } else {
    own.parts.push_back({"", 1});
    own.parts.back().scale = 0;
  }
  tower.class_row = static_cast<int32_t>(spec->Add(std::move(own)));
}

}  // namespace

void ReadInternVlVision(const VisionSource& source, DecoderSpec* spec) {
  const Config &config = source.config, &vision = source.vision;
  const uint32_t patch = SquareSide(vision, "patch_size", 14);
  const uint32_t side = SquareSide(vision, "image_size", 448) / patch;
  const auto merge =
      static_cast<uint32_t>(std::lround(1 / config.Positive("downsample_ratio", 0.5)));
  if (config.Has("vision_feature_layer") &&
      (!config.IsNumber("vision_feature_layer") || config.Number("vision_feature_layer") != -1)) {
    config.Refuse("vision_feature_layer", "is not -1, the last");
  }
  if (config.Text("vision_feature_select_strategy", "default") != "default") {
    config.Refuse("vision_feature_select_strategy", "is not default, which keeps patches alone");
  }
  const std::string prefix = "model.vision_tower.", connector = "model.multi_modal_projector.";
  format::TowerT& tower = AddTower(ReadInternLayers(vision, prefix), spec);
  FinishLayers(prefix, spec);
  AddEmbeddings(vision, prefix + "embeddings.", side, patch, spec);
  spec->vision->context_length = side * side;
  const uint64_t merged = uint64_t{spec->vision->hidden_size} * merge * merge;
  AddMergedNorm(connector + "layer_norm", merged, format::NormKind::kLayerNorm, 1e-5, true, 0,
                spec);
  AddTowerDense(connector + "linear_1", spec->hidden_size, merged, true,
                ReadDenseActivation(config, "projector_hidden_act", "gelu"), spec);
  AddTowerDense(connector + "linear_2", spec->hidden_size, spec->hidden_size, true,
                format::DenseActivation::kIdentity, spec);

  format::ImageProcessorT& p = *tower.processor;
  p.rule = format::SizeRule::kGrid;
  p.filter = ReadFilter(source.processor, 3);
  p.patch = patch;
  p.merge = merge;
  p.channels_first = true;
  p.tile = side * patch;
  // It cuts pictures into tiles whatever crop_to_patches says.
  p.min_tiles = source.processor.Count("min_patches", 256, 1);
  p.max_tiles = source.processor.Count("max_patches", 256, 12);
  ReadNormalization(source.processor, p);
  format::PictureTextT& text = *tower.text;
  text.begin = {source.vocabulary.token("<img>")};
  text.placeholder = source.vocabulary.token("<IMG_CONTEXT>");
  text.end = {source.vocabulary.token("</img>")};
  spec->Keep({"model.vision_tower.", "vision_tower.", "model.multi_modal_projector.",
              "multi_modal_projector."});
  AddOtherNames({{prefix, "vision_tower."}, {connector, "multi_modal_projector."}}, spec);
}

}  // namespace rondo::convert
