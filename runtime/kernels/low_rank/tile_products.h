// Products with tiles of 16 channels, for any vector: V has
//   Vector              of kWidth floats, which divides 16
//   kRows               rows that are multiplied at once, where there are as many
//   Load, Store         of floats in any alignment
//   Lower, Upper        the floats whose upper halves are the lower, upper ones of pairs
//   MultiplyAdd(a, b, x)  a + b * x
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/kernels/low_rank/low_rank_kernels.h"

namespace rondo {

// NOLINTBEGIN(google-build-namespaces, misc-definitions-in-headers): each includer's own
namespace {

constexpr size_t kTile = 16;

// A tile's lines, whose values of input i are Value<V>(line, i).
struct Floats {
  static constexpr size_t kInputs = 1;  // of a line
  using Line = float[kTile];
  template <typename V>
  static typename V::Vector Value(const Line& line, size_t first, size_t /*input*/) {
    return V::Load(line + first);
  }
};
struct Pairs {
  static constexpr size_t kInputs = 2;
  using Line = uint32_t[kTile];
  template <typename V>
  static typename V::Vector Value(const Line& line, size_t first, size_t input) {
    return input == 0 ? V::Lower(line + first) : V::Upper(line + first);
  }
};

// f(integral_constant<0>), f(<1>), ...: loops whose variables stay in registers.
template <typename F, size_t... kIndex>
[[gnu::always_inline]] inline void ForEach(std::index_sequence<kIndex...>, const F& f) {
  (f(std::integral_constant<size_t, kIndex>()), ...);
}

// kWidths vectors of a tile's channels, from channel `first` on, for kRows rows.
template <typename V, typename Format, size_t kWidths, size_t kRows, bool kAdd>
void MultiplyPart(const typename Format::Line* lines, size_t first, size_t n, const float* x,
                  size_t x_stride, float* out, size_t out_stride) {
  using Vector = typename V::Vector;
  using Sums = std::make_index_sequence<kRows * kWidths>;
  Vector a[kRows * kWidths], b[kRows * kWidths], c[kRows * kWidths], d[kRows * kWidths];
  ForEach(Sums(), [&](auto k) { a[k] = b[k] = c[k] = d[k] = V::Zero(); });
  const auto add = [&](size_t i, auto& sums) {
    ForEach(Sums(), [&](auto k) {
      const Vector value = Format::template Value<V>(
          lines[i / Format::kInputs], first + k % kWidths * V::kWidth, i % Format::kInputs);
      sums[k] = V::MultiplyAdd(sums[k], value, x[k / kWidths * x_stride + i]);
    });
  };
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    add(i, a);
    add(i + 1, b);
    add(i + 2, c);
    add(i + 3, d);
  }
  if (i < n) add(i, a);
  if (i + 1 < n) add(i + 1, b);
  if (i + 2 < n) add(i + 2, c);
  ForEach(Sums(), [&](auto k) {
    float* const to = out + k / kWidths * out_stride + first + k % kWidths * V::kWidth;
    const Vector sum = V::Sum(V::Sum(a[k], b[k]), V::Sum(c[k], d[k]));
    V::Store(to, kAdd ? V::Sum(V::Load(to), sum) : sum);
  });
}

template <typename Format>
size_t Lines(size_t n) {
  return (n + Format::kInputs - 1) / Format::kInputs;
}

template <typename V, typename Format>
void MultiplyTiles(const void* tiles, size_t n_tiles, const float* x, size_t n, float* out) {
  const auto* lines = static_cast<const typename Format::Line*>(tiles);
  for (size_t t = 0; t < n_tiles; ++t, lines += Lines<Format>(n)) {
    MultiplyPart<V, Format, kTile / V::kWidth, 1, false>(lines, 0, n, x, 0, out + t * kTile, 0);
  }
}

// Row by row, some at once: rows of `out` may lie so far apart that a cache holds few of them.
template <typename V, typename Format>
void AddTiles(const void* tiles, size_t n_tiles, size_t n, size_t rows, const float* x,
              size_t x_stride, float* out, size_t out_stride) {
  size_t r = 0;
  for (; r + V::kRows <= rows; r += V::kRows, x += V::kRows * x_stride) {
    const auto* lines = static_cast<const typename Format::Line*>(tiles);
    for (size_t t = 0; t < n_tiles; ++t, lines += Lines<Format>(n)) {
      for (size_t first = 0; first < kTile; first += V::kWidth) {
        MultiplyPart<V, Format, 1, V::kRows, true>(lines, first, n, x, x_stride,
                                                   out + r * out_stride + t * kTile, out_stride);
      }
    }
  }
  for (; r < rows; ++r, x += x_stride) {
    const auto* lines = static_cast<const typename Format::Line*>(tiles);
    for (size_t t = 0; t < n_tiles; ++t, lines += Lines<Format>(n)) {
      MultiplyPart<V, Format, kTile / V::kWidth, 1, true>(lines, 0, n, x, 0,
                                                          out + r * out_stride + t * kTile, 0);
    }
  }
}

template <typename V>
constexpr LowRankKernels kLowRankOf = {
    .f32 = {MultiplyTiles<V, Floats>, AddTiles<V, Floats>},
    .bfloat16 = {MultiplyTiles<V, Pairs>, AddTiles<V, Pairs>},
};

}  // namespace
// NOLINTEND(google-build-namespaces, misc-definitions-in-headers)

}  // namespace rondo
