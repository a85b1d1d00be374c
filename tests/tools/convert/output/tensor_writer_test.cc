#include "tools/convert/output/tensor_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "runtime/kernels/packed_linear.h"
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

template <typename Source = Counted>
std::vector<float> Written(const TensorRecipe& recipe, const std::vector<uint64_t>& shape) {
  const Source checkpoint(shape, recipe.factor ? recipe.FactorShape() : shape);
  const TempFolder folder;
  FileWriter writer(folder / "out");
  const StoredTensor stored =
      WriteTensor(recipe, {format::TensorFormat::F32, 0}, checkpoint, writer, [](uint64_t) {});
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
  uint32_t IntegerBits(const std::string&) const override { return 8; }
  float ReadIntegers(const std::string&, uint64_t row, std::span<int8_t> out) const override {
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
      WriteTensor(recipe, {format::TensorFormat::Q8, 0}, Integers(), writer, [](uint64_t) {});
  writer.Finish({});
  std::ifstream in(writer.unfinished_path(), std::ios::binary);
  int8_t data[6];
  in.seekg(static_cast<std::streamoff>(stored.data.offset()));
  in.read(reinterpret_cast<char*>(data), sizeof data);
  EXPECT_THAT(data, ElementsAre(3, -4, -127, 64, 0, 127));  // Q8 has no -128
  float scales[3];
  in.seekg(static_cast<std::streamoff>(stored.scales->offset()));
  in.read(reinterpret_cast<char*>(scales), sizeof scales);
  EXPECT_THAT(scales, ElementsAre(0.5f, 1.0f, 1.5f));
}

// Tensors "a" of 2 bits and "b" of 4, two rows of 32 integers each, r + 1 their scales; "c" has
// floats, "d" blocks of 64.
class FewBits : public Checkpoint {
 public:
  FewBits() {
    for (const char* const name : {"a", "b"}) Add(name, {"file", "bits", {2, 32}, 24});
    Add("c", {"file", "BF16", {2, 32}, 128});
    Add("d", {"file", "GPTQ", {2, 32}, 40});
  }
  void Read(const std::string&, uint64_t, std::span<float> out) const override {
    std::fill(out.begin(), out.end(), 1.0f);
  }
  uint32_t IntegerBits(const std::string& name) const override {
    return name == "a" ? 2 : name == "b" ? 4 : 0;
  }
  float ReadIntegers(const std::string& name, uint64_t row, std::span<int8_t> out) const override {
    for (size_t i = 0; i < out.size(); ++i) out[i] = Integer(name, i);
    return static_cast<float>(row + 1);
  }
  uint32_t BlockOfQ4B(const std::string& name) const override { return name == "d" ? 64 : 0; }
  static int8_t Integer(const std::string& name, size_t i) {
    const int half = name == "a" ? 2 : 8;
    return static_cast<int8_t>(static_cast<int>(i) % (2 * half) - half);
  }

 private:
  std::string Where() const override { return "file"; }
};

TensorRecipe RecipeOf(const std::vector<std::string>& names) {
  TensorRecipe recipe{"t", TensorRole::kMatrix, {}, 32};
  for (const std::string& name : names) recipe.parts.push_back({name, 2, 0, {2, 32}});
  return recipe;
}

TEST(Kept, IsTheFewestBitsThatHoldAllParts) {
  const auto kept = [](const std::vector<std::string>& names) {
    const std::optional<Encoding> encoding = Kept(RecipeOf(names), FewBits());
    return encoding ? FormatFact(encoding->format, encoding->block) : "";
  };
  EXPECT_EQ(kept({"a"}), "q2");
  EXPECT_EQ(kept({"b"}), "q4");
  EXPECT_EQ(kept({"a", "b"}), "q4");
  EXPECT_EQ(kept({"d", "d"}), "q4b, block 64");
  EXPECT_EQ(kept({"a", "d"}), "q4");  // of 5 bits with scales, and nothing holds both
  EXPECT_EQ(kept({"a", "c"}), "");
  TensorRecipe times = RecipeOf({"b"});
  times.offset = 1;
  EXPECT_EQ(Kept(times, FewBits())->format, format::TensorFormat::Q4);  // the nearest
}

TEST(WriteTensor, TakesIntegersOfFewBitsAsCodes) {
  for (const bool both : {false, true}) {
    const TensorRecipe recipe = both ? RecipeOf({"a", "b"}) : RecipeOf({"a"});
    const Encoding encoding = *Kept(recipe, FewBits());
    const uint32_t bits = RuleOf(encoding.format).bits;
    const TempFolder folder;
    FileWriter writer(folder / "out");
    RoundingError error;
    const StoredTensor stored = WriteTensor(
        recipe, encoding, FewBits(), writer, [](uint64_t) {},
        RoundingErrors(recipe.parts.size(), &error));
    writer.Finish({});
    EXPECT_EQ(error.squares, 0);
    std::ifstream in(writer.unfinished_path(), std::ios::binary);
    const auto read = [&](const format::Section& section, size_t size) {
      std::vector<uint8_t> bytes(size);
      in.seekg(static_cast<std::streamoff>(section.offset()));
      in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
      return bytes;
    };
    const std::vector<uint8_t> data = read(stored.data, recipe.rows() * CodeRowBytes(32, bits));
    const std::vector<uint8_t> scales = read(*stored.scales, recipe.rows() * sizeof(float));
    const std::vector<uint8_t> tables = read(*stored.tables, kCodeTablesBytes);
    const WeightRows rows = {data.data(), scales.data(), nullptr,
                             reinterpret_cast<const int8_t*>(tables.data())};
    const LinearShape shape = {both ? format::TensorFormat::Q4 : format::TensorFormat::Q2,
                               recipe.rows(), 32, 0};
    for (size_t r = 0; r < recipe.rows(); ++r) {
      std::vector<float> row(32);
      ReadRow(shape, rows, r, row);
      for (size_t i = 0; i < 32; ++i) {
        ASSERT_EQ(row[i], static_cast<float>(FewBits::Integer(r < 2 ? "a" : "b", i)) *
                              static_cast<float>(r % 2 + 1));
      }
    }
  }
}

// A table whose rows are halves of the checkpoint's.
TEST(WriteTensor, TakesPiecesOfRows) {
  TensorRecipe recipe{"t", TensorRole::kEmbedding, {{"b", 4, 0, {2, 32}}}, 16};
  EXPECT_EQ(Kept(recipe, FewBits())->format, format::TensorFormat::Q4);
  const TempFolder folder;
  FileWriter writer(folder / "out");
  const StoredTensor stored =
      WriteTensor(recipe, {format::TensorFormat::Q8, 0}, FewBits(), writer, [](uint64_t) {});
  writer.Finish({});
  std::ifstream in(writer.unfinished_path(), std::ios::binary);
  std::vector<int8_t> data(4 * 16);
  in.seekg(static_cast<std::streamoff>(stored.data.offset()));
  in.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  for (size_t i = 0; i < data.size(); ++i) EXPECT_EQ(data[i], FewBits::Integer("b", i % 32));
  float scales[4];
  in.seekg(static_cast<std::streamoff>(stored.scales->offset()));
  in.read(reinterpret_cast<char*>(scales), sizeof scales);
  EXPECT_THAT(scales, ElementsAre(1, 1, 2, 2));
}

// Q8 has no scale below zero: the integers have the other sign.
TEST(WriteTensor, TakesNoNegativeScaleInQ8) {
  class Negative : public Checkpoint {
   public:
    Negative() { Add("x", {"file", "int8", {1, 2}, 2}); }
    void Read(const std::string&, uint64_t, std::span<float>) const override { FAIL(); }
    uint32_t IntegerBits(const std::string&) const override { return 8; }
    float ReadIntegers(const std::string&, uint64_t, std::span<int8_t> out) const override {
      out[0] = 127, out[1] = -5;
      return -2;
    }

   private:
    std::string Where() const override { return "file"; }
  };
  const TensorRecipe recipe{"t", TensorRole::kMatrix, {{"x", 1, 0, {1, 2}}}, 2};
  const TempFolder folder;
  FileWriter writer(folder / "out");
  const StoredTensor stored =
      WriteTensor(recipe, {format::TensorFormat::Q8, 0}, Negative(), writer, [](uint64_t) {});
  writer.Finish({});
  std::ifstream in(writer.unfinished_path(), std::ios::binary);
  int8_t data[2];
  in.seekg(static_cast<std::streamoff>(stored.data.offset()));
  in.read(reinterpret_cast<char*>(data), sizeof data);
  float scale;
  in.seekg(static_cast<std::streamoff>(stored.scales->offset()));
  in.read(reinterpret_cast<char*>(&scale), sizeof scale);
  EXPECT_THAT(data, ElementsAre(-127, 5));
  EXPECT_EQ(scale, 2);
}

TEST(WriteTensor, SaysWhatRoundingDid) {
  const TensorRecipe recipe = RecipeOf({"c"});
  const TempFolder folder;
  for (const format::TensorFormat format :
       {format::TensorFormat::Q8, format::TensorFormat::Q4, format::TensorFormat::Q4B}) {
    FileWriter writer(folder / "out");
    RoundingError error;
    WriteTensor(recipe, {format, format == format::TensorFormat::Q4B ? 32u : 0u}, FewBits(), writer,
                [](uint64_t) {}, {&error});
    EXPECT_EQ(error.weights, 64);  // all are 1
    EXPECT_LT(error.squares, 64 * 1e-4);
  }
}

TEST(WriteTensor, SaysOfEachPartWhatRoundingDid) {
  const TempFolder folder;
  FileWriter writer(folder / "out");
  RoundingError of_integers, of_floats;
  WriteTensor(RecipeOf({"b", "c", "c"}), {format::TensorFormat::Q8, 0}, FewBits(), writer,
              [](uint64_t) {}, {&of_integers, nullptr, &of_floats});
  double squares = 0;
  for (size_t i = 0; i < 32; ++i) squares += std::pow(FewBits::Integer("b", i), 2);
  EXPECT_EQ(of_integers.weights, squares * (1 + 4));  // of two rows
  EXPECT_EQ(of_integers.squares, 0);
  EXPECT_EQ(of_floats.weights, 64);
}

// A checkpoint whose weights are finite as far as they lie in files.
class Large : public Counted {
 public:
  using Counted::Counted;
  void Read(const std::string& name, uint64_t first, std::span<float> out) const override {
    Counted::Read(name, first, out);
    for (float& value : out) value = value == 7 ? -3e38f : value;
  }
  uint32_t IntegerBits(const std::string&) const override { return integers_ ? 4 : 0; }
  float ReadIntegers(const std::string&, uint64_t row, std::span<int8_t> out) const override {
    std::fill(out.begin(), out.end(), 7);
    return row == 2 ? 1e38f : 1.0f;
  }
  uint32_t BlockOfQ4B(const std::string&) const override { return integers_ ? 32 : 0; }
  void ReadQ4B(const std::string&, uint64_t row, uint64_t n_rows, uint8_t*,
               uint16_t* scales) const override {
    for (uint64_t i = 0; i < n_rows; ++i) scales[i] = row + i == 2 ? 0x7f00 : 0x3f80;
  }
  bool integers_ = false;
};

// Of bounds alone.
TEST(WriteTensor, AnInfiniteBoundBecomesTheLargestNumber) {
  class Unbounded : public Counted {
   public:
    using Counted::Counted;
    void Read(const std::string&, uint64_t, std::span<float> out) const override {
      const float values[] = {-HUGE_VALF, 2, HUGE_VALF};
      std::copy_n(values, out.size(), out.begin());
    }
  };
  TensorRecipe recipe{"t", TensorRole::kVector, {{"x", 3}}, 1};
  EXPECT_THROW(Written<Unbounded>(recipe, {3}), Error);
  recipe.bounds = true;
  constexpr float kMost = std::numeric_limits<float>::max();
  EXPECT_THAT(Written<Unbounded>(recipe, {3}), ElementsAre(-kMost, 2, kMost));
}

TEST(WriteTensor, RefusesWhatIsNotFiniteByItsPlace) {
  const TempFolder folder;
  const auto why = [&](const TensorRecipe& recipe, format::TensorFormat format, bool integers) {
    Large checkpoint(recipe.parts[0].shape, {1});
    checkpoint.integers_ = integers;
    FileWriter writer(folder / "out");
    try {
      WriteTensor(recipe, {format, format == format::TensorFormat::Q4B ? 32u : 0u}, checkpoint,
                  writer, [](uint64_t) {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using format::TensorFormat;
  TensorRecipe recipe{"t", TensorRole::kMatrix, {{"x", 2, 1, {3, 3}}}, 3};
  EXPECT_EQ(why(recipe, TensorFormat::Q8, false), "");
  recipe.scale = 2;
  for (const TensorFormat format : {TensorFormat::F32, TensorFormat::Q8, TensorFormat::Q4}) {
    EXPECT_EQ(why(recipe, format, false),
              "file: tensor x gives -inf in row 2, column 1, expected finite weights");
  }
  recipe.parts = {{"x", 1, 1, {2, 4}, 1, 0, 0}};
  recipe.transposed = true;
  recipe.cols = 2;
  EXPECT_EQ(why(recipe, TensorFormat::F32, false), "");
  recipe.parts[0].first_row = 3;
  EXPECT_EQ(why(recipe, TensorFormat::F32, false),
            "file: tensor x gives -inf in row 1, column 3, expected finite weights");

  // As they are, with the scales that the checkpoint has.
  recipe = {"t", TensorRole::kMatrix, {{"x", 3, 0, {3, 32}}}, 32};
  for (const TensorFormat format : {TensorFormat::Q8, TensorFormat::Q4, TensorFormat::Q4B}) {
    EXPECT_THAT(why(recipe, format, true),
                testing::MatchesRegex(
                    "file: tensor x has the scale 1.*e.38 in row 2, expected finite weights"));
  }
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
  uint32_t BlockOfQ4B(const std::string&) const override { return 32; }
  void ReadQ4B(const std::string&, uint64_t, uint64_t n_rows, uint8_t* data,
               uint16_t* scales) const override {
    std::fill_n(data, n_rows * 16, uint8_t{0x9a});
    std::fill_n(scales, n_rows, uint16_t{0x3fc0});
  }

 private:
  std::string Where() const override { return "file"; }
};

constexpr Encoding kBlocks32 = {format::TensorFormat::Q4B, 32};

// A factor that is a power of two goes into the scales.
TEST(WriteTensor, TakesBlocksTimesAPowerOfTwo) {
  const Blocks checkpoint;
  TensorRecipe recipe{"t", TensorRole::kMatrix, {{"x", 2}}, 32};
  for (const float scale : {3.0f, -2.0f, 0.0f, 0x1p100f}) {
    recipe.scale = scale;
    EXPECT_FALSE(IsTaken(recipe, recipe.parts[0], kBlocks32, checkpoint)) << scale;
  }
  recipe.scale = 8;
  recipe.parts[0].scale = 0.5;
  ASSERT_TRUE(IsTaken(recipe, recipe.parts[0], kBlocks32, checkpoint));
  const TempFolder folder;
  FileWriter writer(folder / "out");
  const StoredTensor stored =
      WriteTensor(recipe, {format::TensorFormat::Q4B, 32}, checkpoint, writer, [](uint64_t) {});
  writer.Finish({});
  std::ifstream in(writer.unfinished_path(), std::ios::binary);
  std::vector<uint16_t> scales(2);
  in.seekg(static_cast<std::streamoff>(stored.scales->offset()));
  in.read(reinterpret_cast<char*>(scales.data()), 4);
  EXPECT_THAT(scales, ElementsAre(0x40c0, 0x40c0));  // 6
}

}  // namespace
}  // namespace rondo::convert
