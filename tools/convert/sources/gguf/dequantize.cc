#include "tools/convert/sources/gguf/dequantize.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "tools/convert/sources/gguf/block_bits.h"
#include "tools/convert/sources/gguf/dequantize_lattice.h"

namespace rondo::convert {
namespace {

void F32(const uint8_t* p, float* out) { *out = std::bit_cast<float>(Bits32(p)); }
void F16(const uint8_t* p, float* out) { *out = Half(p); }
void BF16(const uint8_t* p, float* out) { *out = FromBfloat16(Bits16(p)); }

// ---- Blocks of 32 values. Where they are nibbles, byte i holds value i and, above, i + 16.

template <typename ValueOf>
void EachNibble(const uint8_t* bytes, float* out, const ValueOf& value_of) {
  for (int i = 0; i < 16; ++i) {
    out[i] = value_of(bytes[i] & 15, i);
    out[i + 16] = value_of(bytes[i] >> 4, i + 16);
  }
}

// f16 scale, 32 int8.
void Q8_0(const uint8_t* p, float* out) {
  const float scale = Half(p);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(static_cast<int8_t>(p[2 + i]));
}

// f16 scale, 16 bytes of nibbles, zero at 8.
void Q4_0(const uint8_t* p, float* out) {
  const float scale = Half(p);
  EachNibble(p + 2, out, [&](int q, int) { return scale * static_cast<float>(q - 8); });
}

// f16 scale, f16 value of nibble 0, 16 bytes of nibbles.
void Q4_1(const uint8_t* p, float* out) {
  const float scale = Half(p), lowest = Half(p + 2);
  EachNibble(p + 4, out, [&](int q, int) { return scale * static_cast<float>(q) + lowest; });
}

int WithFifthBit(int nibble, uint32_t high_bits, int index) {
  return nibble | static_cast<int>(high_bits >> index & 1) << 4;
}

// f16 scale, 32 fifth bits, 16 bytes of nibbles, zero at 16.
void Q5_0(const uint8_t* p, float* out) {
  const float scale = Half(p);
  const uint32_t high = Bits32(p + 2);
  EachNibble(p + 6, out, [&](int q, int i) {
    return scale * static_cast<float>(WithFifthBit(q, high, i) - 16);
  });
}

// f16 scale, f16 value of 0, 32 fifth bits, 16 bytes of nibbles.
void Q5_1(const uint8_t* p, float* out) {
  const float scale = Half(p), lowest = Half(p + 2);
  const uint32_t high = Bits32(p + 4);
  EachNibble(p + 8, out, [&](int q, int i) {
    return scale * static_cast<float>(WithFifthBit(q, high, i)) + lowest;
  });
}

// What the sixteen nibbles of IQ4_NL and IQ4_XS stand for.
constexpr std::array<int8_t, 16> kIq4Values = {-127, -104, -83, -65, -49, -35, -22, -10,
                                               1,    13,   25,  38,  53,  69,  89,  113};

// f16 scale, 16 bytes of nibbles.
void Iq4Nl(const uint8_t* p, float* out) {
  const float scale = Half(p);
  EachNibble(p + 2, out, [&](int q, int) { return scale * static_cast<float>(kIq4Values[q]); });
}

// What the nibbles of MXFP4 and NVFP4 stand for, twice over: floats of one sign bit, two of
// exponent and one of mantissa.
constexpr std::array<int8_t, 16> kFp4Doubled = {0, 1,  2,  3,  4,  6,  8,  12,
                                                0, -1, -2, -3, -4, -6, -8, -12};

// A scale of 8 bits of exponent (255: not a number), 16 bytes of nibbles.
void Mxfp4(const uint8_t* p, float* out) {
  const float half_scale =
      p[0] == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(0.5f, p[0] - 127);
  EachNibble(p + 1, out,
             [&](int q, int) { return half_scale * static_cast<float>(kFp4Doubled[q]); });
}

// ---- Blocks of 64 and 128 values.

// 4 scales of 4 bits of exponent and 3 of mantissa (127: 0, as llama.cpp reads it), for 16 values
// each; 4 x 8 bytes of nibbles, of which byte i holds value i and, above, i + 8.
void Nvfp4(const uint8_t* p, float* out) {
  for (int part = 0; part < 4; ++part, out += 16) {
    const int exponent = p[part] >> 3 & 15, mantissa = p[part] & 7;
    float half_scale = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -10)
                                     : std::ldexp(static_cast<float>(8 + mantissa), exponent - 11);
    if (p[part] == 127) half_scale = 0;
    const uint8_t* const nibbles = p + 4 + part * 8;
    for (int i = 0; i < 8; ++i) {
      out[i] = half_scale * static_cast<float>(kFp4Doubled[nibbles[i] & 15]);
      out[i + 8] = half_scale * static_cast<float>(kFp4Doubled[nibbles[i] >> 4]);
    }
  }
}

// f16 scale, 128 bits, lowest first: the scale where a bit is set, else its negative.
void Q1_0(const uint8_t* p, float* out) {
  const float scale = Half(p);
  for (int i = 0; i < 128; ++i) out[i] = (p[2 + i / 8] >> (i % 8) & 1) != 0 ? scale : -scale;
}

// f16 scale, 64 x 2 bits, lowest first, zero at 1.
void Q2_0(const uint8_t* p, float* out) {
  const float scale = Half(p);
  for (int i = 0; i < 64; ++i) {
    out[i] = scale * static_cast<float>((p[2 + i / 4] >> (i % 4 * 2) & 3) - 1);
  }
}

// ---- Blocks of 256 values, made of smaller ones whose scales are themselves quantised.

// 16 x (4-bit scale, 4-bit minimum above), 64 bytes of 2-bit values, f16 scale of the scales, f16
// scale of the minima. Byte i of each 32 holds the values i, i + 32, i + 64, i + 96 of 128.
void Q2K(const uint8_t* p, float* out) {
  const float scale = Half(p + 80), minimum = Half(p + 82);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, quarter = i % 128 / 32;
    const int q = p[16 + half * 32 + i % 32] >> (2 * quarter) & 3;
    const uint8_t part = p[i / 16];
    out[i] = scale * static_cast<float>(part & 15) * static_cast<float>(q) -
             minimum * static_cast<float>(part >> 4);
  }
}

// 32 bytes of third bits (byte i: values i, i + 32, ...; a bit that is not set takes 4 away), 64
// bytes of 2-bit values as in Q2_K, 16 6-bit scales in 12 bytes (8 bytes of low nibbles, then 4
// bytes of the upper two bits), f16 scale of the scales.
void Q3K(const uint8_t* p, float* out) {
  const uint8_t* const packed = p + 96;
  const float scale = Half(p + 108);
  std::array<float, 16> scales;
  for (int i = 0; i < 16; ++i) {
    const int low = i < 8 ? packed[i] & 15 : packed[i - 8] >> 4;
    const int high = packed[8 + i % 4] >> (2 * (i / 4)) & 3;
    scales[i] = scale * static_cast<float>((low | high << 4) - 32);
  }
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, quarter = i % 128 / 32;
    const int low = p[32 + half * 32 + i % 32] >> (2 * quarter) & 3;
    const bool third = (p[i % 32] >> (i / 32) & 1) != 0;
    out[i] = scales[i / 16] * static_cast<float>(third ? low : low - 4);
  }
}

// Of Q4_K and Q5_K: 8 scales and 8 minima of 6 bits in 12 bytes. The first four of each lie in the
// low bits of bytes 0-3 and 4-7; of the others, the low nibbles lie in bytes 8-11 and the upper two
// bits above those first four.
struct ScaleAndMinimum {
  float scale, minimum;
};

ScaleAndMinimum SixBitPair(const uint8_t* p, int i) {
  const uint8_t* const packed = p + 4;
  int scale, minimum;
  if (i < 4) {
    scale = packed[i] & 63;
    minimum = packed[i + 4] & 63;
  } else {
    scale = (packed[i + 4] & 15) | packed[i - 4] >> 6 << 4;
    minimum = packed[i + 4] >> 4 | packed[i] >> 6 << 4;
  }
  return {Half(p) * static_cast<float>(scale), Half(p + 2) * static_cast<float>(minimum)};
}

// f16 scale of the scales, f16 scale of the minima, 12 bytes of both, 128 bytes of nibbles: byte i
// of each 32 holds the values i and, above, i + 32 of 64.
void Q4K(const uint8_t* p, float* out) {
  for (int part = 0; part < 8; ++part) {
    const auto [scale, minimum] = SixBitPair(p, part);
    const uint8_t* const nibbles = p + 16 + part / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int q = nibbles[i] >> (part % 2 * 4) & 15;
      *out++ = scale * static_cast<float>(q) - minimum;
    }
  }
}

// As Q4_K, with 32 bytes of fifth bits before the nibbles: bit k of byte i is that of value
// i + 32 * k.
void Q5K(const uint8_t* p, float* out) {
  for (int part = 0; part < 8; ++part) {
    const auto [scale, minimum] = SixBitPair(p, part);
    const uint8_t* const nibbles = p + 48 + part / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int q = (nibbles[i] >> (part % 2 * 4) & 15) | (p[16 + i] >> part & 1) << 4;
      *out++ = scale * static_cast<float>(q) - minimum;
    }
  }
}

// 128 bytes of low nibbles (byte i of each 64: values i and, above, i + 64 of 128), 64 bytes of
// upper pairs of bits (byte i of each 32: values i, i + 32, ... of 128), 16 int8 scales, f16 scale
// of the scales. Zero at 32.
void Q6K(const uint8_t* p, float* out) {
  const float scale = Half(p + 208);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, within = i % 128;
    const int low = p[half * 64 + within % 64] >> (within / 64 * 4) & 15;
    const int high = p[128 + half * 32 + within % 32] >> (within / 32 * 2) & 3;
    const float part = scale * static_cast<float>(static_cast<int8_t>(p[192 + i / 16]));
    out[i] = part * static_cast<float>((low | high << 4) - 32);
  }
}

// f16 scale of the scales, 8 scales of 6 bits (their upper pairs in 16 bits, then their low nibbles
// in 4 bytes), 8 x 16 bytes of nibbles as in IQ4_NL. Scales are zero at 32.
void Iq4Xs(const uint8_t* p, float* out) {
  const uint16_t upper = Bits16(p + 2);
  for (int part = 0; part < 8; ++part) {
    const int low = p[4 + part / 2] >> (part % 2 * 4) & 15;
    const int high = upper >> (2 * part) & 3;
    const float scale = Half(p) * static_cast<float>((low | high << 4) - 32);
    EachNibble(p + 8 + part * 16, out + part * 32,
               [&](int q, int) { return scale * static_cast<float>(kIq4Values[q]); });
  }
}

// Digit n of the numbers of base 3 that a byte holds as a fraction of 256. Zero at 1.
float Trit(uint8_t byte, int n) {
  constexpr std::array<int, 5> kPowers = {1, 3, 9, 27, 81};
  return static_cast<float>((byte * kPowers[n] % 256 * 3 >> 8) - 1);
}

// 48 bytes of five digits (byte i of the first 32: values i, i + 32, ...; of the other 16, which go
// on at 160: i, i + 16, ...), 4 bytes of four (from 240: i, i + 4, ...), f16 scale.
void Tq1_0(const uint8_t* p, float* out) {
  const float scale = Half(p + 52);
  for (int i = 0; i < 160; ++i) out[i] = scale * Trit(p[i % 32], i / 32);
  for (int i = 0; i < 80; ++i) out[160 + i] = scale * Trit(p[32 + i % 16], i / 16);
  for (int i = 0; i < 16; ++i) out[240 + i] = scale * Trit(p[48 + i % 4], i / 4);
}

// 64 bytes of 2 bits as in Q2_K, zero at 1; f16 scale.
void Tq2_0(const uint8_t* p, float* out) {
  const float scale = Half(p + 64);
  for (int i = 0; i < 256; ++i) {
    const int q = p[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
    out[i] = scale * static_cast<float>(q - 1);
  }
}

template <void (*kDequantize)(const uint8_t*, float*), uint32_t kValues, uint32_t kBytes>
void Blocks(const uint8_t* blocks, size_t n_blocks, float* out) {
  for (; n_blocks > 0; --n_blocks, blocks += kBytes, out += kValues) kDequantize(blocks, out);
}

template <void (*kDequantize)(const uint8_t*, float*), uint32_t kValues, uint32_t kBytes>
constexpr BlockType Type(uint32_t id, const char* name) {
  return {id, name, kValues, kBytes, Blocks<kDequantize, kValues, kBytes>};
}

constexpr std::array kTypes = {
    Type<F32, 1, 4>(0, "F32"),           Type<F16, 1, 2>(1, "F16"),
    Type<BF16, 1, 2>(30, "BF16"),        Type<Q8_0, 32, 34>(8, "Q8_0"),
    Type<Q4_0, 32, 18>(kQ40, "Q4_0"),    Type<Q4_1, 32, 20>(3, "Q4_1"),
    Type<Q5_0, 32, 22>(6, "Q5_0"),       Type<Q5_1, 32, 24>(7, "Q5_1"),
    Type<Q2K, 256, 84>(10, "Q2_K"),      Type<Q3K, 256, 110>(11, "Q3_K"),
    Type<Q4K, 256, 144>(12, "Q4_K"),     Type<Q5K, 256, 176>(13, "Q5_K"),
    Type<Q6K, 256, 210>(14, "Q6_K"),     Type<Iq2Xxs, 256, 66>(16, "IQ2_XXS"),
    Type<Iq2Xs, 256, 74>(17, "IQ2_XS"),  Type<Iq3Xxs, 256, 98>(18, "IQ3_XXS"),
    Type<Iq1S, 256, 50>(19, "IQ1_S"),    Type<Iq4Nl, 32, 18>(20, "IQ4_NL"),
    Type<Iq3S, 256, 110>(21, "IQ3_S"),   Type<Iq2S, 256, 82>(22, "IQ2_S"),
    Type<Iq4Xs, 256, 136>(23, "IQ4_XS"), Type<Iq1M, 256, 56>(29, "IQ1_M"),
    Type<Tq1_0, 256, 54>(34, "TQ1_0"),   Type<Tq2_0, 256, 66>(35, "TQ2_0"),
    Type<Mxfp4, 32, 17>(39, "MXFP4"),    Type<Nvfp4, 64, 36>(40, "NVFP4"),
    Type<Q1_0, 128, 18>(41, "Q1_0"),     Type<Q2_0, 64, 18>(42, "Q2_0"),
};

struct OtherType {
  uint32_t id;
  const char* name;
};
constexpr std::array kOtherTypes = {
    OtherType{4, "Q4_2"},        OtherType{5, "Q4_3"},      OtherType{9, "Q8_1"},
    OtherType{15, "Q8_K"},       OtherType{24, "I8"},       OtherType{25, "I16"},
    OtherType{26, "I32"},        OtherType{27, "I64"},      OtherType{28, "F64"},
    OtherType{31, "Q4_0_4_4"},   OtherType{32, "Q4_0_4_8"}, OtherType{33, "Q4_0_8_8"},
    OtherType{36, "IQ4_NL_4_4"},
};

}  // namespace

const BlockType* FindBlockType(uint32_t id) {
  const auto found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& type) { return type.id == id; });
  return found == kTypes.end() ? nullptr : &*found;
}

std::string BlockTypeName(uint32_t id) {
  if (const BlockType* type = FindBlockType(id)) return type->name;
  for (const OtherType& type : kOtherTypes) {
    if (type.id == id) return type.name;
  }
  return "type " + std::to_string(id);
}

std::string KnownBlockTypes() {
  std::string names;
  for (const BlockType& type : kTypes)
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

uint16_t RepackQ40(const uint8_t* block, uint8_t* data) {
  const std::span<const uint8_t, 16> nibbles(block + 2, 16);
  for (int i = 0; i < 8; ++i) {  // columns 2i and 2i + 1, then those 16 further
    data[i] = static_cast<uint8_t>((nibbles[2 * i] & 15) | (nibbles[2 * i + 1] & 15) << 4);
    data[i + 8] = static_cast<uint8_t>(nibbles[2 * i] >> 4 | (nibbles[2 * i + 1] & 0xf0));
  }
  return Bits16(block);
}

}  // namespace rondo::convert
