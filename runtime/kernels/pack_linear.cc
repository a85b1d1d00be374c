#include "runtime/kernels/pack_linear.h"
#include "runtime/base/bfloat16.h"

#include <algorithm>
#include <bit>
#include <cstring>

// Each tile is written front to back and each row read front to back, all rows of a tile at once.
// Groups of inputs are moved as words, and padding is written where it lies: nothing is cleared
// beforehand. Sums are taken from the tile just written, which the compiler can vectorise where
// the rows themselves would be read across.

namespace rondo {

namespace {

constexpr uint32_t kMaxNr = 32;
constexpr uint64_t kEvenBytes = 0x00ff00ff00ff00ff;

// To the nearest, ties to even.
uint16_t ToBfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

// Copies and goes on behind.
template <typename T>
uint8_t* Put(uint8_t* out, const T* values, size_t count) {
  if (count > 0) std::memcpy(out, values, count * sizeof(T));
  return out + count * sizeof(T);
}
uint8_t* PutZeros(uint8_t* out, size_t bytes) {
  std::memset(out, 0, bytes);
  return out + bytes;
}

// `count` of nr channels' values at `begin` (null: zeros), then zeros.
uint8_t* PutChannels(uint8_t* out, const float* values, size_t begin, size_t count, size_t nr) {
  if (values == nullptr) return PutZeros(out, nr * sizeof(float));
  return PutZeros(Put(out, values + begin, count), (nr - count) * sizeof(float));
}

void PackF32(size_t nr, size_t k, const WeightRows& rows, size_t begin, size_t count,
             uint8_t* tile) {
  const float* weights = static_cast<const float*>(rows.data) + begin * k;
  float* out = reinterpret_cast<float*>(PutChannels(tile, rows.bias, begin, count, nr));
  for (size_t j = 0; j < k; ++j, out += nr) {
    for (size_t i = 0; i < count; ++i) out[i] = weights[i * k + j];
    for (size_t i = count; i < nr; ++i) out[i] = 0.0f;
  }
}

// int8 sums of kNr channels, taken group by group.
template <size_t kNr>
class Sums {
 public:
  // `group`: int8 [kNr][8].
  void Add(const uint8_t* group) {
    for (size_t i = 0; i < kNr; ++i) {
      uint64_t word;
      std::memcpy(&word, group + 8 * i, 8);
      word ^= 0x8080808080808080;  // now each byte is 128 more, and not negative
      lanes_[i] += (word & kEvenBytes) + (word >> 8 & kEvenBytes);
    }
    if (++groups_ == kFull) Flush();
  }
  void Store(int32_t* negated) {
    Flush();
    for (size_t i = 0; i < kNr; ++i) negated[i] = -sums_[i];
  }

 private:
  static constexpr int32_t kFull = 128;  // two bytes each: the lanes of 16 bits are then full

  void Flush() {
    for (size_t i = 0; i < kNr; ++i) {
      const uint64_t pairs =
          (lanes_[i] & 0x0000ffff0000ffff) + (lanes_[i] >> 16 & 0x0000ffff0000ffff);
      sums_[i] += static_cast<int32_t>((pairs & 0xffffffff) + (pairs >> 32)) - 8 * 128 * groups_;
      lanes_[i] = 0;
    }
    groups_ = 0;
  }

  uint64_t lanes_[kNr] = {};  // four sums of 16 bits
  int32_t sums_[kNr] = {};
  int32_t groups_ = 0;
};

// Integers with -127 in the place of -128, which symmetric weights have no need of, and of which
// two products would be more than 16 bits hold (kernels/neon.cc).
int8_t NotLeast(int8_t value) { return std::max<int8_t>(value, -127); }
uint64_t NotLeast(uint64_t word) {
  constexpr uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;
  const uint64_t rest = word ^ kTops;  // a byte of zeros was -128
  if (((rest - kOnes) & ~rest & kTops) == 0) return word;
  int8_t bytes[8];
  std::memcpy(bytes, &word, 8);
  for (int8_t& byte : bytes) byte = NotLeast(byte);
  std::memcpy(&word, bytes, 8);
  return word;
}

// The common case, kr = 8 and whole tiles, at the speed of memory.
template <size_t kNr>
uint8_t* PackQ8Groups8(size_t k, const int8_t* weights, int32_t* sums, uint8_t* out) {
  Sums<kNr> sum;
  const size_t whole = k / 8 * 8;
  for (size_t j = 0; j < whole; j += 8, out += 8 * kNr) {
    for (size_t i = 0; i < kNr; ++i) {
      uint64_t word;
      std::memcpy(&word, weights + i * k + j, 8);
      word = NotLeast(word);
      std::memcpy(out + 8 * i, &word, 8);
    }
    sum.Add(out);
  }
  if (whole < k) {
    for (size_t i = 0; i < kNr; ++i) {
      for (size_t b = 0; b < 8; ++b) {
        const int8_t value = whole + b < k ? NotLeast(weights[i * k + whole + b]) : int8_t{0};
        out[8 * i + b] = static_cast<uint8_t>(value);
      }
    }
    sum.Add(out);
    out += 8 * kNr;
  }
  sum.Store(sums);
  return out;
}

uint8_t* PackQ8Groups(size_t nr, size_t kr, size_t k, const int8_t* weights, size_t count,
                      int32_t* sums, uint8_t* out) {
  for (size_t j = 0; j < k; j += kr, out += nr * kr) {
    const size_t inputs = std::min(kr, k - j);
    for (size_t i = 0; i < count; ++i) {
      const int8_t* group = weights + i * k + j;
      for (size_t b = 0; b < kr; ++b) {
        const int8_t value = b < inputs ? NotLeast(group[b]) : int8_t{0};
        out[i * kr + b] = static_cast<uint8_t>(value);
        sums[i] -= value;
      }
    }
    PutZeros(out + count * kr, (nr - count) * kr);
  }
  return out;
}

void PackQ8(PackedLayout::Tile shape, size_t k, const WeightRows& rows, size_t begin, size_t count,
            uint8_t* tile) {
  const int8_t* weights = static_cast<const int8_t*>(rows.data) + begin * k;
  int32_t sums[kMaxNr] = {};
  uint8_t* out = tile + shape.nr * sizeof(int32_t);
  const bool usual = shape.kr == 8 && count == shape.nr;
  if (usual && count == 16) {
    out = PackQ8Groups8<16>(k, weights, sums, out);
  } else if (usual && count == 8) {
    out = PackQ8Groups8<8>(k, weights, sums, out);
  } else {
    out = PackQ8Groups(shape.nr, shape.kr, k, weights, count, sums, out);
  }
  Put(tile, sums, shape.nr);
  out = PutChannels(out, static_cast<const float*>(rows.scales), begin, count, shape.nr);
  PutChannels(out, rows.bias, begin, count, shape.nr);
}

// The nibbles of 4 bytes, each in a byte of its own.
uint64_t Spread(uint64_t x) {
  x = (x | x << 16) & 0x0000ffff0000ffff;
  x = (x | x << 8) & kEvenBytes;
  return (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
}

// 16 inputs of each channel as two groups of 8; sums of their values.
template <size_t kNr>
void PackPairs8(const uint8_t* in, size_t stride, uint8_t* out, int32_t* sums) {
  uint64_t words[kNr];
  for (size_t i = 0; i < kNr; ++i) std::memcpy(&words[i], in + i * stride, 8);
  for (size_t i = 0; i < kNr; ++i) {
    const uint64_t low = Spread(words[i] & 0xffffffff), high = Spread(words[i] >> 32);
    words[i] = (low | high << 4) ^ 0x8888888888888888;
    uint64_t sum = low + high;
    sum = (sum & kEvenBytes) + (sum >> 8 & kEvenBytes);
    sum += sum >> 16;
    sum += sum >> 32;
    sums[i] = static_cast<int32_t>(sum & 0xffff) - 16 * 8;
  }
  std::memcpy(out, words, sizeof(words));
}

// 2 kr inputs of one channel as two groups of kr.
int32_t PackPair(size_t kr, const uint8_t* in, uint8_t* out) {
  const auto nibble = [in](size_t i) { return i % 2 == 0 ? in[i / 2] & 15 : in[i / 2] >> 4; };
  int32_t sum = 0;
  for (size_t b = 0; b < kr; ++b) {
    const int low = nibble(b), high = nibble(kr + b);
    out[b] = static_cast<uint8_t>((low | high << 4) ^ 0x88);
    sum += low + high - 16;
  }
  return sum;
}

void PackQ4B(PackedLayout::Tile shape, size_t k, size_t block, const WeightRows& rows, size_t begin,
             size_t count, uint8_t* tile) {
  const size_t nr = shape.nr, kr = shape.kr;
  const size_t blocks = k / block;
  const bool usual = kr == 8 && count == nr;
  const uint8_t* weights = static_cast<const uint8_t*>(rows.data) + begin * k / 2;
  const uint16_t* scales = static_cast<const uint16_t*>(rows.scales) + begin * blocks;
  float sums[kMaxNr] = {};
  uint8_t* out = tile + nr * sizeof(float);
  for (size_t b = 0; b < blocks; ++b) {
    float scale[kMaxNr];
    for (size_t i = 0; i < count; ++i) scale[i] = FromBfloat16(scales[i * blocks + b]);
    for (size_t j = b * block; j < (b + 1) * block; j += 2 * kr) {
      const uint8_t* in = weights + j / 2;
      int32_t pair[kMaxNr];
      if (usual && nr == 16) {
        PackPairs8<16>(in, k / 2, out, pair);
      } else if (usual && nr == 8) {
        PackPairs8<8>(in, k / 2, out, pair);
      } else {
        for (size_t i = 0; i < count; ++i) pair[i] = PackPair(kr, in + i * k / 2, out + i * kr);
        PutZeros(out + count * kr, (nr - count) * kr);
      }
      out += nr * kr;
      for (size_t i = 0; i < count; ++i) {
        sums[i] -= static_cast<float>(pair[i]) * scale[i];  // rounded as XNNPACK's packer does
      }
    }
    // The kernels leave nibbles in the upper half of a byte: 16 times too large.
    for (size_t i = 0; i < count; ++i) {
      const uint16_t sixteenth = ToBfloat16(scale[i] / 16.0f);
      out = Put(out, &sixteenth, 1);
    }
    out = PutZeros(out, (nr - count) * sizeof(uint16_t));
  }
  Put(tile, sums, nr);
  PutChannels(out, rows.bias, begin, count, nr);
}

// The sums of two codes' levels, for each byte of codes and each table.
struct PairSums {
  int16_t sum[16][256];
  explicit PairSums(const int8_t* tables) {
    for (size_t t = 0; t < 16; ++t) {
      const int8_t* levels = tables + 16 * t;
      for (size_t b = 0; b < 256; ++b) {
        sum[t][b] = static_cast<int16_t>(levels[b & 15] + levels[b >> 4]);
      }
    }
  }
};

// 16 codes of a row, from a multiple of 16 on, as nibbles.
uint64_t CodesOfBlock(const uint8_t* row, size_t k, uint32_t bits, size_t begin) {
  if (bits == 4) {
    uint64_t codes;
    std::memcpy(&codes, row + begin / 2, sizeof codes);
    return codes;
  }
  uint32_t low;
  uint16_t high = 0;
  std::memcpy(&low, row + begin / 4, sizeof low);
  if (bits == 3) std::memcpy(&high, row + k / 4 + begin / 8, sizeof high);
  uint64_t codes = 0;
  for (size_t i = 0; i < kCodeBlock; ++i) {
    const uint64_t code = (low >> 2 * i & 3) | (high >> i & 1) << 2;
    codes |= code << 4 * i;
  }
  return codes;
}

// `pairs`, uint8 [8][16], as a tile holds them. Returns what is behind.
uint8_t* PutPairs(uint8_t* out, const uint64_t (&pairs)[kCodeChannels], uint32_t bits) {
  if (bits == 4) return Put(out, pairs, kCodeChannels);
  uint64_t low[8] = {}, high[4] = {};
  for (size_t i = 0; i < kCodeChannels; ++i) {  // half of a pair
    const size_t pair = i / 2;
    low[i % 8] |= (pairs[i] & 0x3333333333333333) << pair / 4 * 2;
    high[i % 4] |= (pairs[i] >> 2 & 0x1111111111111111) << pair / 2;
  }
  out = Put(out, low, 8);
  return bits == 3 ? Put(out, high, 4) : out;
}

void PackCodes(const LinearShape& shape, const WeightRows& rows, const PairSums& pairs,
               size_t begin, size_t count, uint8_t* tile) {
  const size_t k = shape.k;
  const uint32_t bits = shape.CodeBits();
  const size_t row_bytes = CodeRowBytes(k, bits);
  const uint8_t* first = static_cast<const uint8_t*>(rows.data) + begin * row_bytes;
  int32_t sums[kCodeChannels] = {};
  uint8_t* out = tile + sizeof(sums);
  for (size_t group = 0; group < k; group += kCodeGroup) {
    uint8_t* selectors = out;
    out = PutZeros(out, kGroupSelectors);
    for (size_t j = group; j < std::min(k, group + kCodeGroup); j += kCodeBlock) {
      uint64_t codes[kCodeChannels] = {};
      uint8_t selected[kCodeChannels] = {};
      for (size_t i = 0; i < count; ++i) {
        const uint8_t* row = first + i * row_bytes;
        const uint8_t both = row[RowCodes(k, bits) + j / (2 * kCodeBlock)];
        selected[i] = j / kCodeBlock % 2 == 0 ? both & 15 : both >> 4;
        codes[i] = CodesOfBlock(row, k, bits, j);
        for (size_t b = 0; b < sizeof(uint64_t); ++b) {
          sums[i] -= pairs.sum[selected[i]][codes[i] >> 8 * b & 255];
        }
      }
      for (uint32_t s = 0; s < kBlockSelectors; ++s) {
        const size_t i = FirstSelected(s);
        *selectors++ = static_cast<uint8_t>(selected[i] | selected[i + 2] << 4);
      }
      uint64_t both[kCodeChannels];
      for (size_t i = 0; i < kCodeChannels; i += 2) {
        both[i] = Spread(codes[i] & 0xffffffff) | Spread(codes[i + 1] & 0xffffffff) << 4;
        both[i + 1] = Spread(codes[i] >> 32) | Spread(codes[i + 1] >> 32) << 4;
      }
      out = PutPairs(out, both, bits);
    }
  }
  Put(tile, sums, kCodeChannels);
  out = PutChannels(out, static_cast<const float*>(rows.scales), begin, count, kCodeChannels);
  PutChannels(out, rows.bias, begin, count, kCodeChannels);
}

}  // namespace

void PackLinear(const PackedLayout& layout, const LinearShape& shape, const WeightRows& rows,
                size_t begin, size_t end, uint8_t* packed) {
  const size_t nr = shape.TileChannels(layout);
  const size_t tile_bytes = shape.TileBytes(layout);
  if (shape.IsCodes()) {
    const PairSums pairs(rows.tables);
    for (size_t n = begin; n < end; n += nr) {
      PackCodes(shape, rows, pairs, n, std::min(nr, end - n), packed + n / nr * tile_bytes);
    }
    return;
  }
  for (size_t n = begin; n < end; n += nr) {
    uint8_t* tile = packed + n / nr * tile_bytes;
    const size_t count = std::min(nr, end - n);
    switch (shape.format) {
      case format::TensorFormat::F32:
        PackF32(nr, shape.k, rows, n, count, tile);
        break;
      case format::TensorFormat::Q8:
        PackQ8(layout.q8, shape.k, rows, n, count, tile);
        break;
      case format::TensorFormat::Q4B:
        PackQ4B(layout.q4b, shape.k, shape.block, rows, n, count, tile);
        break;
      default:  // codes: above
        break;
    }
  }
}

}  // namespace rondo
