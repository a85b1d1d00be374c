#include "tools/convert/output/carry_over.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::convert {
namespace {

using format::TensorFormat;
using testing::ElementsAre;

// One matrix "a" of a type, which says whether it can be taken over.
class OneTensor : public Checkpoint {
 public:
  OneTensor(const std::string& type, bool holds_q4b) : holds_q4b_(holds_q4b) {
    Add("a", {"file", type, {2, 32}, 36});
  }
  void Read(const std::string&, uint64_t, std::span<float>) const override {}
  uint32_t BlockOfQ4B(const std::string&) const override { return holds_q4b_ ? 32 : 0; }

 private:
  std::string Where() const override { return "file"; }

  const bool holds_q4b_;
};

std::vector<std::string> NotesOf(const Checkpoint& checkpoint, TensorFormat format, uint32_t block,
                                 const Checkpoint::ScaleRounding& rounding = {}) {
  CarryOver carry_over;
  carry_over.Count({"tensor", TensorRole::kMatrix, {{"a", 2}}, 32}, {format, block}, checkpoint);
  return carry_over.Notes(rounding);
}

TEST(CarryOver, SaysWhatBecameOfQuantisedTensors) {
  const OneTensor blocks("Q4_0", true), others("Q6_K", false), floats("F16", false);
  EXPECT_THAT(NotesOf(floats, TensorFormat::Q4, 32), ElementsAre());
  EXPECT_THAT(
      NotesOf(blocks, TensorFormat::Q4B, 32),
      ElementsAre("tensors of Q4_0 (1) were taken over as they are, as q4b, block 32, without "
                  "loss: bfloat16 holds their scales exactly"));
  EXPECT_THAT(
      NotesOf(blocks, TensorFormat::Q4B, 32, {8, 4, 4 * 0.001 * 0.001}),
      ElementsAre("tensors of Q4_0 (1) were taken over as they are, as q4b, block 32, but for 4 of "
                  "8 scales that bfloat16 rounds, by 0.1 % (root mean square)"));
  EXPECT_THAT(
      NotesOf(blocks, TensorFormat::Q4B, 64),
      ElementsAre("tensors of Q4_0 (1) were dequantised and quantised anew, as q4b, block 64"));
  EXPECT_THAT(
      NotesOf(blocks, TensorFormat::Q4, 32),
      ElementsAre("tensors of Q4_0 (1) were dequantised and quantised anew, as q4 (codes)"));
  EXPECT_THAT(
      NotesOf(blocks, TensorFormat::Q3, 32),
      ElementsAre("tensors of Q4_0 (1) were dequantised and quantised anew, as q3 (codes)"));
  EXPECT_THAT(
      NotesOf(others, TensorFormat::Q4B, 32),
      ElementsAre("tensors of Q6_K (1) were dequantised and quantised anew, as q4b, block 32"));
}

// Queries, keys and values of one tensor may have been quantised in several ways.
TEST(CarryOver, SaysOfEachTypeWhatItsRoundingDid) {
  class Fused : public OneTensor {
   public:
    Fused() : OneTensor("Q6_K", false) {
      Add("b", {"file", "Q5_K", {2, 32}, 36});
      Add("c", {"file", "F16", {2, 32}, 128});
    }
  };
  CarryOver carry_over;
  const RoundingErrors errors =
      carry_over.Count({"qkv", TensorRole::kMatrix, {{"a", 2}, {"b", 2}, {"c", 2}, {"b", 2}}, 32},
                       {TensorFormat::Q4, 0}, Fused());
  ASSERT_EQ(errors.size(), 4u);
  ASSERT_NE(errors[0], nullptr);
  ASSERT_NE(errors[1], nullptr);
  EXPECT_EQ(errors[2], nullptr);
  EXPECT_EQ(errors[3], errors[1]);
  *errors[0] = {1, 10000};
  *errors[1] = {4, 10000};
  EXPECT_THAT(carry_over.Notes({}),
              ElementsAre("tensors of Q5_K (2) were dequantised and quantised anew, as q4 (codes), "
                          "which moved them by 2 % (root mean square)",
                          "tensors of Q6_K (1) were dequantised and quantised anew, as q4 (codes), "
                          "which moved them by 1 % (root mean square)"));
}

TEST(CarryOver, CountsTheFactorOfATensor) {
  TensorRecipe recipe{"tensor", TensorRole::kMatrix, {{"a", 2}}, 32};
  recipe.factor = {"a", 32, /*cols_first=*/false};
  CarryOver carry_over;
  carry_over.Count(recipe, {TensorFormat::F32, 0}, OneTensor("Q6_K", false));
  EXPECT_THAT(carry_over.Notes({}), ElementsAre("tensors of Q6_K (2) were dequantised"));
}

}  // namespace
}  // namespace rondo::convert
