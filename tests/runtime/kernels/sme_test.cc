// Products with SME, where the CPU has it: over all that is held at once, and for callers whose
// streaming vectors or ZA are not as they should be. packed_linear_test.cc has the set's others.
#if defined(__aarch64__)

#include "runtime/kernels/sme.h"

#include <gtest/gtest.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <cfenv>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/kernels/packed_linear.h"
#include "runtime/kernels/row_ops.h"

namespace rondo {
namespace {

class SmeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (sme_ == nullptr) GTEST_SKIP() << "no SME of 512 bits here";
  }

  // A random matrix of [n, k], packed, and random rows.
  void Fill(size_t n, size_t k, size_t rows) {
    n_ = n, rows_ = rows;
    shape_ = {format::TensorFormat::Q8, n, k, 0};
    stride_ = RoundUp(k, 64);
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    std::vector<int8_t> weights(n * k);
    for (int8_t& w : weights) w = static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
    std::vector<float> scales(n), biases(n), x(k + kOverRead);
    for (float& v : scales) v = normal(random) / 127;
    for (float& v : biases) v = normal(random);
    packed_.resize(shape_.PackedBytes(*sme_) + kOverRead + 64);
    aligned_ = reinterpret_cast<uint8_t*>(
        RoundUp(reinterpret_cast<uintptr_t>(packed_.data()), uintptr_t{64}));
    PackLinear(LayoutOf(*sme_), shape_, {weights.data(), scales.data(), biases.data()}, 0, n,
               aligned_);
    in_.resize(rows * stride_ + kOverRead);
    quant_.resize(rows);
    for (size_t r = 0; r < rows; ++r) {
      for (float& v : x) v = normal(random);
      quant_[r] = QuantizeRow(*sme_, x.data(), k, stride_, r, in_.data());
    }
    out_.assign(rows * n, -1);
  }
  size_t Multiply() {
    return MultiplyBySme(rows_, n_, shape_.k, in_.data(), stride_, aligned_, out_.data(), n_,
                         quant_.data());
  }
  // By the kernels for few rows.
  std::vector<float> Expected() const {
    KernelSet few = *sme_;
    few.q8_many = nullptr;
    std::vector<float> out(rows_ * n_);
    RunLinear(few, {shape_, shape_.k, aligned_, 0, nullptr},
              {nullptr, in_.data(), quant_.data(), stride_}, rows_, 0, n_, out.data(), n_, nullptr);
    return out;
  }

  const KernelSet* const sme_ = SelectKernelSet("sme");
  size_t n_ = 0, rows_ = 0, stride_ = 0;
  LinearShape shape_;
  std::vector<uint8_t> packed_;
  uint8_t* aligned_ = nullptr;
  std::vector<int8_t> in_;
  std::vector<RowQuant> quant_;
  std::vector<float> out_;
};

TEST_F(SmeTest, GivesTheBitsOfTheKernelsForFewRows) {
  struct {
    size_t n, k;
  } shapes[] = {{64, 1024}, {48, 1027}, {273, 64}, {530, 1100}, {16, 4101}, {1, 3}, {90, 2048}};
  for (const auto& [n, k] : shapes) {
    SCOPED_TRACE(testing::Message() << n << " channels of " << k << " inputs");
    Fill(n, k, 37);
    ASSERT_EQ(Multiply(), 32u);
    const std::vector<float> expected = Expected();
    EXPECT_EQ(std::memcmp(out_.data(), expected.data(), 32 * n * sizeof(float)), 0);
    for (size_t i = 32 * n; i < out_.size(); ++i) ASSERT_EQ(out_[i], -1) << i;
  }
}

TEST_F(SmeTest, FewRowsAreLeft) {
  Fill(64, 64, 15);
  EXPECT_EQ(Multiply(), 0u);
}

uint64_t Svcr() {
  uint64_t svcr;
  asm volatile("mrs %0, s3_3_c4_c2_2" : "=r"(svcr));
  return svcr;
}
void SetTpidr2(const void* to) { asm volatile("msr s3_3_c13_c0_5, %0" ::"r"(to) : "memory"); }

TEST_F(SmeTest, ZaStaysWithWhoeverHasIt) {
  Fill(64, 64, 16);
  ASSERT_EQ(Multiply(), 16u);
  EXPECT_EQ(Svcr(), 0u);
  out_.assign(out_.size(), -1);
  const std::vector<float> untouched = out_;

  // What a caller leaves that still needs ZA: here none of it is to be saved.
  alignas(16) const uint8_t nothing[16] = {};
  SetTpidr2(nothing);
  const size_t while_named = Multiply();
  SetTpidr2(nullptr);
  EXPECT_EQ(while_named, 0u);

  asm volatile(".inst 0xd503457f" ::: "memory");  // smstart za
  const size_t while_on = Multiply();
  const uint64_t svcr = Svcr();
  asm volatile(".inst 0xd503447f" ::: "memory");  // smstop za
  EXPECT_EQ(while_on, 0u);
  EXPECT_EQ(svcr, 2u);
  EXPECT_EQ(out_, untouched);

  ASSERT_EQ(Multiply(), 16u);
  EXPECT_EQ(out_, Expected());
}

TEST_F(SmeTest, FloatingPointFlagsStayAsTheyWere) {
  Fill(64, 64, 16);
  std::feclearexcept(FE_ALL_EXCEPT);
  ASSERT_EQ(Multiply(), 16u);
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT), 0);
}

#if defined(__linux__)
TEST_F(SmeTest, OtherVectorsAreNotForIt) {
  Fill(64, 64, 16);
  constexpr int kSetLength = 63;  // of this thread, in bytes
  const int shorter = prctl(kSetLength, 32);
  const size_t done = Multiply();
  ASSERT_EQ(prctl(kSetLength, 64), 64);
  if (shorter != 32) GTEST_SKIP() << "this CPU has vectors of one length";
  EXPECT_EQ(done, 0u);
  EXPECT_EQ(Multiply(), 16u);
}
#endif

}  // namespace
}  // namespace rondo

#endif  // __aarch64__
