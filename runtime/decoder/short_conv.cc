#include "runtime/decoder/short_conv.h"

#include <algorithm>

namespace rondo {

namespace {

float* Input(const ConvCall& call, uint64_t position) {
  uint8_t* page = call.ring->Page(ContextWindow::Block(position), call.layer, 0);
  return reinterpret_cast<float*>(page) + position % kKvBlockTokens * call.channels;
}

}  // namespace

void StoreConvInput(const ConvCall& call, uint64_t position, const float* bcx) {
  const size_t n = call.channels;
  call.set->multiply(n * sizeof(float), bcx, bcx + 2 * n, Input(call, position), nullptr);
}

void Convolve(const ConvCall& call, uint64_t position, const float* bcx, float* out) {
  const size_t n = call.channels;
  if (call.bias != nullptr) {
    std::copy_n(call.bias, n, out);
  } else {
    std::fill_n(out, n, 0.0f);
  }
  for (size_t t = 0; t < call.taps; ++t) {
    const uint64_t back = call.taps - 1 - t;
    if (back > position) continue;  // before the text there is nothing
    call.set->loops->multiply_add(out, call.kernel + t * n, Input(call, position - back), n);
  }
  call.set->multiply(n * sizeof(float), out, bcx + n, out, nullptr);
}

}  // namespace rondo
