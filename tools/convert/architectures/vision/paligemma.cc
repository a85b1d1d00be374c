// PaliGemma: SigLIP on one square, each of whose patches becomes a row. In the text pictures come
// first, then <bos> and the prompt, which ends with a line's end; all of them see each other.
#include <string>

#include "tools/convert/architectures/vision/tower_parts.h"

namespace rondo::convert {

void ReadPaliGemmaVision(const VisionSource& source, DecoderSpec* spec) {
  const uint32_t patch = source.vision.Count("patch_size", 512, 14);
  const uint32_t pixels = source.vision.Count("image_size", 1u << 14, 224), side = pixels / patch;
  const std::string prefix = "model.vision_tower.", connector = "model.multi_modal_projector.";
  format::TowerT& tower = AddTower(SiglipFamily(source.vision, prefix), spec);
  spec->vision->context_length = side * side;
  AddPatchProduct(prefix + "embeddings.patch_embedding", patch, true, true, spec);
  AddPositionTable(prefix + "embeddings.position_embedding", format::PatchPositions::kGrid, side,
                   spec);
  AddTowerDense(connector + "linear", spec->hidden_size, spec->vision->hidden_size, true,
                format::DenseActivation::kIdentity, spec);

  format::ImageProcessorT& p = *tower.processor;
  p.rule = format::SizeRule::kSquare;
  p.filter = ReadFilter(source.processor, 3);
  p.patch = patch;
  p.merge = 1;
  p.channels_first = true;
  p.tile = pixels;
  ReadNormalization(source.processor, p);
  tower.text->placeholder = source.vocabulary.token("<image>");
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
