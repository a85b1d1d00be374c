#include "runtime/kernels/kv_page.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/base/checked.h"
#include "runtime/base/finite.h"
#include "runtime/kernels/nibbles.h"
#include "runtime/kernels/row_ops.h"
#include "runtime/kernels/values/value_kernels.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

namespace {

// n units of so many bytes, `stride` bytes apart.
template <size_t kUnit>
void Spread(const int8_t* from, size_t n, size_t stride, uint8_t* to) {
  for (size_t i = 0; i < n; ++i) std::memcpy(to + i * stride, from + i * kUnit, kUnit);
}

// Symmetric integers up to `most` over one head: real = q * scale. Returns the scale, which is
// finite: a row that does not see the token multiplies it by zero.
float QuantizeHead(const KernelSet& set, const float* in, size_t n, uint32_t bits, int8_t* out) {
  const auto most = static_cast<float>((1 << (bits - 1)) - 1);
  float range[2];
  set.min_max(n * sizeof(float), in, range, nullptr);
  const float largest = std::min(std::max(-range[0], range[1]), std::numeric_limits<float>::max());
  const float scale = largest > 0 ? largest / most : 1.0f;
  const xnn_f32_qs8_cvt_params params = {{1.0f / scale, 0}};
  set.quantize(n * sizeof(float), in, out, &params);
  // The kernel holds what is not finite, or too small for the scale, to int8; keys must have no
  // -128, as weights (PackLinear).
  const auto limit = static_cast<int8_t>(most);
  for (size_t i = 0; i < n; ++i) {
    out[i] = std::clamp<int8_t>(out[i], static_cast<int8_t>(-limit), limit);
  }
  return scale;
}

}  // namespace

const char* KvFormatName(KvFormat format) {
  switch (format) {
    case KvFormat::kInt8:
      return "int8";
    case KvFormat::kFloat32:
      return "float32";
    case KvFormat::kK8V4:
      return "k8v4";
    case KvFormat::kK4V4:
      return "k4v4";
  }
  return "?";
}

KvPage::KvPage(const KernelSet& set, KvFormat format, size_t head_dim, size_t v_head_dim)
    : set_(&set),
      format_(format),
      key_bits_(format == KvFormat::kK4V4 ? 4 : 8),
      value_bits_(format == KvFormat::kK4V4 || format == KvFormat::kK8V4 ? 4 : 8),
      head_dim_(head_dim),
      v_head_dim_(v_head_dim) {
  size_t key_tiles, value_tiles;
  if (format != KvFormat::kFloat32) {
    const size_t nr = set.KeyKernels().nr;
    key_tiles = kKvBlockTokens / nr;
    key_tile_bytes_ = RoundUp(KeyIntegers() * key_bits_ / 8, sizeof(float)) +
                      nr * (sizeof(int32_t) + 2 * sizeof(float));
    value_tiles = CeilDiv(v_head_dim, kValueChannels);
    value_tile_bytes_ = kValueTileBytes * value_bits_ / 8;
  } else {
    key_tiles = kKvBlockTokens / set.f32.nr;
    key_tile_bytes_ = set.f32.nr * (1 + head_dim) * sizeof(float);
    value_tiles = CeilDiv(v_head_dim, set.f32.nr);
    value_tile_bytes_ = set.f32.nr * (1 + kKvBlockTokens) * sizeof(float);
  }
  values_offset_ = RoundUp(key_tiles * key_tile_bytes_, 64);
  scales_offset_ = RoundUp(values_offset_ + value_tiles * value_tile_bytes_, 64);
  bytes_ = scales_offset_;
  if (format != KvFormat::kFloat32) bytes_ += kKvBlockTokens * sizeof(float);
}

void KvPage::Clear(uint8_t* page) const { std::memset(page, 0, bytes_); }

void KvPage::Store(uint8_t* page, size_t slot, const float* key, const float* value) const {
  if (format_ == KvFormat::kFloat32) {
    PutFloats(page, slot, key, value);
    return;
  }
  int8_t q[kMaxHeadDim] = {};
  float turned[kMaxHeadDim + kOverRead / sizeof(float)];
  const auto rotated = [&](const float* head, size_t n) {
    std::copy_n(head, n, turned);
    Rotate(turned, n);
    return turned;
  };
  if (rotates_keys()) key = rotated(key, head_dim_);
  const float key_scale = QuantizeHead(*set_, key, head_dim_, key_bits_, q);
  PutKey(page, slot, q, key_scale);
  if (rotates_values()) value = rotated(value, v_head_dim_);
  const float value_scale = QuantizeHead(*set_, value, v_head_dim_, value_bits_, q);
  PutValue(page, slot, q, value_scale);
}

void KvPage::Rotate(float* head, size_t n) const {
  const size_t block = std::min(n & (~n + 1), kMostRotated);  // the largest power of two in n
  set_->loops->hadamard(head, n, block, 1.0f / std::sqrt(static_cast<float>(block)));
}

size_t KvPage::KeyIntegers() const {
  const auto& kernels = set_->KeyKernels();
  return kernels.nr * RoundUp(head_dim_, kernels.kr);
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
  uint8_t* integers = tile + nr * sizeof(int32_t);
  if (key_bits_ == 4) {
    for (size_t d = 0; d < head_dim_; ++d) {
      PutNibble(integers, KeyIntegers(), (d / kr * nr + n) * kr + d % kr, key[d]);
    }
  } else {
    (kr == 8   ? Spread<8>
     : kr == 4 ? Spread<4>
               : Spread<1>)(key, groups, nr * kr, integers + n * kr);
  }
  reinterpret_cast<float*>(tile + key_tile_bytes_ - 2 * nr * sizeof(float))[n] = scale;
}

void KvPage::PutValue(uint8_t* page, size_t slot, const int8_t* value, float scale) const {
  reinterpret_cast<float*>(page + scales_offset_)[slot] = scale;
  for (size_t d = 0; d < v_head_dim_; d += kValueChannels) {
    uint8_t* tile = page + values_offset_ + d / kValueChannels * value_tile_bytes_;
    const size_t n = std::min(kValueChannels, v_head_dim_ - d);
    if (value_bits_ == 8) {
      Spread<1>(value + d, n, set_->values->kr, tile + ValueOffset(slot, d));
      continue;
    }
    for (size_t i = 0; i < n; ++i) {
      PutNibble(tile, kValueTileBytes, ValueOffset(slot, d + i), value[d + i]);
    }
  }
}

size_t KvPage::ValueOffset(size_t slot, size_t d) const {
  const size_t kr = set_->values->kr;
  return slot / kr * kr * kValueChannels + d % kValueChannels * kr + slot % kr;
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
  const size_t n = slot % nr;
  const uint8_t* tile = page + slot / nr * key_tile_bytes_;
  const uint8_t* integers = tile + nr * sizeof(int32_t);
  int8_t q[kMaxHeadDim];
  for (size_t d = 0; d < head_dim_; ++d) {
    const size_t at = (d / kr * nr + n) * kr + d % kr;
    q[d] = key_bits_ == 4 ? Nibble(integers, KeyIntegers(), at) : static_cast<int8_t>(integers[at]);
  }
  bytes = PutIntegers(q, head_dim_, key_bits_, bytes);
  std::memcpy(bytes, tile + key_tile_bytes_ - (2 * nr - n) * sizeof(float), sizeof(float));
  bytes += sizeof(float);
  for (size_t d = 0; d < v_head_dim_; ++d) {
    const uint8_t* values = page + values_offset_ + d / kValueChannels * value_tile_bytes_;
    const size_t at = ValueOffset(slot, d);
    q[d] = value_bits_ == 4 ? Nibble(values, kValueTileBytes, at) : static_cast<int8_t>(values[at]);
  }
  bytes = PutIntegers(q, v_head_dim_, value_bits_, bytes);
  std::memcpy(bytes, page + scales_offset_ + slot * sizeof(float), sizeof(float));
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
  bytes = TakeIntegers(bytes, head_dim_, key_bits_, q);
  for (size_t d = 0; d < head_dim_; ++d) q[d] = std::max<int8_t>(q[d], -127);
  std::memcpy(&scale, bytes, sizeof scale);
  PutKey(page, slot, q, scale);
  bytes = TakeIntegers(bytes + sizeof scale, v_head_dim_, value_bits_, q);
  std::memcpy(&scale, bytes, sizeof scale);
  PutValue(page, slot, q, scale);
}

bool KvPage::IsFinite(const uint8_t* bytes) const {
  if (format_ == KvFormat::kFloat32) return AllFinite({bytes, token_bytes()});
  const uint8_t* behind_key = bytes + TokenBytes(head_dim_, key_bits_);
  const uint8_t* behind_value = behind_key + TokenBytes(v_head_dim_, value_bits_);
  return AllFinite({behind_key - sizeof(float), sizeof(float)}) &&
         AllFinite({behind_value - sizeof(float), sizeof(float)});
}

}  // namespace rondo
