#include "runtime/media/axis_weights.h"

#include <algorithm>
#include <cmath>

#include "runtime/base/portable_math.h"

namespace rondo {
namespace {

constexpr int kPillowBits = 22;
constexpr double kPi = 3.14159265358979323846;

double Sinc(double x) {
  if (x == 0) return 1;
  x *= kPi;
  return PortableSinCos(x).sin / x;
}

// How far from 0 a filter is not 0.
double SupportOf(Filter filter) {
  switch (filter) {
    case Filter::kBox:
      return 0.5;
    case Filter::kBilinear:
      return 1;
    case Filter::kBicubic:
      return 2;
    case Filter::kLanczos:
      return 3;
  }
  return 0;
}

double Weigh(Filter filter, double x) {
  switch (filter) {
    case Filter::kBox:
      return x > -0.5 && x <= 0.5 ? 1 : 0;
    case Filter::kBilinear:
      x = std::abs(x);
      return x < 1 ? 1 - x : 0;
    case Filter::kBicubic: {
      constexpr double kA = -0.5;
      x = std::abs(x);
      if (x < 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
      return x < 2 ? (((x - 5) * x + 8) * x - 4) * kA : 0;
    }
    case Filter::kLanczos:
      return x >= -3 && x < 3 ? Sinc(x) * Sinc(x / 3) : 0;
  }
  return 0;
}

// Without what is behind the point.
uint32_t Whole(double x) { return static_cast<uint32_t>(x); }

// The weights of one axis as doubles, in the order of Pillow's operations.
struct ExactWeights {
  uint32_t from;
  double scale;   // pixels that become one
  double spread;  // by which the filter is wider
  double support;
  Filter filter;

  ExactWeights(uint32_t from_side, uint32_t to, Filter f)
      : from(from_side),
        scale(static_cast<double>(from_side) / to),
        spread(std::max(scale, 1.0)),
        support(SupportOf(f) * spread),
        filter(f) {}

  // How many make pixel i, from which on: `weights` of them add up to 1.
  uint32_t Of(size_t i, uint32_t* first, double* weights) const {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const double inverse = 1.0 / spread;
    *first = Whole(std::max(centre - support + 0.5, 0.0));
    const uint32_t end = std::min(Whole(centre + support + 0.5), from);
    const uint32_t count = end - *first;
    double sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
      weights[k] = Weigh(filter, (static_cast<double>(k + *first) - centre + 0.5) * inverse);
      sum += weights[k];
    }
    if (sum != 0) {
      for (uint32_t k = 0; k < count; ++k) weights[k] /= sum;
    }
    return count;
  }
};

// As many bits behind the point as leave the largest weight in 16.
int TorchBits(double largest) {
  int bits = 0;
  while (bits < kPillowBits && Whole(0.5 + largest * (1 << (bits + 1))) < 1 << 15) {
    ++bits;
  }
  return bits;
}

int32_t Rounded(double weight, int bits) {
  return static_cast<int32_t>((weight < 0 ? -0.5 : 0.5) + weight * (1 << bits));
}

}  // namespace

size_t AxisWeights::MaxCount(uint32_t from, uint32_t to, Filter filter) {
  const double support = ExactWeights(from, to, filter).support;
  return std::min(static_cast<size_t>(std::ceil(support)) * 2 + 1, size_t{from});
}

CheckedSize AxisWeights::Bytes(uint32_t from, uint32_t to, Filter filter) {
  const size_t count = MaxCount(from, to, filter);
  return CheckedSize(count) * sizeof(double) + CheckedSize(to) * sizeof(Bounds) +
         CheckedSize(to) * CeilDiv(count, 2) * sizeof(WeightPair);
}

void AxisWeights::Make(uint32_t from, uint32_t to, Resampling resampling, uint8_t* memory) {
  const ExactWeights exact(from, to, resampling.filter);
  const size_t max_count = MaxCount(from, to, resampling.filter);
  max_pairs_ = CeilDiv(max_count, 2);
  auto* const weights = reinterpret_cast<double*>(memory);
  auto* const pairs = reinterpret_cast<WeightPair*>(weights + max_count);
  auto* const bounds = reinterpret_cast<Bounds*>(pairs + to * max_pairs_);
  pairs_ = pairs;
  bounds_ = bounds;

  shift_ = kPillowBits;
  if (resampling.bits == WeightBits::kTorch) {
    double largest = 0;
    for (size_t i = 0; i < to; ++i) {
      uint32_t first = 0;
      const uint32_t count = exact.Of(i, &first, weights);
      for (uint32_t k = 0; k < count; ++k) largest = std::max(largest, weights[k]);
    }
    shift_ = TorchBits(largest);
  }
  for (size_t i = 0; i < to; ++i) {
    bounds[i].count = exact.Of(i, &bounds[i].first, weights);
    const auto rounded = [&](size_t k) {
      return k < bounds[i].count ? Rounded(weights[k], shift_) : 0;
    };
    for (size_t k = 0; k < bounds[i].count; k += 2) {
      pairs[i * max_pairs_ + k / 2] = WeightPair::Of(rounded(k), rounded(k + 1));
    }
  }
}

}  // namespace rondo
