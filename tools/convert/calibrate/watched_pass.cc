#include "tools/convert/calibrate/watched_pass.h"

namespace rondo::convert {

// The runtime knows no exceptions, so nothing is allocated here.
void WatchedPass::Multiply(const Products& products, size_t rows, Into into, bool last) const {
  for (size_t i = 0; i < products.linears.size(); ++i) {
    const PackedLinear& linear = products.linears[i];
    const auto found = inputs_->find(linear.tensor);
    if (found == inputs_->end()) continue;
    const InputRows in = products.in.Below(i * products.next_row);
    std::vector<float>& to = found->second;
    for (size_t r = 0; r < rows && to.size() + linear.inputs <= to.capacity(); ++r) {
      const auto* row = reinterpret_cast<const float*>(in.rows + r * in.stride);
      to.insert(to.end(), row, row + linear.inputs);
    }
  }
  Pass::Multiply(products, rows, into, last);
}

}  // namespace rondo::convert
