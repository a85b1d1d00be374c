#include "tools/convert/calibrate/codes_matrix.h"

#include <algorithm>

#include "tools/convert/output/codes.h"

namespace rondo::convert {

std::vector<float> CodesMatrix::Values() const {
  std::vector<float> values(rows * cols);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < cols; ++c) values[r * cols + c] = value(r, c);
  }
  return values;
}

std::vector<uint8_t> CodesMatrix::Data() const {
  const size_t row_bytes = CodeRowBytes(RoundUp(cols, size_t{kCodePadding}), tables.bits);
  std::vector<uint8_t> data(rows * row_bytes), codes(cols);
  for (size_t r = 0; r < rows; ++r) {
    const std::span<const uint8_t> its_selectors(&selectors[r * blocks()], blocks());
    for (size_t c = 0; c < cols; ++c) {
      const auto& table = tables.levels[its_selectors[c / kCodeBlock]];
      codes[c] = static_cast<uint8_t>(std::ranges::find(table, levels[r * cols + c]) - table);
    }
    PackCodes(codes, its_selectors, tables.bits, &data[r * row_bytes]);
  }
  return data;
}

}  // namespace rondo::convert
