// What towers of several families have in common.
#pragma once

#include <string>

#include "tools/convert/architectures/vision/vision.h"

namespace rondo::convert {

// A ViT as SigLIP has it: LayerNorms before attention and MLP, biases everywhere, no RoPE.
// `prefix`: of its tensors, up to "encoder.".
Family SiglipFamily(const Config& vision, const std::string& prefix);

// The tower's layers and norms, in spec->vision; its processor and its place in texts are there,
// and empty. `f` has one RoPE at most.
format::TowerT& AddTower(const Family& f, DecoderSpec* spec);

// The activation of a layer behind the merging, by transformers' names.
format::DenseActivation ReadDenseActivation(const Config& config, const char* key,
                                            const char* if_absent);

// The product of patches: a convolution over [hidden, 3, patch, patch] of (channel, y, x), or a
// matrix.
void AddPatchProduct(const std::string& source, uint32_t patch, bool is_convolution, bool has_bias,
                     DecoderSpec* spec);

// One row of the position table for each place of a grid of side x side, as the checkpoint has
// them: table[row(y) * table_side + row(x)].
void AddGridPositions(const std::string& source, uint32_t side, uint32_t table_side,
                      const std::function<uint32_t(uint32_t place)>& row, DecoderSpec* spec);

// A layer behind the merging, of the last of the tower's mergers; `rows`, of its outcome. Its
// tensors are called so and ".weight", ".bias".
void AddTowerDense(const std::string& source, uint64_t rows, uint64_t cols, bool has_bias,
                   format::DenseActivation activation, DecoderSpec* spec);

// The same of merged patches, whose channels lie as (channel, y, x) in the checkpoint.
void AddMergingDense(const std::string& source, uint64_t rows, uint32_t merge, bool has_bias,
                     DecoderSpec* spec);

// A norm of `n` channels behind the merging, likewise.
void AddMergedNorm(const std::string& source, uint64_t n, format::NormKind kind, double epsilon,
                   bool has_bias, float offset, DecoderSpec* spec);

// A table of side x side positions, as it is.
void AddPositionTable(const std::string& source, format::PatchPositions kind, uint32_t side,
                      DecoderSpec* spec);

// The names of the connector and the tower that some checkpoints have in place of ours.
void AddOtherNames(std::initializer_list<OtherName> names, DecoderSpec* spec);

// Mean and std, and that pixels become 0 to 1 before; what else is not known is refused. Of some
// processors that does_normalize may be off.
void ReadNormalization(const Config& processor, format::ImageProcessorT& into);
// By PIL's number.
format::Filter ReadFilter(const Config& processor, int if_absent);

}  // namespace rondo::convert
