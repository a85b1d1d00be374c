// How large a model may say that it is. Far above real models, and small enough that no product of
// two of them overflows 64 bits; checked by ModelFile::Open and, for better sentences, by the
// converter.
#pragma once

#include <cstdint>

namespace rondo {

inline constexpr uint64_t kMaxLayers = 1024;
inline constexpr uint64_t kMaxSublayers = 16;  // of a layer
inline constexpr uint64_t kMaxVocab = 1u << 22;
inline constexpr uint64_t kMaxHidden = 1u << 17;
inline constexpr uint64_t kMaxIntermediate = 1u << 20;
inline constexpr uint64_t kMaxHeads = 1u << 12;
inline constexpr uint64_t kMaxHeadDim = 512;
inline constexpr uint32_t kRopeAxes = 3;     // coordinates of a row that a rope may turn by
inline constexpr uint64_t kMaxKeyDim = 640;  // of keys that hold a latent vector
inline constexpr uint64_t kHeadDimMultiple = 8;
inline constexpr uint64_t kMaxExperts = 1u << 12;
inline constexpr uint64_t kMaxConvTaps = 64;
inline constexpr uint64_t kMaxStreams = 16;  // residual ones
inline constexpr uint32_t kMaxContext = 1u << 24;
inline constexpr uint64_t kMaxEosTokens = 256;
inline constexpr uint64_t kMaxTensors = 1u << 16;
inline constexpr uint64_t kMaxTemplateBytes = 1u << 20;
inline constexpr uint64_t kMaxTemplates = 64;
inline constexpr uint64_t kMaxDense = 8;        // layers behind an embedder's pooling
inline constexpr uint64_t kMaxSmoothSide = 32;  // of a table of positions that is resized smoothly
inline constexpr uint64_t kMaxPrompts = 256;
inline constexpr uint64_t kMaxPromptNameBytes = 160;
inline constexpr uint64_t kMaxPromptBytes = 1u << 16;
inline constexpr uint64_t kMaxSections = 1u << 18;

}  // namespace rondo
