// The rows that towers make of pictures, and how noisy they are.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/engine/engine.h"
#include "runtime/engine/media.h"

namespace rondo {

// `further`: those that the text's layer of this number less 1 adds; 0: those in the text.
inline std::vector<float> RowsOf(Engine& engine, const Media& media, size_t further = 0) {
  std::vector<float> rows;
  const InputStore& inputs = engine.inputs();
  for (const MediaRun& run : media.runs()) {
    uint32_t place = InputStore::kNowhere;
    for (uint32_t row = 0; row < run.rows; ++row) {
      place = inputs.PlaceOf(InputKey(run.input, row), place);
      const std::span<const float> values =
          further == 0 ? inputs.Values(place) : inputs.Further(place, further - 1);
      rows.insert(rows.end(), values.begin(), values.end());
    }
  }
  return rows;
}

// How far rows are from exact ones: the root of the mean square, in units of their deviation.
inline double Noise(const std::vector<float>& rows, const std::vector<float>& exact) {
  double sum = 0, squares = 0, noise = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    const double difference = double{rows[i]} - exact[i];
    sum += exact[i];
    squares += double{exact[i]} * exact[i];
    noise += difference * difference;
  }
  return std::sqrt(noise / (squares - sum * sum / static_cast<double>(exact.size())));
}

}  // namespace rondo
