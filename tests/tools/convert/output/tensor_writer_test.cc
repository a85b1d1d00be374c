#include "tools/convert/output/tensor_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "tests/temp_folder.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

using testing::ElementsAre;

// A tensor "x" and a factor "y", whose values are their indices.
class Counted : public Checkpoint {
 public:
  Counted(const std::vector<uint64_t>& shape, const std::vector<uint64_t>& factor) {
    Add("x", {"file", "F32", shape, 4});
    Add("y", {"file", "F32", factor, 4});
  }
  void Read(const std::string&, uint64_t first, std::span<float> out) const override {
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(first + i);
  }

 private:
  std::string Where() const override { return "file"; }
};

std::vector<float> Written(const TensorRecipe& recipe, const std::vector<uint64_t>& shape) {
  const Counted checkpoint(shape, recipe.factor ? recipe.FactorShape() : shape);
  const TempFolder folder;
  FileWriter writer(folder / "out");
  const StoredTensor stored =
      WriteTensor(recipe, format::TensorFormat::F32, 0, checkpoint, writer, [](uint64_t) {});
  writer.Finish({});
  std::ifstream in(writer.unfinished_path(), std::ios::binary);
  std::vector<float> values(stored.data.bytes() / sizeof(float));
  in.seekg(static_cast<std::streamoff>(stored.data.offset()));
  in.read(reinterpret_cast<char*>(values.data()),
          static_cast<std::streamsize>(stored.data.bytes()));
  return values;
}

// Of two experts of four rows that take turns, the second's: 1 and 3, then 0 and 2.
TEST(WriteTensor, TakesRowsThatTakeTurns) {
  const TensorRecipe recipe{
      "t", TensorRole::kMatrix, {{"x", 2, 5, {2, 4, 3}, 2}, {"x", 2, 4, {2, 4, 3}, 2}}, 3};
  EXPECT_THAT(Written(recipe, {2, 4, 3}),
              ElementsAre(15, 16, 17, 21, 22, 23, 12, 13, 14, 18, 19, 20));
}

TEST(WriteTensor, TakesElementsThatTakeTurns) {
  const TensorRecipe recipe{"t", TensorRole::kVector, {{"x", 3, 7, {2, 6}, 2}}, 1};
  EXPECT_THAT(Written(recipe, {2, 6}), ElementsAre(7, 9, 11));
}

// The second of three matrices [2 inputs, 4 rows], of which every other row.
TEST(WriteTensor, TakesOneOfSeveralTransposedMatrices) {
  TensorRecipe recipe{"t", TensorRole::kMatrix, {{"x", 2, 1, {3, 2, 4}, 2, 0, 1}}, 2};
  recipe.transposed = true;
  EXPECT_THAT(Written(recipe, {3, 2, 4}), ElementsAre(9, 13, 11, 15));
}

// Rows (2, 3) and (4, 5) by ((0, 1, 2), (3, 4, 5)), and by its like that lies the other way.
TEST(WriteTensor, MultipliesByAFactor) {
  TensorRecipe recipe{"t", TensorRole::kEmbedding, {{"x", 2, 1, {3, 2}}}, 3};
  recipe.factor = {"y", 2, false};
  EXPECT_THAT(Written(recipe, {3, 2}), ElementsAre(9, 14, 19, 15, 24, 33));
  recipe.factor = {"y", 2, true};
  EXPECT_THAT(Written(recipe, {3, 2}), ElementsAre(3, 13, 23, 5, 23, 41));
  recipe.parts[0].shape.clear();
  recipe.factor = {"y", 5, true};
  EXPECT_THROW(Written(recipe, {3, 2}), Error);  // x has rows of two
}

// Three rows of two integers; one has a value that Q8 has not.
class Integers : public Checkpoint {
 public:
  Integers() { Add("x", {"file", "int8", {3, 2}, 6}); }
  void Read(const std::string&, uint64_t, std::span<float>) const override { FAIL(); }
  bool HoldsQ8(const std::string&) const override { return true; }
  float ReadQ8(const std::string&, uint64_t row, std::span<int8_t> out) const override {
    constexpr int8_t kRows[3][2] = {{3, -4}, {-128, 64}, {0, 127}};
    std::copy_n(kRows[row], 2, out.data());
    return static_cast<float>(row + 1);
  }

 private:
  std::string Where() const override { return "file"; }
};

TEST(WriteTensor, TakesIntegersAsTheyAre) {
  TensorRecipe recipe{"t", TensorRole::kMatrix, {{"x", 3, 0, {3, 2}}}, 2};
  recipe.scale = 0.5f;
  const TempFolder folder;
  FileWriter writer(folder / "out");
  const StoredTensor stored =
      WriteTensor(recipe, format::TensorFormat::Q8, 0, Integers(), writer, [](uint64_t) {});
  writer.Finish({});
  std::ifstream in(writer.unfinished_path(), std::ios::binary);
  int8_t data[6];
  in.seekg(static_cast<std::streamoff>(stored.data.offset()));
  in.read(reinterpret_cast<char*>(data), sizeof data);
  EXPECT_THAT(data, ElementsAre(3, -4, -127, 64, 0, 127));
  float scales[3];
  in.seekg(static_cast<std::streamoff>(stored.scales->offset()));
  in.read(reinterpret_cast<char*>(scales), sizeof scales);
  EXPECT_THAT(scales, ElementsAre(0.5f, 128.0f / 127, 1.5f));
}

// So many rows are made in several steps.
TEST(WriteTensor, ComputesWhatNoTensorHolds) {
  constexpr uint64_t kRows = 3 << 19;
  TensorRecipe recipe{"t", TensorRole::kTable, {{"", kRows}}, 2};
  recipe.computed = [](uint64_t row, std::span<float> rows) {
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(2 * row + i);
  };
  const std::vector<float> values = Written(recipe, {1});
  ASSERT_EQ(values.size(), 2 * kRows);
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<float>(i)) << i;
}

// A matrix of blocks, whose scales are 1.5.
class Blocks : public Checkpoint {
 public:
  Blocks() { Add("x", {"file", "Q4_0", {2, 32}, 36}); }
  void Read(const std::string&, uint64_t, std::span<float>) const override {}
  bool HoldsQ4B(const std::string&) const override { return true; }
  void ReadQ4B(const std::string&, uint64_t, uint64_t n_rows, uint8_t* data,
               uint16_t* scales) const override {
    std::fill_n(data, n_rows * 16, uint8_t{0x9a});
    std::fill_n(scales, n_rows, uint16_t{0x3fc0});
  }

 private:
  std::string Where() const override { return "file"; }
};

// A factor that is a power of two goes into the scales.
TEST(WriteTensor, TakesBlocksTimesAPowerOfTwo) {
  const Blocks checkpoint;
  TensorRecipe recipe{"t", TensorRole::kMatrix, {{"x", 2}}, 32};
  for (const float scale : {3.0f, -2.0f, 0.0f, 0x1p100f}) {
    recipe.scale = scale;
    EXPECT_FALSE(HoldsQ4B(recipe, recipe.parts[0], checkpoint)) << scale;
  }
  recipe.scale = 8;
  recipe.parts[0].scale = 0.5;
  ASSERT_TRUE(HoldsQ4B(recipe, recipe.parts[0], checkpoint));
  const TempFolder folder;
  FileWriter writer(folder / "out");
  const StoredTensor stored =
      WriteTensor(recipe, format::TensorFormat::Q4B, 32, checkpoint, writer, [](uint64_t) {});
  writer.Finish({});
  std::ifstream in(writer.unfinished_path(), std::ios::binary);
  std::vector<uint16_t> scales(2);
  in.seekg(static_cast<std::streamoff>(stored.scales->offset()));
  in.read(reinterpret_cast<char*>(scales.data()), 4);
  EXPECT_THAT(scales, ElementsAre(0x40c0, 0x40c0));  // 6
}

}  // namespace
}  // namespace rondo::convert
