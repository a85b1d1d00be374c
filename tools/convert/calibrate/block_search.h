// The search within one block of one row: its scale and its values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo::convert {

inline constexpr size_t kMaxBlock = 128;

// A block in the middle of error-compensated rounding (factor.h).
struct BlockTask {
  const float* weights;   // [width]
  const float* targets;   // [width]: the weights, and what earlier blocks ask of them
  size_t width;           // 1 to kMaxBlock
  size_t stride;          // of feedback
  const float* feedback;  // [width, stride]: the factor's, within the block
  const float* variance;  // [width]
};

struct RoundedBlock {
  float scale;  // a bfloat16 number, or 0
  int8_t steps[kMaxBlock];
};

// Rounds the block column by column for each of 32 scales and keeps the one that costs least.
void RoundBlock(const BlockTask& task, RoundedBlock* result);

// Chooses scale and steps of one block anew, all others staying as they are: those near the present
// ones that lower the row's cost e^T H e. `h`: H's rows and columns of the block, rows `stride`
// apart; `gradient`: H e at the block. change[i]: what was added to weight i. False, and all
// changes 0, where nothing better was found.
bool ImproveBlock(const float* h, size_t stride, size_t width, const float* gradient, int8_t* steps,
                  float* scale, float* change);

}  // namespace rondo::convert
