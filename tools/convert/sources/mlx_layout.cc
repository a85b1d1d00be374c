#include "tools/convert/sources/mlx_layout.h"

#include <algorithm>

namespace rondo::convert {

bool IsMlxKernel(const std::string& name, const std::vector<uint64_t>& shape) {
  return (name.ends_with("conv1d.weight") || name.ends_with("conv.conv.weight")) &&
         shape.size() == 3 && shape[1] != 1 && shape[2] == 1;
}

std::vector<uint64_t> KernelShape(const std::vector<uint64_t>& shape) {
  return {shape[0], shape[2], shape[1]};
}

bool IsOfLinearAttention(const std::string& name) {
  return name.ends_with("linear_attn.conv1d.weight");
}

bool IsNormWithItsOne(const std::string& name) {
  constexpr const char* kEnds[] = {"input_layernorm.weight", "post_attention_layernorm.weight",
                                   "model.norm.weight", "q_norm.weight", "k_norm.weight"};
  return std::ranges::any_of(kEnds, [&](const char* end) { return name.ends_with(end); });
}

}  // namespace rondo::convert
