// Adapters' products without a fused multiply-add.
#include <bit>
#include <cstring>

#include "runtime/kernels/low_rank/tile_products.h"

namespace rondo {

namespace {

struct Portable {
  struct Vector {
    float values[4];
  };
  static constexpr size_t kWidth = 4, kRows = 4;
  static Vector Zero() { return {}; }
  static Vector Load(const float* from) {
    Vector v;
    std::memcpy(v.values, from, sizeof v.values);
    return v;
  }
  static void Store(float* to, const Vector& v) { std::memcpy(to, v.values, sizeof v.values); }
  static Vector Lower(const uint32_t* pairs) {
    Vector v;
    for (size_t i = 0; i < kWidth; ++i) v.values[i] = std::bit_cast<float>(pairs[i] << 16);
    return v;
  }
  static Vector Upper(const uint32_t* pairs) {
    Vector v;
    for (size_t i = 0; i < kWidth; ++i) v.values[i] = std::bit_cast<float>(pairs[i] & 0xffff0000u);
    return v;
  }
  static Vector Sum(Vector a, const Vector& b) {
    for (size_t i = 0; i < kWidth; ++i) a.values[i] += b.values[i];
    return a;
  }
  static Vector MultiplyAdd(Vector a, const Vector& b, float x) {
    for (size_t i = 0; i < kWidth; ++i) a.values[i] += b.values[i] * x;
    return a;
  }
};

}  // namespace

const LowRankKernels kLowRankPortable = kLowRankOf<Portable>;

}  // namespace rondo
