// Values in int8 and int4, in the tiles that the set's ValueKernels read.
#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/kernels/pages/integer_heads.h"
#include "runtime/kernels/values/value_kernels.h"

namespace rondo {
namespace {

size_t TileChannels(const KernelSet&) { return kValueChannels; }

template <uint32_t kBits>
size_t TileBytes(const KernelSet&) {
  return kValueTileBytes * kBits / 8;
}

// Where channel d of the token at `slot` lies in its tile, in int8.
size_t OffsetInTile(const PageShape& s, size_t slot, size_t d) {
  const size_t kr = s.set->values->kr;
  return slot / kr * kr * kValueChannels + d % kValueChannels * kr + slot % kr;
}

template <uint32_t kBits>
void PutValue(const PageShape& s, uint8_t* page, size_t slot, const int8_t* value, float scale) {
  reinterpret_cast<float*>(page + s.scales_offset)[slot] = scale;
  for (size_t d = 0; d < s.v_head_dim; d += kValueChannels) {
    uint8_t* tile = page + s.values_offset + d / kValueChannels * s.value_tile_bytes;
    const size_t n = std::min(kValueChannels, s.v_head_dim - d);
    if constexpr (kBits == 8) {
      SpreadUnits<1>(value + d, n, s.set->values->kr, tile + OffsetInTile(s, slot, d));
    } else {
      for (size_t i = 0; i < n; ++i) {
        PutNibble(tile, kValueTileBytes, OffsetInTile(s, slot, d + i), value[d + i]);
      }
    }
  }
}

template <uint32_t kBits>
void Store(const PageShape& s, uint8_t* page, size_t slot, const float* value) {
  int8_t q[kMaxPageDim] = {};
  const float scale = RoundHead<kBits>(*s.set, value, s.v_head_dim, q);
  PutValue<kBits>(s, page, slot, q, scale);
}

template <uint32_t kBits>
void Read(const PageShape& s, const uint8_t* page, size_t slot, uint8_t* bytes) {
  int8_t q[kMaxPageDim];
  for (size_t d = 0; d < s.v_head_dim; ++d) {
    const uint8_t* tile = page + s.values_offset + d / kValueChannels * s.value_tile_bytes;
    const size_t at = OffsetInTile(s, slot, d);
    q[d] = kBits == 4 ? Nibble(tile, kValueTileBytes, at) : static_cast<int8_t>(tile[at]);
  }
  const auto* scales = reinterpret_cast<const float*>(page + s.scales_offset);
  WriteHead<kBits>(q, s.v_head_dim, scales[slot], bytes);
}

template <uint32_t kBits>
void Put(const PageShape& s, uint8_t* page, size_t slot, const uint8_t* bytes) {
  int8_t q[kMaxPageDim] = {};
  const float scale = TakeHead<kBits>(bytes, s.v_head_dim, q);
  PutValue<kBits>(s, page, slot, q, scale);
}

constexpr size_t kMostTokens = kMostWeighedBlocks * kKvBlockTokens;

// Probabilities times the values' scales as integers, and what each stands for.
struct RoundedProbabilities {
  int16_t p[kMaxTileRows][kMostTokens];
  float factors[kMaxTileRows];

  RoundedProbabilities(const PageShape& s, std::span<const uint8_t* const> pages, float* p_rows,
                       size_t stride, size_t rows) {
    // Below this a row's largest counts as nothing: its reciprocal could be too large.
    constexpr float kNothing = 1e-30f;
    const size_t tokens = pages.size() * kKvBlockTokens;
    const float* scales[kMostWeighedBlocks];
    for (size_t b = 0; b < pages.size(); ++b) {
      scales[b] = pages[b] == nullptr ? nullptr
                                      : reinterpret_cast<const float*>(pages[b] + s.scales_offset);
    }
    for (size_t r = 0; r < rows; ++r) {
      float* row = p_rows + r * stride;
      const float largest = s.set->loops->weigh_blocks(row, scales, pages.size(), kKvBlockTokens);
      factors[r] = largest / kLargestProbability;
      const float inverse = largest > kNothing ? kLargestProbability / largest : 0.0f;
      s.set->loops->round_probabilities(row, inverse, kLargestProbability, tokens, p[r]);
    }
  }
};

void WeighInt8(const PageShape& s, std::span<const uint8_t* const> pages,
               const uint8_t* const* next, float* p, size_t stride, size_t rows, float* out) {
  const RoundedProbabilities rounded(s, pages, p, stride, rows);
  const uint8_t* values[kMostWeighedBlocks];
  for (size_t b = 0; b < pages.size(); ++b) {
    values[b] = pages[b] == nullptr ? nullptr : pages[b] + s.values_offset;
  }
  s.set->values->weigh(rows, s.v_head_dim, values, next, pages.size(), rounded.p[0], kMostTokens,
                       rounded.factors, out);
}

void WeighInt4(const PageShape& s, std::span<const uint8_t* const> pages,
               const uint8_t* const* next, float* p, size_t stride, size_t rows, float* out) {
  const RoundedProbabilities rounded(s, pages, p, stride, rows);
  alignas(64) int8_t tiles[kMostWeighedBlocks][kValueTileBytes];
  const uint8_t* unpacked[kMostWeighedBlocks];
  float part[kMaxTileRows * kValueChannels];
  const size_t tile_keys = s.values_offset / CeilDiv(s.v_head_dim, kValueChannels);
  for (size_t d = 0; d < s.v_head_dim; d += kValueChannels) {
    const size_t tile = d / kValueChannels;
    const size_t channels = std::min(kValueChannels, s.v_head_dim - d);
    for (size_t b = 0; b < pages.size(); ++b) {
      if (next != nullptr && next[b] != nullptr)
        ReadAllAhead(next[b] + tile * tile_keys, tile_keys);
      unpacked[b] = nullptr;
      if (pages[b] == nullptr) continue;
      s.set->loops->unpack_nibbles(pages[b] + s.values_offset + tile * s.value_tile_bytes,
                                   s.value_tile_bytes, tiles[b]);
      unpacked[b] = reinterpret_cast<const uint8_t*>(tiles[b]);
    }
    s.set->values->weigh(rows, channels, unpacked, nullptr, pages.size(), rounded.p[0], kMostTokens,
                         rounded.factors, part);
    for (size_t r = 0; r < rows; ++r) {
      std::copy_n(part + r * channels, channels, out + r * s.v_head_dim + d);
    }
  }
}

template <uint32_t kBits>
constexpr ValueKind Kind(decltype(ValueKind::weigh) weigh) {
  return {.rotates = kBits == 4,
          .has_scales = true,
          .tile_channels = TileChannels,
          .tile_bytes = TileBytes<kBits>,
          .token_bytes = HeadBytes<kBits>,
          .store = Store<kBits>,
          .read = Read<kBits>,
          .put = Put<kBits>,
          .is_finite = HeadIsFinite<kBits>,
          .weigh = weigh};
}

}  // namespace

const ValueKind kInt8Values = Kind<8>(WeighInt8);
const ValueKind kInt4Values = Kind<4>(WeighInt4);

}  // namespace rondo
