// What mlx-lm writes otherwise than transformers, beside its quantisation: kernels of depthwise
// convolutions as [channels, taps, 1], not [channels, 1, taps], which is the same bytes; and with
// them, in Qwen3-Next and Qwen3.5, norms that have the 1 in them which transformers adds as it runs
// (mlx_lm/models/qwen3_5.py). Its experts are forms of architectures/sublayers/experts.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::convert {

// Of a tensor of this name and shape.
bool IsMlxKernel(const std::string& name, const std::vector<uint64_t>& shape);
// Of those: what transformers has.
std::vector<uint64_t> KernelShape(const std::vector<uint64_t>& shape);
// Of those: norms beside it have their 1 in them.
bool IsOfLinearAttention(const std::string& name);
// The norms which have it.
bool IsNormWithItsOne(const std::string& name);

}  // namespace rondo::convert
