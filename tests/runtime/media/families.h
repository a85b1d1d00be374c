// The image processors of families, with the numbers of their published models.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "runtime/media/image_processor.h"

namespace rondo {

inline void SetMeanAndStd(ImageProcessor& p, std::initializer_list<double> mean,
                          std::initializer_list<double> std) {
  std::copy(mean.begin(), mean.end(), p.mean);
  std::copy(std.begin(), std.end(), p.std);
}

inline void SetHalves(ImageProcessor& p) { SetMeanAndStd(p, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}); }

inline void SetClip(ImageProcessor& p) {
  SetMeanAndStd(p, {0.48145466, 0.4578275, 0.40821073}, {0.26862954, 0.26130258, 0.27577711});
}

inline ImageProcessor Gemma4Images(uint32_t tokens, uint32_t patch = 16) {
  ImageProcessor p;
  p.rule = SizeRule::kBudget;
  p.patch = patch;
  p.merge = 3;
  p.max_pixels = uint64_t{tokens} * (patch * 3) * (patch * 3);
  return p;
}

inline ImageProcessor QwenImages(uint32_t patch, uint64_t min_pixels, uint64_t max_pixels) {
  ImageProcessor p;
  p.rule = SizeRule::kBetween;
  p.patch = patch;
  p.merge = 2;
  p.order = PatchOrder::kChannels;
  p.merged_in_turn = true;
  p.min_pixels = min_pixels;
  p.max_pixels = max_pixels;
  p.max_aspect = 200;
  return p;
}

inline ImageProcessor GlmImages() {
  ImageProcessor p = QwenImages(14, 6272, 4816896);
  p.fills_row = true;
  return p;
}

inline ImageProcessor Idefics3Images(uint32_t longest_edge, uint32_t tile, uint32_t patch,
                                     uint32_t merge) {
  ImageProcessor p;
  p.rule = SizeRule::kLongestEdgeTiles;
  p.resampling.filter = Filter::kLanczos;
  p.patch = patch;
  p.merge = merge;
  p.order = PatchOrder::kChannels;
  p.tile = tile;
  p.longest_edge = longest_edge;
  SetHalves(p);
  return p;
}

inline ImageProcessor Lfm2Images(uint32_t patch = 16, uint32_t tile = 512, uint32_t min_tokens = 64,
                                 uint32_t max_tokens = 256, uint32_t max_tiles = 10) {
  ImageProcessor p;
  p.rule = SizeRule::kBetweenOrGrid;
  p.resampling = {.filter = Filter::kBilinear, .bits = WeightBits::kTorch};
  p.patch = patch;
  p.merge = 2;
  p.tile = tile;
  p.min_tiles = 2;
  p.max_tiles = max_tiles;
  p.min_pixels = uint64_t{min_tokens} * (patch * 2) * (patch * 2);
  p.max_pixels = uint64_t{max_tokens} * (patch * 2) * (patch * 2);
  p.split_from = 2;
  SetHalves(p);
  return p;
}

// Gemma 3, PaliGemma.
inline ImageProcessor SquareImages(Filter filter, uint32_t side, uint32_t patch, uint32_t merge) {
  ImageProcessor p;
  p.rule = SizeRule::kSquare;
  p.resampling.filter = filter;
  p.patch = patch;
  p.merge = merge;
  p.order = PatchOrder::kChannels;
  p.tile = side;
  SetHalves(p);
  return p;
}

inline ImageProcessor InternVlImages(uint32_t tile, uint32_t max_tiles) {
  ImageProcessor p;
  p.rule = SizeRule::kGrid;
  p.patch = 14;
  p.merge = 2;
  p.order = PatchOrder::kChannels;
  p.tile = tile;
  p.max_tiles = max_tiles;
  SetMeanAndStd(p, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225});
  return p;
}

// Pixtral, and with merged patches Mistral 3.
inline ImageProcessor PixtralImages(uint32_t longest_edge, uint32_t patch, uint32_t merge) {
  ImageProcessor p;
  p.rule = SizeRule::kLongestEdge;
  p.patch = patch;
  p.merge = merge;
  p.order = PatchOrder::kChannels;
  p.longest_edge = longest_edge;
  SetClip(p);
  return p;
}

}  // namespace rondo
