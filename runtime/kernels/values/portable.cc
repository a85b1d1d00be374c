// Values in plain C: a token at a time.
#include "runtime/kernels/values/value_kernels.h"

namespace rondo {

namespace {

void Weigh(size_t rows, size_t channels, const uint8_t* const* blocks,
           const uint8_t* const* /*next*/, size_t n_blocks, const int16_t* p, size_t stride,
           const float* factors, float* out) {
  for (size_t row = 0; row < rows; ++row, p += stride, out += channels) {
    for (size_t first = 0; first < channels; first += kValueChannels) {
      int32_t sums[kValueChannels] = {};
      for (size_t b = 0; b < n_blocks; ++b) {
        if (blocks[b] == nullptr) continue;
        const auto* values =
            reinterpret_cast<const int8_t*>(blocks[b] + first / kValueChannels * kValueTileBytes);
        for (size_t t = 0; t < kKvBlockTokens; ++t, values += kValueChannels) {
          const int16_t probability = p[b * kKvBlockTokens + t];
          for (size_t c = 0; c < kValueChannels; ++c) sums[c] += probability * values[c];
        }
      }
      for (size_t c = 0; c < kValueChannels && first + c < channels; ++c) {
        out[first + c] = static_cast<float>(sums[c]) * factors[row];
      }
    }
  }
}

}  // namespace

extern const ValueKernels kValueKernelsPortable;
const ValueKernels kValueKernelsPortable = {1, Weigh};

}  // namespace rondo
