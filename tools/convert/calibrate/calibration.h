// Calibration: a model's weights rounded so that its predictions on a text change least.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rondo_generated.h"
#include "tools/convert/calibrate/float_model.h"
#include "tools/convert/calibrate/mixed_precision.h"
#include "tools/convert/calibrate/moments.h"

namespace rondo::convert {

// A matrix's sections as the file shall hold them, in the terms of format::Tensor.
struct EncodedTensor {
  format::TensorFormat format;
  uint32_t block;  // 0 but for Q4B
  std::vector<uint8_t> data;
  std::vector<uint8_t> scales;
};

// Linear layers are rounded one after another in the order in which they run. What enters each is
// looked at in two models, the exact one and one that has what is rounded so far: its weights are
// corrected for the difference (correct.h) and rounded for what they will get (compensate.h).
//
// Takes a mapping of `float_file`, an engine of it, for all of the text the inputs of one layer's
// matrices, and for the largest matrix of n inputs and m outputs some 20 n^2 + 12 n m bytes, with
// codes some 1,000 n more for each thread.
// Everything throws Error.
class Calibration {
 public:
  // `float_file`: the model with all tensors in float32, as `rondo convert --weights f32` writes
  // it. `text`: UTF-8, of which the first 8192 tokens are used. All matrices get `format`.
  Calibration(const std::filesystem::path& float_file, const std::string& text,
              const MatrixFormat& format);

  // Instead: formats by what the predictions need, `bits` per weight on average, scales included.
  // Returns what was decided, in the order in which the matrices run. Before the first Find.
  std::vector<FormatDecision> MixFormats(double bits,
                                         const std::function<void(double done)>& progress);

  // Which of `tensors` should have fine rows: what enters them in int8, with all else exact,
  // changes the predictions. Looked for by layers first. Before the first Find.
  std::vector<uint32_t> FindFineRows(const std::vector<uint32_t>& tensors);

  // What becomes of a tensor; nullptr where calibration has nothing to say about it. Layers are
  // calibrated as they come up, and forgotten: ask in the order of the file. The result is valid
  // until the next call. `progress` is called many times with the share of all layers that is done,
  // and may throw.
  const EncodedTensor* Find(uint32_t tensor, const std::function<void(double done)>& progress);

 private:
  void CalibrateLayer(uint32_t layer, const std::function<void(double done)>& progress);
  EncodedTensor Round(uint32_t tensor, Moments& moments);
  EncodedTensor RoundToNearest(uint32_t tensor, const FormatRule& rule,
                               std::span<const float> weights);

  size_t threads_;
  FloatModel model_;
  std::vector<TokenChunk> chunks_;
  // What enters the next layer, exactly and after the layers that are rounded so far.
  LayerState exact_, rounded_;
  std::vector<uint32_t> tensors_;          // that calibration rounds, in the order they run
  std::map<uint32_t, uint32_t> layer_of_;  // of these
  std::map<uint32_t, MatrixFormat> format_of_;
  uint32_t layers_done_ = 0;
  std::map<uint32_t, EncodedTensor> encoded_;  // of the last layer done
};

}  // namespace rondo::convert
