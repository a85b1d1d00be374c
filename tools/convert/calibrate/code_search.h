// The search within one block of one row in codes: its table and its levels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/model/packed_layout.h"
#include "tools/convert/output/level_tables.h"

namespace rondo::convert {

// What a block becomes with the row's scale.
struct CodedBlock {
  uint8_t selector;
  int8_t levels[kCodeBlock];  // zeros behind the last column
};

// A block in the middle of error-compensated rounding (factor.h).
struct CodeTask {
  const float* weights;   // [width]
  const float* targets;   // [width]: the weights, and what earlier blocks ask of them
  size_t width;           // 1 to kCodeBlock
  size_t stride;          // of feedback
  const float* feedback;  // [width, stride]: the factor's, within the block
  const float* variance;  // [width]
  float scale;            // above 0
  const LevelTables* tables;
};

// Rounds the block column by column with each of the tables that suit it, and keeps the one that
// costs least. Returns that cost.
float RoundToCodes(const CodeTask& task, CodedBlock* result);

// A block of a row that is rounded already, all others staying as they are.
struct CodeMove {
  const float* h;         // H's rows and columns of the block, [width, stride]
  size_t stride;          //
  size_t width;           // 1 to kCodeBlock
  const float* weights;   // [width]
  const float* gradient;  // [width]: H e at the block
  float scale;            // above 0
  const LevelTables* tables;
};

// Chooses table and levels anew, by coordinate descent with each of the tables that suit the
// block, so that the row's cost e^T H e falls; change[i] is then what was added to weight i. False,
// and `block` and `change` as they were, where nothing better was found.
bool ImproveCodes(const CodeMove& move, CodedBlock* block, float* change);

}  // namespace rondo::convert
