// What attention multiplies by a page: scores of its keys, sums of its values.
#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/kernels/kv_page.h"
#include "runtime/kernels/read_ahead.h"
#include "runtime/kernels/row_ops.h"
#include "runtime/kernels/values/value_kernels.h"
#include "runtime/kernels/xnnpack_adapter.h"

namespace rondo {

namespace {

[[gnu::always_inline]] inline void ReadAhead(const uint8_t* begin, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) PrefetchToL2(begin + i);
}

// Of all kernel sets; on the stack, where others have little of that.
#if defined(__riscv)
constexpr size_t kMaxKeyNr = 32;
#else
constexpr size_t kMaxKeyNr = 16;
#endif

}  // namespace

void KvPage::Scores(const uint8_t* page, const Queries& queries, size_t rows, size_t tokens,
                    float* scores, size_t stride) const {
  if (format_ == KvFormat::kFloat32) {
    for (size_t r = 0, m; r < rows; r += m) {
      m = std::min<size_t>(set_->f32.max_rows, rows - r);
      set_->f32.by_rows[m](m, tokens, head_dim_ * sizeof(float),
                           reinterpret_cast<const float*>(queries.rows + r * queries.stride),
                           queries.stride, page, scores + r * stride, stride * sizeof(float),
                           set_->f32.nr * sizeof(float), &kNoClamp);
    }
    return;
  }
  if (key_bits_ == 4) {
    ScoreNibbles(page, queries, rows, tokens, scores, stride);
    return;
  }
  const auto& kernels = set_->KeyKernels();
  const size_t tile_values = (bytes_ - values_offset_) / (kKvBlockTokens / kernels.nr);
  for (size_t r = 0; r < rows; r += kernels.max_rows) {
    const size_t m = std::min<size_t>(kernels.max_rows, rows - r);
    if (r == 0 && set_->few_scores != nullptr) {
      set_->few_scores(m, tokens, head_dim_, reinterpret_cast<const int8_t*>(queries.rows),
                       queries.stride, page, page + values_offset_, bytes_ - values_offset_, scores,
                       stride, queries.quant);
      continue;
    }
    // The first rows go tile by tile: a page's values asked for at once would keep keys waiting.
    const size_t step = r == 0 ? kernels.nr : kKvBlockTokens;
    for (size_t t = 0; t < tokens; t += step) {
      const size_t tile = t / kernels.nr;
      if (r == 0) ReadAhead(page + values_offset_ + tile * tile_values, tile_values);
      ScoreRows(page + tile * key_tile_bytes_, queries, r, m, std::min(step, tokens - t),
                scores + t, stride);
    }
  }
}

// Rows [r, r + rows), no more than a kernel takes; `tiles`: of int8.
void KvPage::ScoreRows(const uint8_t* tiles, const Queries& queries, size_t r, size_t rows,
                       size_t tokens, float* scores, size_t stride) const {
  const auto& kernels = set_->KeyKernels();
  kernels.by_rows[rows](
      rows, tokens, head_dim_, reinterpret_cast<const int8_t*>(queries.rows + r * queries.stride),
      queries.stride, tiles, scores + r * stride, stride * sizeof(float),
      kernels.nr * sizeof(float), &kNoClamp, TileQuants(queries.quant + r, rows).quant);
}

void KvPage::ScoreNibbles(const uint8_t* page, const Queries& queries, size_t rows, size_t tokens,
                          float* scores, size_t stride) const {
  constexpr size_t kMostBytes =
      kMaxKeyNr * (kMaxHeadDim + kMaxKeyNr + sizeof(int32_t) + 2 * sizeof(float)) + kOverRead;
  alignas(64) uint8_t tile[kMostBytes];
  const auto& kernels = set_->KeyKernels();
  const size_t tile_values = (bytes_ - values_offset_) / (kKvBlockTokens / kernels.nr);
  for (size_t t = 0; t < tokens; t += kernels.nr) {
    ReadAhead(page + values_offset_ + t / kernels.nr * tile_values, tile_values);
    UnpackKeys(page + t / kernels.nr * key_tile_bytes_, tile);
    for (size_t r = 0; r < rows; r += kernels.max_rows) {
      ScoreRows(tile, queries, r, std::min<size_t>(kernels.max_rows, rows - r),
                std::min<size_t>(kernels.nr, tokens - t), scores + t, stride);
    }
  }
}

void KvPage::UnpackKeys(const uint8_t* tile, uint8_t* out) const {
  const size_t nr = set_->KeyKernels().nr, sums = nr * sizeof(int32_t), integers = KeyIntegers();
  std::memcpy(out, tile, sums);
  set_->loops->unpack_nibbles(tile + sums, integers / 2, reinterpret_cast<int8_t*>(out + sums));
  const size_t ends = 2 * nr * sizeof(float);
  std::memcpy(out + sums + integers, tile + key_tile_bytes_ - ends, ends);
}

void KvPage::WeighValues(std::span<const uint8_t* const> pages, const uint8_t* const* next,
                         float* p, size_t stride, size_t rows, float* out) const {
  for (size_t r = 0; r < rows; r += kMaxTileRows) {
    const size_t m = std::min(kMaxTileRows, rows - r);
    if (format_ != KvFormat::kFloat32) {
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
  if (value_bits_ == 8) {
    set_->values->weigh(rows, v_head_dim_, values, next, pages.size(), rounded[0], kMostTokens,
                        factors, out);
    return;
  }
  alignas(64) int8_t tiles[kMostWeighedBlocks][kValueTileBytes];
  const uint8_t* unpacked[kMostWeighedBlocks];
  float part[kMaxTileRows * kValueChannels];
  const size_t tile_keys = values_offset_ / CeilDiv(v_head_dim_, kValueChannels);
  for (size_t d = 0; d < v_head_dim_; d += kValueChannels) {
    const size_t channels = std::min(kValueChannels, v_head_dim_ - d);
    for (size_t b = 0; b < pages.size(); ++b) {
      if (next != nullptr && next[b] != nullptr) {
        ReadAhead(next[b] + d / kValueChannels * tile_keys, tile_keys);
      }
      unpacked[b] = nullptr;
      if (values[b] == nullptr) continue;
      set_->loops->unpack_nibbles(values[b] + d / kValueChannels * value_tile_bytes_,
                                  value_tile_bytes_, tiles[b]);
      unpacked[b] = reinterpret_cast<const uint8_t*>(tiles[b]);
    }
    set_->values->weigh(rows, channels, unpacked, nullptr, pages.size(), rounded[0], kMostTokens,
                        factors, part);
    for (size_t r = 0; r < rows; ++r) {
      std::copy_n(part + r * channels, channels, out + r * v_head_dim_ + d);
    }
  }
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
