#include "tools/convert/sources/gguf/dequantize_lattice.h"

#include <bit>
#include <cstddef>

#include "tools/convert/sources/gguf/block_bits.h"
#include "tools/convert/sources/gguf/lattice_grids.h"

namespace rondo::convert {
namespace {

// Seven signs of eight: those of a group are even in number, so that the last one follows.
uint32_t EvenSigns(uint32_t seven) {
  return seven | static_cast<uint32_t>(std::popcount(seven) & 1) << 7;
}

int Nibble(const uint8_t* p, int i) { return p[i / 2] >> (i % 2 * 4) & 15; }

// scale * point, negated where a bit of `signs` is set.
template <size_t kWidth>
void PutSigned(float scale, const std::array<int8_t, kWidth>& point, uint32_t signs, float* out) {
  for (size_t i = 0; i < kWidth; ++i) {
    const float value = scale * static_cast<float>(point[i]);
    out[i] = (signs >> i & 1) != 0 ? -value : value;
  }
}

// scale * (point + shift).
void PutShifted(float scale, const std::array<int8_t, 8>& point, float shift, float* out) {
  for (size_t i = 0; i < point.size(); ++i) {
    out[i] = scale * (static_cast<float>(point[i]) + shift);
  }
}

// IQ2 and IQ3_XXS count their scales of 4 bits from a half on.
float FromAHalf(float scale, int q) { return scale * (0.5f + static_cast<float>(q)); }

constexpr float kIq1Shift = 0.125f;

}  // namespace

// f16 scale; for each 32 values 4 codes of 8 bits, then 4 x 7 signs and a scale of 4 bits.
void Iq2Xxs(const uint8_t* p, float* out) {
  for (int part = 0; part < 8; ++part) {
    const uint8_t* const codes = p + 2 + part * 8;
    const uint32_t packed = Bits32(codes + 4);
    const float scale = FromAHalf(Half(p), static_cast<int>(packed >> 28)) * 0.25f;
    for (int i = 0; i < 4; ++i, out += 8) {
      PutSigned(scale, Iq2XxsGrid()[codes[i]], EvenSigns(packed >> (7 * i) & 127), out);
    }
  }
}

// f16 scale; 32 x (code of 9 bits, 7 signs); a scale of 4 bits for each 16 values.
void Iq2Xs(const uint8_t* p, float* out) {
  for (int i = 0; i < 32; ++i, out += 8) {
    const uint32_t packed = Bits16(p + 2 + 2 * i);
    const float scale = FromAHalf(Half(p), Nibble(p + 66, i / 2)) * 0.25f;
    PutSigned(scale, Iq2XsGrid()[packed & 511], EvenSigns(packed >> 9), out);
  }
}

// f16 scale; 32 low bytes of codes of 10 bits, 32 x 8 signs, 8 bytes of the codes' upper pairs of
// bits; a scale of 4 bits for each 16 values.
void Iq2S(const uint8_t* p, float* out) {
  for (int i = 0; i < 32; ++i, out += 8) {
    const int code = p[2 + i] | (p[66 + i / 4] >> (i % 4 * 2) & 3) << 8;
    const float scale = FromAHalf(Half(p), Nibble(p + 74, i / 2)) * 0.25f;
    PutSigned(scale, Iq2SGrid()[static_cast<size_t>(code)], p[34 + i], out);
  }
}

// f16 scale; 64 codes of 8 bits, of four values each; for each 32 values 4 x 7 signs and a scale of
// 4 bits.
void Iq3Xxs(const uint8_t* p, float* out) {
  for (int i = 0; i < 32; ++i, out += 8) {
    const uint32_t packed = Bits32(p + 66 + i / 4 * 4);
    const float scale = FromAHalf(Half(p), static_cast<int>(packed >> 28)) * 0.5f;
    const uint32_t signs = EvenSigns(packed >> (i % 4 * 7) & 127);
    PutSigned(scale, Iq3XxsGrid()[p[2 + 2 * i]], signs, out);
    PutSigned(scale, Iq3XxsGrid()[p[3 + 2 * i]], signs >> 4, out + 4);
  }
}

// f16 scale; 64 low bytes of codes of 9 bits, of four values each, 8 bytes of their ninth bits, 32
// bytes of signs; a scale of 4 bits for each 32 values, which stands for an odd number.
void Iq3S(const uint8_t* p, float* out) {
  for (int i = 0; i < 64; ++i, out += 4) {
    const int code = p[2 + i] | (p[66 + i / 8] >> (i % 8) & 1) << 8;
    const float scale = Half(p) * static_cast<float>(1 + 2 * Nibble(p + 106, i / 8));
    PutSigned(scale, Iq3SGrid()[static_cast<size_t>(code)], p[74 + i / 2] >> (i % 2 * 4) & 15u,
              out);
  }
}

// f16 scale; 32 low bytes of codes of 11 bits; for each 32 values 16 bits: 4 x the codes' upper
// three, a scale of 3 bits, which stands for an odd number, and the sign of the shift.
void Iq1S(const uint8_t* p, float* out) {
  for (int i = 0; i < 32; ++i, out += 8) {
    const int packed = Bits16(p + 34 + i / 4 * 2);
    const int code = p[2 + i] | (packed >> (i % 4 * 3) & 7) << 8;
    const float scale = Half(p) * static_cast<float>(2 * (packed >> 12 & 7) + 1);
    PutShifted(scale, Iq1Grid()[static_cast<size_t>(code)],
               packed >> 15 != 0 ? -kIq1Shift : kIq1Shift, out);
  }
}

// 32 low bytes of codes of 11 bits, 32 nibbles (the codes' upper three bits and the sign of the
// shift), 4 x 16 bits: 4 scales of 3 bits, for 16 values each, which stand for odd numbers, and
// above them a nibble of the f16 scale.
void Iq1M(const uint8_t* p, float* out) {
  const uint8_t* const scales = p + 48;
  uint32_t half = 0;
  for (int i = 0; i < 4; ++i) half |= uint32_t{Bits16(scales + 2 * i)} >> 12 << (4 * i);
  const float whole = FromFloat16(static_cast<uint16_t>(half));
  for (int i = 0; i < 32; ++i, out += 8) {
    const int nibble = Nibble(p + 32, i);
    const int code = p[i] | (nibble & 7) << 8;
    const int q = Bits16(scales + i / 8 * 2) >> (i / 2 % 4 * 3) & 7;
    PutShifted(whole * static_cast<float>(2 * q + 1), Iq1Grid()[static_cast<size_t>(code)],
               nibble >> 3 != 0 ? -kIq1Shift : kIq1Shift, out);
  }
}

}  // namespace rondo::convert
