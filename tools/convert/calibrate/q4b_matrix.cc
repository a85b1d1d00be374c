#include "tools/convert/calibrate/q4b_matrix.h"

#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {

std::vector<float> Q4BMatrix::Values() const {
  std::vector<float> values(rows * cols);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < cols; ++c) values[r * cols + c] = value(r, c);
  }
  return values;
}

std::vector<uint8_t> Q4BMatrix::Data() const {
  const size_t row_bytes = RoundUp(cols, block) / 2;
  std::vector<uint8_t> data(rows * row_bytes, 0x88);
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < cols; ++c) {
      const auto nibble = static_cast<uint8_t>(steps[r * cols + c] + 8);
      uint8_t& byte = data[r * row_bytes + c / 2];
      byte = static_cast<uint8_t>(c % 2 == 0 ? (byte & 0xf0) | nibble : (byte & 15) | nibble << 4);
    }
  }
  return data;
}

std::vector<uint16_t> Q4BMatrix::Scales() const {
  std::vector<uint16_t> bits(scales.size());
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = ToBfloat16(scales[i]);
  return bits;
}

}  // namespace rondo::convert
