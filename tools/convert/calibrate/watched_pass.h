// WatchedPass: a forward pass that keeps what enters some of its products.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "runtime/decoder/pass.h"

namespace rondo::convert {

// What entered some weights while a chunk was evaluated: by tensor, [rows, inputs].
using ChunkInputs = std::map<uint32_t, std::vector<float>>;

class WatchedPass : public Pass {
 public:
  // Of the tensors that `inputs` has, as many rows as it has room for. Weights are in f32.
  WatchedPass(const PassResources& resources, const SequenceRows& rows, ChunkInputs* inputs)
      : Pass(resources, {&rows, 1}), inputs_(inputs) {}

 private:
  void Multiply(std::span<const Product> products, const InputRows& in, Into into,
                size_t out_stride, bool last) const override;

  ChunkInputs* inputs_;
};

}  // namespace rondo::convert
