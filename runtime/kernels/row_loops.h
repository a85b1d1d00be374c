// The loops between the matrix products, written once and compiled per instruction set.
//
// Each row_loops_*.cc includes this file and is compiled with its own flags (CMakeLists.txt). Sums
// run in sixteen lanes in a fixed order and nothing is contracted, so all give the same bits.
// No other header here: an inline function of theirs must not be compiled for a CPU that others
// link it for.
#include <cstddef>

#include "runtime/kernels/kernel_set.h"

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): each includer's own, as above
namespace rondo {

extern const LowRankKernels kLowRankPortable;

namespace {

constexpr size_t kLanes = 16;

float SumOfSquares(const float* in, size_t n) {
  float partial[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) partial[l] += in[i + l] * in[i + l];
  }
  for (; i < n; ++i) partial[i % kLanes] += in[i] * in[i];
  for (size_t width = kLanes / 2; width > 0; width /= 2) {
    for (size_t l = 0; l < width; ++l) partial[l] += partial[l + width];
  }
  return partial[0];
}

float Sum(const float* in, size_t n) {
  float partial[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) partial[l] += in[i + l];
  }
  for (; i < n; ++i) partial[i % kLanes] += in[i];
  for (size_t width = kLanes / 2; width > 0; width /= 2) {
    for (size_t l = 0; l < width; ++l) partial[l] += partial[l + width];
  }
  return partial[0];
}

void Subtract(const float* in, float x, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) out[i] = in[i] - x;
}

void Scale(const float* in, float factor, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) out[i] = in[i] * factor;
}

void Clamp(const float* in, float low, float high, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) {
    const float x = in[i] < low ? low : in[i];
    out[i] = x > high ? high : x;
  }
}

// __restrict would be wrong where in == out; the compiler checks for overlap once instead.
void ScaleByWeight(const float* in, float factor, const float* weight, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) out[i] = in[i] * factor * weight[i];
}

void RotateHalves(const float* in, const float* cosines, const float* sines, size_t half,
                  float* out) {
  for (size_t i = 0; i < half; ++i) {
    const float a = in[i];
    const float b = in[i + half];
    out[i] = a * cosines[i] - b * sines[i];
    out[i + half] = b * cosines[i] + a * sines[i];
  }
}

void Gate(const float* gate, const float* sigmoid, const float* up, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) out[i] = gate[i] * sigmoid[i] * up[i];
}

void Add(float* x, const float* y, size_t n) {
  for (size_t i = 0; i < n; ++i) x[i] += y[i];
}

void Blend(float* x, float x_factor, const float* y, float y_factor, size_t n) {
  for (size_t i = 0; i < n; ++i) x[i] = x[i] * x_factor + y[i] * y_factor;
}

// 2^23 more leaves the integer in the last bits. What is not a number becomes 0.
void RoundProbabilities(const float* in, float factor, float most, size_t n, short* out) {
  for (size_t i = 0; i < n; ++i) {
    const float x = in[i] * factor;
    const float low = x > 0 ? x : 0;
    const float all = (low < most ? low : most) + 8388608.0f;
    out[i] = static_cast<short>(__builtin_bit_cast(int, all) & 0x7FFF);
  }
}

void MultiplyAdd(float* x, const float* a, const float* b, size_t n) {
  for (size_t i = 0; i < n; ++i) x[i] += a[i] * b[i];
}

// Sixteen columns of a matrix, or lanes. State is aligned for it, what is read beside it is not.
using Columns [[gnu::vector_size(kLanes * sizeof(float)), gnu::may_alias]] = float;
using UnalignedColumns
    [[gnu::vector_size(kLanes * sizeof(float)), gnu::may_alias, gnu::aligned(4)]] = float;

float WeighBlocks(float* x, const float* const* weights, size_t blocks, size_t n) {
  Columns largest = {};
  for (size_t b = 0; b < blocks; ++b, x += n) {
    for (size_t i = 0; weights[b] != nullptr && i < n; i += kLanes) {
      const Columns product = *reinterpret_cast<UnalignedColumns*>(x + i) *
                              *reinterpret_cast<const UnalignedColumns*>(weights[b] + i);
      *reinterpret_cast<UnalignedColumns*>(x + i) = product;
      largest = product > largest ? product : largest;
    }
  }
  float lanes[kLanes];
  __builtin_memcpy(lanes, &largest, sizeof lanes);
  for (size_t width = kLanes / 2; width > 0; width /= 2) {
    for (size_t l = 0; l < width; ++l) {
      lanes[l] = lanes[l + width] > lanes[l] ? lanes[l + width] : lanes[l];
    }
  }
  return lanes[0];
}

// Sums over the rows of a state are two, of the even and of the odd ones: neither waits for the
// other.
void DeltaStep(float* state, const float* q, const float* k, size_t n, float decay, float beta,
               const float* v, float* out) {
  auto* s = reinterpret_cast<Columns*>(state);
  Columns even = {}, odd = {};
  for (size_t i = 0; i < n; i += 2) {
    even += s[i] * k[i];
    odd += s[i + 1] * k[i + 1];
  }
  const Columns wanted = *reinterpret_cast<const UnalignedColumns*>(v);
  const Columns delta = (wanted - (even + odd) * decay) * beta;
  even = odd = Columns{};
  for (size_t i = 0; i < n; i += 2) {
    s[i] = s[i] * decay + delta * k[i];
    even += s[i] * q[i];
    s[i + 1] = s[i + 1] * decay + delta * k[i + 1];
    odd += s[i + 1] * q[i + 1];
  }
  *reinterpret_cast<UnalignedColumns*>(out) = even + odd;
}

void ScanStep(float* state, const float* b, const float* c, size_t n, float decay, const float* x,
              float* out) {
  auto* s = reinterpret_cast<Columns*>(state);
  const Columns in = *reinterpret_cast<const UnalignedColumns*>(x);
  Columns even = {}, odd = {};
  for (size_t i = 0; i < n; i += 2) {
    s[i] = s[i] * decay + in * b[i];
    even += s[i] * c[i];
    s[i + 1] = s[i + 1] * decay + in * b[i + 1];
    odd += s[i + 1] * c[i + 1];
  }
  *reinterpret_cast<UnalignedColumns*>(out) = even + odd;
}

void GeluArgument(const float* in, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = 0.797884561f * (in[i] + 0.044715f * (in[i] * in[i] * in[i]));
  }
}

void GeluResult(const float* in, const float* tanh, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) out[i] = 0.5f * in[i] * (1.0f + tanh[i]);
}

// e^x - 1 for x <= 0, within 2 units in the last place: x is k ln 2 and a rest of at most half of
// that, of which there is a power series. 3 * 2^22 more leaves k in the last bits.
float ExpMinus1(float x) {
  constexpr float kInteger = 12582912.0f;
  const float held = x > -88 ? x : -88;  // where 2^k is 0
  const float shifted = held * 1.44269504f + kInteger;
  const float k = shifted - kInteger;
  const float power =
      __builtin_bit_cast(float, (__builtin_bit_cast(unsigned, shifted) + 127u) << 23);
  const float r = held - k * 0.693359375f + k * 2.12194440e-4f;  // ln 2 in two parts
  const float tail =
      0.5f +
      r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720 + r * (1.0f / 5040)))));
  return power * (r + r * r * tail) + (power - 1);
}

void Xielu(const float* in, const XieluNumbers& numbers, size_t n, float* out) {
  const XieluNumbers by = numbers;
  for (size_t i = 0; i < n; ++i) {
    const float x = in[i];
    const float low = x < by.epsilon ? x : by.epsilon;
    const float negative = (ExpMinus1(low < 0 ? low : 0) - x) * by.negative;
    out[i] = (x > 0 ? by.positive * x * x : negative) + by.beta * x;
  }
}

// One stage moves every index by a bit, so that all of them leave each where it was.
void Hadamard(float* x, size_t n, size_t block, float factor) {
  float other[kMostRotated];
  for (; n >= block; n -= block, x += block) {
    float *from = x, *to = other;
    for (size_t stage = block; stage > 1; stage /= 2) {
      const size_t half = block / 2;
      for (size_t i = 0; i < half; ++i) {
        const float a = from[i], b = from[half + i];
        to[2 * i] = a + b;
        to[2 * i + 1] = a - b;
      }
      float* const next = from;
      from = to;
      to = next;
    }
    for (size_t i = 0; i < block; ++i) x[i] = from[i] * factor;
  }
}

void UnpackNibbles(const unsigned char* in, size_t n, signed char* out) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = static_cast<signed char>(((in[i] & 15) ^ 8) - 8);
    out[n + i] = static_cast<signed char>((in[i] >> 4 ^ 8) - 8);
  }
}

constexpr RowLoops kLoops = {
    .sum_of_squares = SumOfSquares,
    .sum = Sum,
    .scale_by_weight = ScaleByWeight,
    .subtract = Subtract,
    .scale = Scale,
    .clamp = Clamp,
    .rotate_halves = RotateHalves,
    .gate = Gate,
    .gelu_argument = GeluArgument,
    .gelu_result = GeluResult,
    .xielu = Xielu,
    .add = Add,
    .multiply_add = MultiplyAdd,
    .blend = Blend,
    .weigh_blocks = WeighBlocks,
    .round_probabilities = RoundProbabilities,
    .hadamard = Hadamard,
    .unpack_nibbles = UnpackNibbles,
    .delta_step = DeltaStep,
    .scan_step = ScanStep,
    .low_rank = &kLowRankPortable,
};

}  // namespace
}  // namespace rondo
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)
