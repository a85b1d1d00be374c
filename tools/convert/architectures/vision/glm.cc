// The towers of GLM-4.1V to 4.6V and of GLM-OCR: Qwen2.5-VL's layers without windows, a convolution
// that merges patches, and a gated MLP behind it. GLM-OCR has norms of q and k in place of learned
// positions.
#include <string>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/vision/qwen_parts.h"

namespace rondo::convert {

namespace {

constexpr double kGlmMergerEpsilon = 1e-5;

struct GlmSizes {
  uint32_t patch, merge, frames, out, intermediate;
};

Family ReadGlmLayers(const Config& vision, const GlmSizes& sizes, bool is_ocr) {
  Family f =
      ReadQwenLayers(vision.With("intermediate_size", is_ocr ? sizes.intermediate : sizes.out),
                     "hidden_size", "post_layernorm");
  f.norm = format::NormKind::kRmsNorm;
  f.epsilon = vision.Positive("rms_norm_eps", 1e-5);
  f.norm_bias = false;
  f.attention.qkv_bias = vision.Flag("attention_bias", is_ocr);
  f.attention.output_bias = f.mlp.bias = is_ocr && f.attention.qkv_bias;
  f.mlp.plain = false;
  f.mlp.names = {};
  if (!is_ocr) {
    f.embedding_norm = "post_conv_layernorm";
    return f;
  }
  f.attention.head_norm = HeadNorm::kShared;
  f.attention.names.q_norm = "attn.q_norm";
  f.attention.names.k_norm = "attn.k_norm";
  return f;
}

// A product, a LayerNorm and GELU, then a gated MLP of `context` channels.
void AddGlmMerger(const GlmSizes& sizes, uint64_t context, DecoderSpec* spec) {
  format::TowerT& tower = *spec->vision->tower;
  const std::string merger = kVisualPrefix + "merger.";
  AddMergingDense(kVisualPrefix + "downsample", sizes.out, sizes.merge, true, spec);
  TensorRecipe& convolution = spec->tensors[tower.dense.back()->linear->weight];
  convolution.parts[0].shape = {sizes.out, spec->vision->hidden_size, sizes.merge, sizes.merge};
  AddTowerDense(merger + "proj", sizes.out, sizes.out, false, format::DenseActivation::kGelu, spec);
  const std::string norm_name = merger + "post_projection_norm";
  auto& norm = tower.dense.back()->norm = std::make_unique<format::NormT>();
  norm->kind = format::NormKind::kLayerNorm;
  norm->epsilon = kGlmMergerEpsilon;
  norm->weight = spec->Add(
      {"vision.dense.1.norm", TensorRole::kVector, {{norm_name + ".weight", sizes.out}}, 1});
  norm->bias = static_cast<int32_t>(spec->Add(
      {"vision.dense.1.norm.bias", TensorRole::kVector, {{norm_name + ".bias", sizes.out}}, 1}));
  tower.dense.back()->norm_first = true;
  AddTowerDense(merger + "gate_proj", context, sizes.out, false, format::DenseActivation::kSiluGate,
                spec);
  spec->tensors[tower.dense.back()->linear->weight].parts.push_back(
      {merger + "up_proj.weight", context});
  AddTowerDense(merger + "down_proj", spec->hidden_size, context, false,
                format::DenseActivation::kIdentity, spec);
}

void ReadGlmTower(const VisionSource& source, bool is_ocr, DecoderSpec* spec) {
  const Config& vision = source.vision;
  const GlmSizes sizes = {
      .patch = vision.Count("patch_size", 512, 14),
      .merge = vision.Count("spatial_merge_size", 16, 2),
      .frames = vision.Count("temporal_patch_size", 16, 2),
      .out = vision.Count("out_hidden_size", kMaxHidden, is_ocr ? 1536 : 4096),
      .intermediate = vision.Count("intermediate_size", kMaxHidden, is_ocr ? 4096 : 13696)};
  if (vision.Text("hidden_act", "silu") != "silu") {
    vision.Refuse("hidden_act", "is not silu, which the merger has, too");
  }
  format::TowerT& tower = AddTower(ReadGlmLayers(vision, sizes, is_ocr), spec);
  AddFramePatches(sizes.patch, sizes.frames, true, spec);
  if (!is_ocr) {
    const uint32_t side = vision.Count("image_size", 1u << 14, 336) / sizes.patch;
    if (side == 0) vision.Refuse("image_size", "is smaller than patch_size");
    tower.norm_before_positions = true;
    AddPositionTable(kVisualPrefix + "embeddings.position_embedding",
                     format::PatchPositions::kBicubic, side, spec);
  }
  constexpr uint64_t kChannels = 3;
  AddGlmMerger(sizes, is_ocr ? kChannels * sizes.out : sizes.intermediate, spec);
  ReadQwenProcessor(source, sizes.patch, sizes.merge, {112 * 112, 28 * 28 * 15000}, spec);
  // The numbers are of all frames of a patch.
  format::ImageProcessorT& p = *tower.processor;
  if (p.max_pixels % sizes.frames != 0 || p.min_pixels % sizes.frames != 0) {
    source.processor.Refuse("size", "is of no whole number of pixels for each of the " +
                                        std::to_string(sizes.frames) + " frames of a patch");
  }
  p.max_pixels /= sizes.frames;
  p.min_pixels /= sizes.frames;
  p.fills_row = true;
  tower.text->placeholder = source.vocabulary.token("<|image|>");
  spec->vision->context_length = static_cast<uint32_t>(p.max_pixels / sizes.patch / sizes.patch);
}

}  // namespace

void ReadGlm4vVision(const VisionSource& source, DecoderSpec* spec) {
  ReadGlmTower(source, false, spec);
}

void ReadGlmOcrVision(const VisionSource& source, DecoderSpec* spec) {
  ReadGlmTower(source, true, spec);
}

}  // namespace rondo::convert
