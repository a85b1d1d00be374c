#include "tools/convert/output/tensor_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "tests/temp_folder.h"

namespace rondo::convert {
namespace {

using testing::ElementsAre;

// One tensor "x", whose values are their indices.
class Counted : public Checkpoint {
 public:
  explicit Counted(const std::vector<uint64_t>& shape) { Add("x", {"file", "F32", shape, 4}); }
  void Read(const std::string&, uint64_t first, std::span<float> out) const override {
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(first + i);
  }

 private:
  std::string Where() const override { return "file"; }
};

std::vector<float> Written(const TensorRecipe& recipe, const std::vector<uint64_t>& shape) {
  const TempFolder folder;
  FileWriter writer(folder / "out");
  const StoredTensor stored =
      WriteTensor(recipe, format::TensorFormat::F32, 0, Counted(shape), writer, [](uint64_t) {});
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

}  // namespace
}  // namespace rondo::convert
