// What Qwen's ViT and GLM's have in common; in qwen.cc.
#pragma once

#include <cstdint>
#include <string>

#include "tools/convert/architectures/vision/tower_parts.h"

namespace rondo::convert {

inline const std::string kVisualPrefix = "model.visual.";

// Qwen3-VL's layers: LayerNorms, biases everywhere, q, k and v in one tensor, RoPE by row and
// column. `hidden_key`: of the vision_config.
Family ReadQwenLayers(const Config& vision, const char* hidden_key, const std::string& final_norm);

// The product of patches, [channel, frame, y, x]: frames are equal, so that their weights add up.
void AddFramePatches(uint32_t patch, uint32_t frames, bool has_bias, DecoderSpec* spec);

// Of one picture, where the processor's config says nothing.
struct QwenPixels {
  uint64_t least, most;
};

// Pictures of about their own shape, and where the tower's tensors are.
void ReadQwenProcessor(const VisionSource& source, uint32_t patch, uint32_t merge,
                       const QwenPixels& of_absent, DecoderSpec* spec);

}  // namespace rondo::convert
