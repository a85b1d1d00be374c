#include "runtime/kernels/kv_page.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/kernels/pages/page_kinds.h"

namespace rondo {

KvPage::KvPage(const KernelSet& set, KvFormat format, size_t head_dim, size_t v_head_dim)
    : keys_(RuleOf(format).keys), values_(RuleOf(format).values) {
  PageShape& s = shape_;
  s.set = &set;
  s.head_dim = head_dim;
  s.v_head_dim = v_head_dim;
  s.key_tile_bytes = keys_->tile_bytes(set, head_dim);
  s.value_tile_bytes = values_->tile_bytes(set);
  const size_t key_tiles = kKvBlockTokens / keys_->tile_tokens(set);
  const size_t value_tiles = CeilDiv(v_head_dim, values_->tile_channels(set));
  s.values_offset = RoundUp(key_tiles * s.key_tile_bytes, 64);
  s.scales_offset = RoundUp(s.values_offset + value_tiles * s.value_tile_bytes, 64);
  s.bytes = s.scales_offset + (values_->has_scales ? kKvBlockTokens * sizeof(float) : 0);
}

bool KvPage::float_queries() const { return keys_->float_queries; }
bool KvPage::rotates_keys() const { return keys_->rotates; }
bool KvPage::rotates_values() const { return values_->rotates; }
void KvPage::Rotate(float* head, size_t n) const { RotateHead(*shape_.set, head, n); }

void RotateHead(const KernelSet& set, float* head, size_t n) {
  const size_t block = std::min(n & (~n + 1), kMostRotated);  // the largest power of two in n
  set.loops->hadamard(head, n, block, 1.0f / std::sqrt(static_cast<float>(block)));
}

void KvPage::Clear(uint8_t* page) const { std::memset(page, 0, shape_.bytes); }

void KvPage::Store(uint8_t* page, size_t slot, const float* key, const float* value) const {
  keys_->store(shape_, page, slot, key);
  values_->store(shape_, page, slot, value);
}

size_t KvPage::token_bytes() const {
  return keys_->token_bytes(shape_.head_dim) + values_->token_bytes(shape_.v_head_dim);
}

void KvPage::Read(const uint8_t* page, size_t slot, uint8_t* bytes) const {
  keys_->read(shape_, page, slot, bytes);
  values_->read(shape_, page, slot, bytes + keys_->token_bytes(shape_.head_dim));
}

void KvPage::Put(uint8_t* page, size_t slot, const uint8_t* bytes) const {
  keys_->put(shape_, page, slot, bytes);
  values_->put(shape_, page, slot, bytes + keys_->token_bytes(shape_.head_dim));
}

bool KvPage::IsFinite(const uint8_t* bytes) const {
  return keys_->is_finite(bytes, shape_.head_dim) &&
         values_->is_finite(bytes + keys_->token_bytes(shape_.head_dim), shape_.v_head_dim);
}

void KvPage::Scores(const uint8_t* page, const PageQueries& queries, size_t rows, size_t tokens,
                    float* scores, size_t stride) const {
  keys_->scores(shape_, page, queries, rows, tokens, scores, stride);
}

void KvPage::WeighValues(std::span<const uint8_t* const> pages, const uint8_t* const* next,
                         float* p, size_t stride, size_t rows, float* out) const {
  for (size_t r = 0; r < rows; r += kMaxTileRows) {
    values_->weigh(shape_, pages, r == 0 ? next : nullptr, p + r * stride, stride,
                   std::min(kMaxTileRows, rows - r), out + r * shape_.v_head_dim);
  }
}

}  // namespace rondo
