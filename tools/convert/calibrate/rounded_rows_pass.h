// RoundedRowsPass: a forward pass through weights in f32 whose rows are, for some of them, rounded
// to int8, as weights in few bits have it.
#pragma once

#include <span>
#include <vector>

#include "runtime/decoder/pass.h"
#include "runtime/model/model_file.h"

namespace rondo::convert {

class RoundedRowsPass : public Pass {
 public:
  // `of`: by tensor whether its rows are rounded; empty: no rows are, and there is no need for
  // `room`, which has Room() floats.
  RoundedRowsPass(const PassResources& resources, const SequenceRows& rows,
                  const std::vector<bool>& of, std::span<float> room)
      : Pass(resources, {&rows, 1}), of_(of), room_(room) {}

  static size_t Room(const ModelFile& file);

 private:
  void Multiply(std::span<const Product> products, const InputRows& in, Into into,
                size_t out_stride, bool last) const override;
  void MultiplyRounded(const Product& product, const InputRows& in, Into into,
                       size_t out_stride) const;

  const std::vector<bool>& of_;
  const std::span<float> room_;
};

}  // namespace rondo::convert
