// LayerChecker: what the checks of all operators are made of.
#pragma once

#include "rondo_generated.h"
#include "runtime/model/check_messages.h"
#include "runtime/model/tensor_format.h"

namespace rondo {

using DenseLayers = flatbuffers::Vector<flatbuffers::Offset<format::Dense>>;
using Tensors = flatbuffers::Vector<flatbuffers::Offset<format::Tensor>>;

class LayerChecker {
 public:
  // `tensors`, which the model's indices mean, have been checked by themselves. `packed`: the file
  // has a layout.
  LayerChecker(const format::Model& model, const Tensors& tensors, bool packed)
      : model_(model), tensors_(tensors), packed_(packed), hidden_(model.hidden_size()) {}

  const format::Model& model() const { return model_; }
  const Tensors& tensors() const { return tensors_; }
  uint64_t hidden() const { return hidden_; }

  // A finite number above 0.
  Status CheckFactor(Place place, const char* what, float factor) const;
  // -1 is fine.
  Status CheckRope(Place place, int32_t rope, uint64_t head_dim) const;
  // Absent is fine.
  Status CheckQueryScale(Place place, const format::QueryScale* scale) const;
  // A finite number of at least 0.
  Status CheckCap(Place place, float cap) const;
  // The tensor exists, and has so many rows and columns.
  Status CheckShape(Place place, uint64_t index, uint64_t rows, uint64_t cols) const;
  // The weights of Linears, and they alone, are packed in a file with a layout.
  Status CheckPacked(Place place, uint64_t index, bool is_linear) const;
  // Norm weights, biases and small tables, which are used as they lie in the file.
  Status CheckFloats(Place place, uint64_t index, uint64_t rows, uint64_t cols) const;
  // F32 [1, 4 * n], in a tower alone; -1 is fine.
  Status CheckClips(Place place, int32_t index, uint64_t n) const;
  // -1 is fine.
  Status CheckBias(Place place, int32_t index, uint64_t size) const;
  Status CheckLinear(Place place, const format::Linear* linear, uint64_t rows, uint64_t cols) const;
  // Of a Linear that CheckLinear has passed.
  bool IsFloat(const format::Linear& linear) const {
    return RuleOf(tensors_.Get(linear.weight())->format()).is_float();
  }
  // Of `size` channels; absent is fine.
  Status CheckNorm(Place place, const format::Norm* norm, uint64_t size) const;
  Status CheckHeadDim(int layer, const char* what, uint64_t head_dim) const;
  // `xielu`: the index of the activation's numbers, or -1.
  Status CheckMlpSizes(Place place, uint32_t intermediate, format::Activation activation,
                       int32_t xielu) const;
  Status CheckMlpLimits(Place place, float limit, float up_offset, bool plain) const;

 private:
  const format::Model& model_;
  const Tensors& tensors_;
  const bool packed_;
  const uint64_t hidden_;
};

// The model's table of what LayerEmbedding reads; absent is fine.
Status CheckLayerEmbeddings(const LayerChecker& checker);
// The model's residual streams, and what a layer does with them; absent is fine, in both or none.
Status CheckAltUp(const LayerChecker& checker);
Status CheckLayerAltUp(const LayerChecker& checker, int index, const format::Layer& layer);
// What makes the model turn texts into vectors; absent is fine.
Status CheckEmbedder(const LayerChecker& checker);
// Layers behind each other, of what has `size` channels before them; null: none. `size` becomes the
// last one's.
Status CheckDense(const LayerChecker& checker, const DenseLayers* all, uint64_t* size);
// What makes the model turn pictures into rows that stand in a text of `text`.
Status CheckTower(const LayerChecker& checker, const format::Model& text);

}  // namespace rondo
