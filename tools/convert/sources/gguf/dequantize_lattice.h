// Blocks of 256 values whose codes are points of a grid: eight values at once, or four.
#pragma once

#include <cstdint>

namespace rondo::convert {

// Each takes one block; its layout is said where it is defined.
void Iq2Xxs(const uint8_t* p, float* out);
void Iq2Xs(const uint8_t* p, float* out);
void Iq2S(const uint8_t* p, float* out);
void Iq3Xxs(const uint8_t* p, float* out);
void Iq3S(const uint8_t* p, float* out);
void Iq1S(const uint8_t* p, float* out);
void Iq1M(const uint8_t* p, float* out);

}  // namespace rondo::convert
