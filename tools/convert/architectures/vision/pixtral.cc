// Pixtral's tower, in LLaVA and Mistral 3: pictures of their own size, RoPE by row and column, no
// norm behind the layers. Mistral 3 merges patches; in the text marks stand behind rows of them.
#include <cmath>
#include <string>

#include "tools/convert/architectures/vision/tower_parts.h"

namespace rondo::convert {

namespace {

constexpr double kEpsilon = 1e-5;

// Even frequencies turn by the row, odd ones by the column.
RopeSpec ReadRope(const Config& vision, uint32_t head_dim) {
  const std::optional<Config> parameters = vision.Object("rope_parameters");
  const double theta =
      parameters ? parameters->Positive("rope_theta", 10000) : vision.Positive("rope_theta", 10000);
  RopeSpec rope;
  for (const uint8_t axis : {uint8_t{1}, uint8_t{2}}) {
    for (uint32_t i = axis - 1u; i < head_dim / 2; i += 2) {
      rope.frequencies.push_back(std::pow(theta, -2.0 * i / head_dim));
      rope.axes.push_back(axis);
    }
  }
  rope.description = "by row and column";
  return rope;
}

Family ReadLayers(const Config& vision, const std::string& prefix) {
  Family f(ReadSizes(vision.With("vocab_size", 1),
                     {.default_context = 1, .without_kv_heads = "this tower"}));
  if (f.sizes.head_dim % 4 != 0) vision.Refuse("head_dim", "is no multiple of 4");
  f.epsilon = kEpsilon;
  f.ropes = {ReadRope(vision, f.sizes.head_dim)};
  f.prefix = prefix;
  f.layer_prefix = "transformer.layers.";
  f.embedding_norm = "ln_pre";
  f.final_norm = "";
  for (const auto& [name, theirs] : {std::pair(&f.attention.names.q, "attention.q_proj"),
                                     {&f.attention.names.k, "attention.k_proj"},
                                     {&f.attention.names.v, "attention.v_proj"},
                                     {&f.attention.names.output, "attention.o_proj"},
                                     {&f.attention.pre_norm, "attention_norm"},
                                     {&f.mlp.pre_norm, "ffn_norm"},
                                     {&f.mlp.names.gate, "feed_forward.gate_proj"},
                                     {&f.mlp.names.up, "feed_forward.up_proj"},
                                     {&f.mlp.names.down, "feed_forward.down_proj"}}) {
    *name = theirs;
  }
  f.mlp.activation = ReadActivation(vision, "hidden_act", "gelu");
  return f;
}

uint32_t PatchSize(const Config& vision) { return vision.Count("patch_size", 512, 16); }

}  // namespace

void ReadPixtralVision(const VisionSource& source, DecoderSpec* spec) {
  const Config& config = source.config;
  const uint32_t patch = PatchSize(source.vision);
  const uint32_t merge = config.Count("spatial_merge_size", 16, 1);
  if (config.Has("vision_feature_layer") &&
      (!config.IsNumber("vision_feature_layer") || config.Number("vision_feature_layer") != -1)) {
    config.Refuse("vision_feature_layer", "is not -1, the last");
  }
  const std::string prefix = "model.vision_tower.", connector = "model.multi_modal_projector.";
  format::TowerT& tower = AddTower(ReadLayers(source.vision, prefix), spec);
  const uint64_t hidden = spec->vision->hidden_size;
  AddPatchProduct(prefix + "patch_conv", patch, true, false, spec);
  if (config.Text("model_type", "") == "mistral3") {
    // Its norm is of single patches.
    const double epsilon =
        config.Object("text_config").value_or(config).Positive("rms_norm_eps", 1e-6);
    auto& norm = spec->vision->final_norm = std::make_unique<format::NormT>();
    norm->kind = format::NormKind::kRmsNorm;
    norm->epsilon = epsilon;
    norm->weight = spec->Add(
        {"vision.final_norm", TensorRole::kVector, {{connector + "norm.weight", hidden}}, 1});
    AddMergingDense(connector + "patch_merger.merging_layer", hidden, merge, false, spec);
  }
  const bool bias = config.Flag("multimodal_projector_bias", true);
  AddTowerDense(connector + "linear_1", spec->hidden_size, hidden, bias,
                ReadDenseActivation(config, "projector_hidden_act", "gelu"), spec);
  AddTowerDense(connector + "linear_2", spec->hidden_size, spec->hidden_size, bias,
                format::DenseActivation::kIdentity, spec);

  format::ImageProcessorT& p = *tower.processor;
  const std::optional<Config> size = source.processor.Object("size");
  p.rule = format::SizeRule::kLongestEdge;
  p.filter = ReadFilter(source.processor, 3);
  p.patch = patch;
  p.merge = merge;
  p.channels_first = true;
  p.longest_edge = size ? size->Count("longest_edge", 1u << 14, 1024) : 1024;
  ReadNormalization(source.processor, p);
  const uint32_t side = (p.longest_edge + patch * merge - 1) / (patch * merge) * merge;
  spec->vision->context_length = side * side;
  format::PictureTextT& text = *tower.text;
  text.placeholder = source.vocabulary.token("[IMG]");
  text.between_rows = {source.vocabulary.token("[IMG_BREAK]")};
  text.end = {source.vocabulary.token("[IMG_END]")};
  spec->Keep({"model.vision_tower.", "vision_tower.", "model.multi_modal_projector.",
              "multi_modal_projector."});
  AddOtherNames({{prefix, "vision_tower."}, {connector, "multi_modal_projector."}}, spec);
}

}  // namespace rondo::convert
