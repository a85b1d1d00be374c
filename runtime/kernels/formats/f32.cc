// float32: what everything else is held against.
#include <algorithm>
#include <cstring>

#include "runtime/kernels/formats/put.h"
#include "runtime/kernels/formats/weight_kernels.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {
namespace {

void PackF32(size_t nr, size_t k, const WeightRows& rows, size_t begin, size_t count,
             uint8_t* tile) {
  const float* weights = static_cast<const float*>(rows.data) + begin * k;
  float* out = reinterpret_cast<float*>(PutChannels(tile, rows.bias, begin, count, nr));
  for (size_t j = 0; j < k; ++j, out += nr) {
    for (size_t i = 0; i < count; ++i) out[i] = weights[i * k + j];
    for (size_t i = count; i < nr; ++i) out[i] = 0.0f;
  }
}

void Pack(const PackedLayout& layout, const LinearShape& shape, const WeightRows& rows,
          size_t begin, size_t end, uint8_t* packed) {
  PutTiles(layout, shape, begin, end, packed, [&](size_t n, size_t count, uint8_t* tile) {
    PackF32(layout.f32.nr, shape.k, rows, n, count, tile);
  });
}

void Run(const KernelSet& set, const PackedLinear& linear, const LinearInput& in, size_t rows,
         size_t begin, size_t end, float* out, size_t out_stride, uint8_t*) {
  const auto& kernels = set.f32;
  const uint8_t* packed = TileOf(set, linear, begin);
  for (size_t r = 0; r < rows;) {
    const size_t m = std::min<size_t>(kernels.max_rows, rows - r);
    const float* a =
        reinterpret_cast<const float*>(reinterpret_cast<const uint8_t*>(in.f32) + r * in.stride);
    kernels.by_rows[m](m, end - begin, linear.shape.k * sizeof(float), a, in.stride, packed,
                       out + r * out_stride, out_stride * sizeof(float), kernels.nr * sizeof(float),
                       &kNoClamp);
    r += m;
  }
}

void ReadPacked(const KernelSet& set, const PackedLinear& linear, size_t channel,
                std::span<float> out) {
  const size_t nr = set.f32.nr;
  const float* weights =
      reinterpret_cast<const float*>(TileOf(set, linear, channel)) + nr + channel % nr;
  for (size_t k = 0; k < out.size(); ++k) out[k] = weights[k * nr];
}

void ReadStored(const LinearShape& shape, const WeightRows& rows, size_t channel,
                std::span<float> out) {
  std::memcpy(out.data(), RowOf<float>(shape, rows, channel), out.size_bytes());
}

}  // namespace

const WeightKernels kF32Weights = {
    .pack = Pack, .run = Run, .read_packed = ReadPacked, .read_stored = ReadStored};

}  // namespace rondo
