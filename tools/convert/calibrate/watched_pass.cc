#include "tools/convert/calibrate/watched_pass.h"

namespace rondo::convert {

// The runtime knows no exceptions, so nothing is allocated here.
void WatchedPass::Multiply(const PackedLinear& linear, const InputRows& in, size_t rows, Into into,
                           float* out, size_t out_stride, bool last) const {
  const auto found = inputs_->find(linear.tensor);
  if (found != inputs_->end()) {
    std::vector<float>& to = found->second;
    for (size_t r = 0; r < rows && to.size() + linear.inputs <= to.capacity(); ++r) {
      const auto* row = reinterpret_cast<const float*>(in.rows + r * in.stride);
      to.insert(to.end(), row, row + linear.inputs);
    }
  }
  Pass::Multiply(linear, in, rows, into, out, out_stride, last);
}

}  // namespace rondo::convert
