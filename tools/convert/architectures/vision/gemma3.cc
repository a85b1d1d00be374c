// Gemma 3: SigLIP on one square, of whose patches each 4 x 4 are averaged. In the text a picture's
// rows see each other.
#include <cmath>
#include <string>

#include "tools/convert/architectures/vision/tower_parts.h"

namespace rondo::convert {

void ReadGemma3Vision(const VisionSource& source, DecoderSpec* spec) {
  const uint32_t patch = source.vision.Count("patch_size", 512, 14);
  const uint32_t pixels = source.vision.Count("image_size", 1u << 14, 896), side = pixels / patch;
  const uint32_t tokens = source.config.Count("mm_tokens_per_image", 1u << 16, 256);
  const auto across = static_cast<uint32_t>(std::lround(std::sqrt(tokens)));
  if (across * across != tokens || side % across != 0) {
    source.config.Refuse("mm_tokens_per_image", "is " + std::to_string(tokens) + ", into which " +
                                                    std::to_string(side) + " x " +
                                                    std::to_string(side) + " patches cannot merge");
  }
  if (source.processor.Flag("do_pan_and_scan", false)) {
    source.processor.Refuse("do_pan_and_scan", "is true, which is not known");
  }
  const std::string prefix = "model.vision_tower.", connector = "model.multi_modal_projector.";
  format::TowerT& tower = AddTower(SiglipFamily(source.vision, prefix), spec);
  const uint64_t hidden = spec->vision->hidden_size;
  spec->vision->context_length = side * side;
  AddPatchProduct(prefix + "embeddings.patch_embedding", patch, true, true, spec);
  AddPositionTable(prefix + "embeddings.position_embedding", format::PatchPositions::kGrid, side,
                   spec);
  tower.averages = true;
  AddMergedNorm(connector + "mm_soft_emb_norm", hidden, format::NormKind::kRmsNorm,
                source.vision.Positive("layer_norm_eps", 1e-6), false, 1, spec);
  AddTowerDense(connector + "mm_input_projection", spec->hidden_size, hidden, false,
                format::DenseActivation::kIdentity, spec);
  TensorRecipe& projection = spec->tensors.back();
  projection.parts[0].source = connector + "mm_input_projection_weight";
  projection.transposed = true;

  format::ImageProcessorT& p = *tower.processor;
  p.rule = format::SizeRule::kSquare;
  p.filter = ReadFilter(source.processor, 2);
  p.patch = patch;
  p.merge = side / across;
  p.channels_first = true;
  p.tile = pixels;
  ReadNormalization(source.processor, p);
  // Line ends around a picture become tokens with those of the text: so the template writes them,
  // as the processor does into what the template made.
  const std::string begin = "<start_of_image>";
  spec->template_texts.push_back(
      {begin, "\\n\\n" + begin + "<image_soft_token><end_of_image>\\n\\n"});
  format::PictureTextT& text = *tower.text;
  text.placeholder = source.vocabulary.token("<image_soft_token>");
  tower.sees_whole = true;
  spec->Keep({"model.vision_tower.", "vision_tower.", "model.multi_modal_projector.",
              "multi_modal_projector."});
  AddOtherNames({{prefix, "vision_tower.vision_model."},
                 {prefix, "model.vision_tower.vision_model."},
                 {prefix, "vision_tower."},
                 {connector, "multi_modal_projector."}},
                spec);
  spec->left_out.emplace_back("vision_tower.head.");
  spec->left_out.emplace_back("vision_tower.vision_model.head.");
}

}  // namespace rondo::convert
