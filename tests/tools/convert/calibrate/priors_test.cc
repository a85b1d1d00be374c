#include "tools/convert/calibrate/priors.h"

#include <gtest/gtest.h>

namespace rondo::convert {
namespace {

// A matrix "x", which counts what is read of it.
class Counting : public Checkpoint {
 public:
  Counting(uint64_t rows, uint64_t cols) {
    Add("x", {"file", "F32", {rows, cols}, rows * cols * sizeof(float)});
  }
  void Read(const std::string&, uint64_t first, std::span<float> out) const override {
    elements_ += out.size();
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<float>((first + i) * 37 % 101) - 50;
    }
  }
  uint64_t elements() const { return elements_; }

 private:
  std::string Where() const override { return "file"; }

  mutable uint64_t elements_ = 0;
};

// What lies the other way is read whole: once, however many rows are looked at.
TEST(Priors, ReadATransposedMatrixOnce) {
  constexpr uint64_t kRows = 512, kCols = 64;
  TensorRecipe recipe{"mlp.down", TensorRole::kMatrix, {{"x", kRows, 0, {kCols, kRows}}}, kCols};
  const auto decide = [&](const Counting& checkpoint) {
    return ChooseFormatsByPriors({recipe}, checkpoint, 5, [](double) {}).at(0).loss;
  };
  recipe.transposed = true;
  const Counting transposed(kCols, kRows);
  EXPECT_GT(decide(transposed), 0);
  EXPECT_EQ(transposed.elements(), kRows * kCols);

  recipe.transposed = false;
  recipe.parts[0].shape = {kRows, kCols};
  const Counting rows(kRows, kCols);
  EXPECT_GT(decide(rows), 0);
  EXPECT_EQ(rows.elements(), 128 * kCols);  // some of them
}

}  // namespace
}  // namespace rondo::convert
