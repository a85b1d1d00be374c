// The grids of the IQ types: the few points of a lattice that their codes number.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace rondo::convert {

// kWidth coordinates of each point. A code is a point's place in the order of the numbers whose
// digits, the first one lowest, are the point's coordinates.
template <int kWidth>
using Grid = std::vector<std::array<int8_t, kWidth>>;

// Coordinates 8, 25, 43.
const Grid<8>& Iq2XxsGrid();  // 256 points
const Grid<8>& Iq2XsGrid();   // 512
const Grid<8>& Iq2SGrid();    // 1024
// Coordinates 4, 12, 20, 28, 36, 44, 52, 62.
const Grid<4>& Iq3XxsGrid();  // 256
// Coordinates 1, 3, ..., 15.
const Grid<4>& Iq3SGrid();  // 512
// Coordinates -1, 0, 1.
const Grid<8>& Iq1Grid();  // 2048

}  // namespace rondo::convert
