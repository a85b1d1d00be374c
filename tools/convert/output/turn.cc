#include "tools/convert/output/turn.h"

#include <algorithm>
#include <vector>

#include "platforms/cpu.h"
#include "tools/convert/common/parallel.h"

namespace rondo::convert {

void TurnColumns(std::span<float> matrix, size_t cols) {
  const size_t rows = matrix.size() / cols;
  ParallelFor(PerformanceCores(), (cols + kMostTurned - 1) / kMostTurned, [&](size_t slice) {
    const size_t first = slice * kMostTurned, width = std::min(kMostTurned, cols - first);
    std::vector<float> columns(rows * width);
    for (size_t i = 0; i < rows; ++i) {
      std::copy_n(&matrix[i * cols + first], width, &columns[i * width]);
    }
    rondo::TurnColumns(columns.data(), rows, width);
    for (size_t i = 0; i < rows; ++i) {
      std::copy_n(&columns[i * width], width, &matrix[i * cols + first]);
    }
  });
}

}  // namespace rondo::convert
