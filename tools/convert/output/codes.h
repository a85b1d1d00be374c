// From float weights to codes (TensorFormat.Q4, Q3 and Q2 of runtime/model/rondo.fbs), one row at a
// time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tools/convert/output/level_tables.h"

namespace rondo::convert {

inline constexpr size_t kScalesTried = 14;

// Scales for a row, ascending, and what each costs if every block takes the table that suits it:
// the sum of importance * error^2, in units of its own.
struct TriedScales {
  std::array<float, kScalesTried> scales;  // 0: it cannot be used, as float's range ends
  std::array<float, kScalesTried> costs;   // of those: infinity
};
// `row` is finite; `importance`: of each column.
TriedScales TryScales(std::span<const float> row, std::span<const float> importance,
                      const LevelTables& tables);

// Chooses the scale of those tried that gives the least squared error, fits it to the levels
// chosen, and writes a code for each column and a selector for each 16, a byte each. Returns the
// scale, or 0 for a row of zeros.
float QuantizeCodes(std::span<const float> row, const LevelTables& tables, uint8_t* codes,
                    uint8_t* selectors);

// A row of codes of so many bits as the file holds it: CodeRowBytes(cols rounded up, bits) bytes.
// Padding becomes the level nearest to zero, in a block of its own that of the narrowest table.
void PackCodes(std::span<const uint8_t> codes, std::span<const uint8_t> selectors, uint32_t bits,
               uint8_t* packed);

}  // namespace rondo::convert
