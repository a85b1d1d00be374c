// CodesMatrix: weights in codes while they are being chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/model/packed_layout.h"
#include "tools/convert/output/level_tables.h"

namespace rondo::convert {

// value(r, c) = levels[r, c] * scales[r]; the format is TensorFormat.Q4 or Q3 with `tables`.
struct CodesMatrix {
  size_t rows, cols;
  const LevelTables& tables;
  std::vector<int8_t> levels;      // [rows, cols], each of the table that its selector names
  std::vector<uint8_t> selectors;  // [rows, blocks()]
  std::vector<float> scales;       // [rows]

  CodesMatrix(size_t rows, size_t cols, const LevelTables& tables)
      : rows(rows),
        cols(cols),
        tables(tables),
        levels(rows * cols),
        selectors(rows * CeilDiv(cols, size_t{kCodeBlock})),
        scales(rows) {}

  size_t blocks() const { return CeilDiv(cols, size_t{kCodeBlock}); }
  float value(size_t r, size_t c) const {
    return static_cast<float>(levels[r * cols + c]) * scales[r];
  }
  std::vector<float> Values() const;  // [rows, cols]
  // As the file holds it.
  std::vector<uint8_t> Data() const;
};

}  // namespace rondo::convert
