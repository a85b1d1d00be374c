// The matrix that files hold, by its definition, and that it is orthogonal.
#include "tools/convert/output/turn.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace rondo::convert::turn_test {
namespace {

std::vector<std::vector<float>> MatrixOf(size_t n) {
  std::vector<std::vector<float>> columns(n, std::vector<float>(n));
  for (size_t i = 0; i < n; ++i) {
    columns[i][i] = 1;
    Turn(columns[i]);
  }
  return columns;
}

class TurnOf : public testing::TestWithParam<size_t> {};

TEST_P(TurnOf, IsOrthogonal) {
  const auto columns = MatrixOf(GetParam());
  for (size_t a = 0; a < columns.size(); ++a) {
    for (size_t b = 0; b < columns.size(); ++b) {
      double sum = 0;
      for (size_t i = 0; i < columns.size(); ++i) sum += double{columns[a][i]} * columns[b][i];
      EXPECT_NEAR(sum, a == b ? 1 : 0, 1e-5) << a << ", " << b;
    }
  }
}

// Householder's matrix over the blocks times Hadamard's within them, and a sign for each column.
TEST_P(TurnOf, IsTheMatrixThatIsSaid) {
  const size_t n = GetParam(), block = size_t{1} << std::countr_zero(n);
  const double blocks = static_cast<double>(n / block);
  const auto columns = MatrixOf(n);
  for (size_t col = 0; col < n; ++col) {
    double sign = 0;
    for (size_t row = 0; row < n; ++row) {
      const bool odd = std::popcount(row % block & col % block) % 2 != 0;
      const double hadamard = (odd ? -1 : 1) / std::sqrt(static_cast<double>(block));
      const double across = (row / block == col / block ? 1 : 0) - (blocks > 1 ? 2 / blocks : 0);
      const double expected = hadamard * across;
      if (sign == 0 && expected != 0) sign = columns[col][row] * expected > 0 ? 1 : -1;
      EXPECT_NEAR(columns[col][row], sign * expected, 1e-6) << row << ", " << col;
    }
  }
}

TEST_P(TurnOf, TurnsColumnsAsItTurnsRows) {
  const size_t n = GetParam(), cols = 67;
  std::vector<float> matrix(n * cols);
  for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<float>(i * 31 % 101) - 50;
  std::vector<float> turned = matrix;
  TurnColumns(turned, cols);
  for (size_t col = 0; col < cols; ++col) {
    std::vector<float> column(n);
    for (size_t i = 0; i < n; ++i) column[i] = matrix[i * cols + col];
    Turn(column);
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(turned[i * cols + col], column[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, TurnOf, testing::Values(1, 2, 3, 16, 24, 45, 64, 96, 112));

// In files: it stays.
TEST(Turn, HasItsSigns) {
  const auto columns = MatrixOf(16);
  std::string signs;
  for (const std::vector<float>& column : columns) signs += column[0] > 0 ? '+' : '-';
  EXPECT_EQ(signs, "++-++-++++-+++-+");
}

}  // namespace
}  // namespace rondo::convert::turn_test
