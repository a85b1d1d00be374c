#include "tools/convert/calibrate/watched_pass.h"

namespace rondo::convert {

// The runtime knows no exceptions, so nothing is allocated here.
void WatchedPass::Multiply(std::span<const Product> products, const InputRows& in, Into into,
                           size_t out_stride, bool last) const {
  for (const Product& product : products) {
    const size_t inputs = product.linear->inputs;
    const auto found = inputs_->find(product.linear->tensor);
    if (found == inputs_->end()) continue;
    const InputRows its = in.Below(product.first_row);
    std::vector<float>& to = found->second;
    for (size_t r = 0; r < product.rows && to.size() + inputs <= to.capacity(); ++r) {
      const auto* row = reinterpret_cast<const float*>(its.rows + r * its.stride);
      to.insert(to.end(), row, row + inputs);
    }
  }
  Pass::Multiply(products, in, into, out_stride, last);
}

}  // namespace rondo::convert
