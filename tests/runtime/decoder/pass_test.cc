// Products of a pass: of one that nobody waits for any more, and of some channels.
#include "runtime/decoder/pass.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "runtime/kv/block_table.h"

namespace rondo {
namespace {

// Its weights are NaNs, so that what was computed with them shows.
class CancelledPassTest : public testing::Test {
 protected:
  static constexpr size_t kRows = 3, kOutputs = 40, kInputs = 16;

  void SetUp() override {
    resources_.set = AllKernelSets().back();
    resources_.activations = &activations_;
    resources_.pool = pool_;
    resources_.scratch = scratch_.data();
    const LinearShape shape = {format::TensorFormat::F32, kOutputs, kInputs, 0};
    weights_.assign(shape.PackedBytes(*resources_.set) + kOverRead, 0xff);
    linear_ = {.shape = shape, .inputs = kInputs, .packed = weights_.data()};
    in_.rows.data = in_bytes_.data();
    in_.stride = kInputs * sizeof(float);
  }
  void TearDown() override { ThreadPool::Destroy(pool_); }

  std::vector<float> Product(Pass::Into into) {
    std::array<SequenceRows, 2> sequences = {};
    for (size_t i = 0; i < 2; ++i) {
      sequences[i].kv = &tables_[i];
      sequences[i].cancel = &cancelled_[i];
    }
    std::vector<float> out(kRows * kOutputs, 7);
    const Pass pass(resources_, sequences);
    pass.Linear(linear_, in_, kRows, into, out.data(), kOutputs);
    return out;
  }

  std::array<BlockTable, 2> tables_;
  std::array<Cancellation, 2> cancelled_;
  ThreadPool* pool_ = ThreadPool::Create(2);
  Activations activations_;
  PassResources resources_;
  std::vector<uint8_t> scratch_ = std::vector<uint8_t>(1 << 16);
  std::vector<uint8_t> weights_;
  std::vector<uint8_t> in_bytes_ =
      std::vector<uint8_t>(kRows * kInputs * sizeof(float) + kOverRead);
  PackedLinear linear_;
  InputRows in_;
};

TEST_F(CancelledPassTest, ProductsAreZerosAndReadNoWeights) {
  cancelled_[0].Cancel();
  cancelled_[1].Cancel();
  EXPECT_EQ(Product(Pass::Into::kReplace), std::vector<float>(kRows * kOutputs, 0));
  EXPECT_EQ(Product(Pass::Into::kAdd), std::vector<float>(kRows * kOutputs, 7));
}

TEST_F(CancelledPassTest, ItIsComputedWhileOneOfItsSequencesWaits) {
  cancelled_[0].Cancel();
  for (const float v : Product(Pass::Into::kReplace)) EXPECT_TRUE(v != 0 && v != 7) << v;
  for (const float v : Product(Pass::Into::kAdd)) EXPECT_TRUE(v != 7) << v;
}

// Kernels make whole tiles.
TEST_F(CancelledPassTest, ChannelsThatAreHeldToARangeAreMadeAlone) {
  constexpr size_t kBegin = 5, kEnd = 39;
  const std::array<InputKey, kRows> keys = {InputKey(0), InputKey(0), InputKey(0)};
  std::array<PassRow, kRows> rows;
  activations_.rows.data = rows.data();
  const SequenceRows sequence = {.kv = tables_.data(),
                                 .position = 0,
                                 .keys = keys,
                                 .first_logits_row = kRows,
                                 .long_sequence = false,
                                 .cancel = cancelled_.data()};
  const Pass pass(resources_, {&sequence, 1});
  std::vector<float> out(kRows * kOutputs, 7);
  const Range held = {1, 2};
  pass.LinearPart(linear_, in_, kBegin, kEnd, out.data(), kOutputs, &held);
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t channel = i % kOutputs;
    EXPECT_EQ(out[i] != 7, kBegin <= channel && channel < kEnd) << channel;
  }
}

}  // namespace
}  // namespace rondo
