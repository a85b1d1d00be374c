#include "runtime/kernels/kv_page.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/base/checked.h"
#include "runtime/base/finite.h"
#include "runtime/kernels/row_ops.h"
#include "runtime/kernels/values/value_kernels.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

namespace {
constexpr size_t kMaxHeadDim = 640;

// Inlined by force: gcc 12 takes a function that only prefetches for one that does nothing.
[[gnu::always_inline]] inline void ReadAhead(const uint8_t* begin, size_t bytes) {
  constexpr int kRead = 0, kL2 = 2;
  for (size_t i = 0; i < bytes; i += 64) {
    __builtin_prefetch(begin + i, kRead, kL2);
  }
}

// n units of so many bytes, `stride` bytes apart.
template <size_t kUnit>
void Spread(const int8_t* from, size_t n, size_t stride, uint8_t* to) {
  for (size_t i = 0; i < n; ++i) std::memcpy(to + i * stride, from + i * kUnit, kUnit);
}

// Symmetric int8 over one head: real = q * scale. Returns the scale, which is finite: a row that
// does not see the token multiplies it by zero.
float QuantizeHead(const KernelSet& set, const float* in, size_t n, int8_t* out) {
  float range[2];
  set.min_max(n * sizeof(float), in, range, nullptr);
  const float largest = std::min(std::max(-range[0], range[1]), std::numeric_limits<float>::max());
  const float scale = largest > 0 ? largest / 127.0f : 1.0f;
  const xnn_f32_qs8_cvt_params params = {{1.0f / scale, 0}};
  set.quantize(n * sizeof(float), in, out, &params);
  return scale;
}
}  // namespace

KvPage::KvPage(const KernelSet& set, KvFormat format, size_t head_dim, size_t v_head_dim)
    : set_(&set), format_(format), head_dim_(head_dim), v_head_dim_(v_head_dim) {
  size_t key_tiles, value_tiles;
  if (format == KvFormat::kInt8) {
    const auto& kernels = set.KeyKernels();
    key_tiles = kKvBlockTokens / kernels.nr;
    key_tile_bytes_ =
        kernels.nr * (sizeof(int32_t) + RoundUp(head_dim, kernels.kr) + 2 * sizeof(float));
    value_tiles = CeilDiv(v_head_dim, kValueChannels);
    value_tile_bytes_ = kValueTileBytes;
  } else {
    key_tiles = kKvBlockTokens / set.f32.nr;
    key_tile_bytes_ = set.f32.nr * (1 + head_dim) * sizeof(float);
    value_tiles = CeilDiv(v_head_dim, set.f32.nr);
    value_tile_bytes_ = set.f32.nr * (1 + kKvBlockTokens) * sizeof(float);
  }
  values_offset_ = RoundUp(key_tiles * key_tile_bytes_, 64);
  scales_offset_ = RoundUp(values_offset_ + value_tiles * value_tile_bytes_, 64);
  bytes_ = scales_offset_;
  if (format == KvFormat::kInt8) bytes_ += kKvBlockTokens * sizeof(float);
}

void KvPage::Clear(uint8_t* page) const { std::memset(page, 0, bytes_); }

void KvPage::Store(uint8_t* page, size_t slot, const float* key, const float* value) const {
  if (format_ == KvFormat::kFloat32) {
    PutFloats(page, slot, key, value);
    return;
  }
  int8_t q[kMaxHeadDim] = {};
  const float key_scale = QuantizeHead(*set_, key, head_dim_, q);
  PutKey(page, slot, q, key_scale);
  const float value_scale = QuantizeHead(*set_, value, v_head_dim_, q);
  PutValue(page, slot, q, value_scale);
}

void KvPage::PutFloats(uint8_t* page, size_t slot, const float* key, const float* value) const {
  const size_t nr = set_->f32.nr;
  float* keys = reinterpret_cast<float*>(page + slot / nr * key_tile_bytes_) + nr + slot % nr;
  for (size_t d = 0; d < head_dim_; ++d) keys[d * nr] = key[d];
  for (size_t d = 0; d < v_head_dim_; ++d) {
    float* tile = reinterpret_cast<float*>(page + values_offset_ + d / nr * value_tile_bytes_);
    tile[nr + slot * nr + d % nr] = value[d];
  }
}

void KvPage::PutKey(uint8_t* page, size_t slot, const int8_t* key, float scale) const {
  const size_t nr = set_->KeyKernels().nr;
  const size_t kr = set_->KeyKernels().kr;
  const size_t groups = CeilDiv(head_dim_, kr);
  uint8_t* tile = page + slot / nr * key_tile_bytes_;
  const size_t n = slot % nr;
  int32_t sum = 0;
  for (size_t d = 0; d < head_dim_; ++d) sum += key[d];
  reinterpret_cast<int32_t*>(tile)[n] = -sum;
  uint8_t* group = tile + nr * sizeof(int32_t);
  (kr == 8 ? Spread<8> : kr == 4 ? Spread<4> : Spread<1>)(key, groups, nr * kr, group + n * kr);
  reinterpret_cast<float*>(group + groups * nr * kr)[n] = scale;
}

void KvPage::PutValue(uint8_t* page, size_t slot, const int8_t* value, float scale) const {
  reinterpret_cast<float*>(page + scales_offset_)[slot] = scale;
  for (size_t d = 0; d < v_head_dim_; d += kValueChannels) {
    Spread<1>(value + d, std::min(kValueChannels, v_head_dim_ - d), set_->values->kr,
              page + values_offset_ + ValueOffset(slot, d));
  }
}

size_t KvPage::ValueOffset(size_t slot, size_t d) const {
  const size_t kr = set_->values->kr;
  return d / kValueChannels * value_tile_bytes_ + slot / kr * kr * kValueChannels +
         d % kValueChannels * kr + slot % kr;
}

void KvPage::Read(const uint8_t* page, size_t slot, uint8_t* bytes) const {
  if (format_ == KvFormat::kFloat32) {
    const size_t nr = set_->f32.nr;
    const float* keys =
        reinterpret_cast<const float*>(page + slot / nr * key_tile_bytes_) + nr + slot % nr;
    for (size_t d = 0; d < head_dim_; ++d) {
      std::memcpy(bytes + d * sizeof(float), keys + d * nr, sizeof(float));
    }
    uint8_t* values = bytes + head_dim_ * sizeof(float);
    for (size_t d = 0; d < v_head_dim_; ++d) {
      const auto* tile =
          reinterpret_cast<const float*>(page + values_offset_ + d / nr * value_tile_bytes_);
      std::memcpy(values + d * sizeof(float), tile + nr + slot * nr + d % nr, sizeof(float));
    }
    return;
  }
  const size_t nr = set_->KeyKernels().nr;
  const size_t kr = set_->KeyKernels().kr;
  const size_t groups = CeilDiv(head_dim_, kr);
  const size_t n = slot % nr;
  const uint8_t* group = page + slot / nr * key_tile_bytes_ + nr * sizeof(int32_t);
  for (size_t g = 0; g < groups; ++g) {
    std::memcpy(bytes + g * kr, group + (g * nr + n) * kr, std::min(kr, head_dim_ - g * kr));
  }
  bytes += head_dim_;
  std::memcpy(bytes, group + groups * nr * kr + n * sizeof(float), sizeof(float));
  bytes += sizeof(float);
  for (size_t d = 0; d < v_head_dim_; ++d) {
    bytes[d] = page[values_offset_ + ValueOffset(slot, d)];
  }
  std::memcpy(bytes + v_head_dim_, page + scales_offset_ + slot * sizeof(float), sizeof(float));
}

void KvPage::Put(uint8_t* page, size_t slot, const uint8_t* bytes) const {
  if (format_ == KvFormat::kFloat32) {
    float key[kMaxHeadDim];
    float value[kMaxHeadDim];
    std::memcpy(key, bytes, head_dim_ * sizeof(float));
    std::memcpy(value, bytes + head_dim_ * sizeof(float), v_head_dim_ * sizeof(float));
    PutFloats(page, slot, key, value);
    return;
  }
  int8_t q[kMaxHeadDim] = {};
  float scale;
  std::memcpy(q, bytes, head_dim_);
  std::memcpy(&scale, bytes + head_dim_, sizeof scale);
  PutKey(page, slot, q, scale);
  bytes += head_dim_ + sizeof scale;
  std::memcpy(q, bytes, v_head_dim_);
  std::memcpy(&scale, bytes + v_head_dim_, sizeof scale);
  PutValue(page, slot, q, scale);
}

bool KvPage::IsFinite(const uint8_t* bytes) const {
  if (format_ == KvFormat::kFloat32) return AllFinite({bytes, token_bytes()});
  const uint8_t* value_scale = bytes + head_dim_ + sizeof(float) + v_head_dim_;
  return AllFinite({bytes + head_dim_, sizeof(float)}) && AllFinite({value_scale, sizeof(float)});
}

void KvPage::Scores(const uint8_t* page, const Queries& queries, size_t rows, size_t tokens,
                    float* scores, size_t stride) const {
  const auto& kernels = set_->KeyKernels();
  const size_t tile_values = (bytes_ - values_offset_) / (kKvBlockTokens / kernels.nr);
  size_t m;
  for (size_t r = 0; r < rows; r += m, scores += m * stride) {
    const uint8_t* in = queries.rows + r * queries.stride;
    if (format_ == KvFormat::kFloat32) {
      m = std::min<size_t>(set_->f32.max_rows, rows - r);
      set_->f32.by_rows[m](m, tokens, head_dim_ * sizeof(float), reinterpret_cast<const float*>(in),
                           queries.stride, page, scores, stride * sizeof(float),
                           set_->f32.nr * sizeof(float), &kNoClamp);
      continue;
    }
    m = std::min<size_t>(kernels.max_rows, rows - r);
    const TileQuants quants(queries.quant + r, m);
    // The first rows go tile by tile: a page's values asked for at once would keep keys waiting.
    const size_t step = r == 0 ? kernels.nr : kKvBlockTokens;
    for (size_t t = 0; t < tokens; t += step) {
      const size_t tile = t / kernels.nr;
      if (r == 0) ReadAhead(page + values_offset_ + tile * tile_values, tile_values);
      kernels.by_rows[m](m, std::min(step, tokens - t), head_dim_,
                         reinterpret_cast<const int8_t*>(in), queries.stride,
                         page + tile * key_tile_bytes_, scores + t, stride * sizeof(float),
                         kernels.nr * sizeof(float), &kNoClamp, quants.quant);
    }
  }
}

void KvPage::WeighValues(std::span<const uint8_t* const> pages, const uint8_t* const* next,
                         float* p, size_t stride, size_t rows, float* out) const {
  for (size_t r = 0; r < rows; r += kMaxTileRows) {
    const size_t m = std::min(kMaxTileRows, rows - r);
    if (format_ == KvFormat::kInt8) {
      WeighIntegers(pages, r == 0 ? next : nullptr, p + r * stride, stride, m,
                    out + r * v_head_dim_);
    } else {
      WeighFloats(pages, p + r * stride, stride, m, out + r * v_head_dim_);
    }
  }
}

void KvPage::WeighIntegers(std::span<const uint8_t* const> pages, const uint8_t* const* next,
                           float* p, size_t stride, size_t rows, float* out) const {
  constexpr size_t kMostTokens = kMostWeighedBlocks * kKvBlockTokens;
  // Below this a row's largest probability counts as nothing: its reciprocal could be too large.
  constexpr float kNothing = 1e-30f;
  int16_t rounded[kMaxTileRows][kMostTokens];
  float factors[kMaxTileRows];
  const uint8_t* values[kMostWeighedBlocks];
  const size_t tokens = pages.size() * kKvBlockTokens;
  for (size_t r = 0; r < rows; ++r) {
    float* row = p + r * stride;
    for (size_t b = 0; b < pages.size(); ++b) {
      if (pages[b] == nullptr) continue;
      float* its = row + b * kKvBlockTokens;
      set_->multiply(kKvBlockTokens * sizeof(float), its,
                     reinterpret_cast<const float*>(pages[b] + scales_offset_), its, nullptr);
    }
    float largest = 0;
    set_->max(tokens * sizeof(float), row, &largest, nullptr);
    factors[r] = largest / kLargestProbability;
    const float inverse = largest > kNothing ? kLargestProbability / largest : 0.0f;
    set_->loops->round_probabilities(row, inverse, kLargestProbability, tokens, rounded[r]);
  }
  for (size_t b = 0; b < pages.size(); ++b) {
    values[b] = pages[b] == nullptr ? nullptr : pages[b] + values_offset_;
  }
  set_->values->weigh(rows, v_head_dim_, values, next, pages.size(), rounded[0], kMostTokens,
                      factors, out);
}

void KvPage::WeighFloats(std::span<const uint8_t* const> pages, const float* p, size_t stride,
                         size_t rows, float* out) const {
  const auto& kernels = set_->f32;
  float part[kMaxTileRows * kMaxHeadDim];
  std::fill_n(out, rows * v_head_dim_, 0.0f);
  for (const uint8_t* page : pages) {
    for (size_t r = 0; page != nullptr && r < rows; r += kernels.max_rows) {
      const size_t m = std::min<size_t>(kernels.max_rows, rows - r);
      kernels.by_rows[m](m, v_head_dim_, kKvBlockTokens * sizeof(float), p + r * stride,
                         stride * sizeof(float), page + values_offset_, part,
                         v_head_dim_ * sizeof(float), kernels.nr * sizeof(float), &kNoClamp);
      set_->loops->add(out + r * v_head_dim_, part, m * v_head_dim_);
    }
    p += kKvBlockTokens;
  }
}

}  // namespace rondo
