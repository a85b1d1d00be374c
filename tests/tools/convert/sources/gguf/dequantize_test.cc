// Blocks put together by hand from the description of each type.
#include "tools/convert/sources/gguf/dequantize.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/tools/convert/sources/gguf/value_hash.h"

namespace rondo::convert {
namespace {

constexpr uint16_t kHalf = 0x3800, kOne = 0x3c00, kTwo = 0x4000, kMinusTwo = 0xc000;  // float16

const BlockType& Find(const std::string& name) {
  for (uint32_t id = 0; id < 64; ++id) {
    if (const BlockType* type = FindBlockType(id); type != nullptr && name == type->name) {
      return *type;
    }
  }
  throw std::invalid_argument(name);
}

// The block under construction, byte by byte.
class Block {
 public:
  explicit Block(const char* name) : type_(Find(name)), bytes_(type_.bytes) {}

  Block& Half(size_t at, uint16_t bits) {
    bytes_[at] = static_cast<uint8_t>(bits);
    bytes_[at + 1] = static_cast<uint8_t>(bits >> 8);
    return *this;
  }
  Block& Byte(size_t at, int value) {
    bytes_[at] = static_cast<uint8_t>(value);
    return *this;
  }
  Block& Fill(size_t begin, size_t end, int value) {
    for (size_t i = begin; i < end; ++i) Byte(i, value);
    return *this;
  }
  std::vector<float> Values() const {
    std::vector<float> values(type_.values);
    type_.dequantize(bytes_.data(), 1, values.data());
    return values;
  }
  const uint8_t* data() const { return bytes_.data(); }

 private:
  const BlockType& type_;
  std::vector<uint8_t> bytes_;
};

TEST(DequantizeTest, KnowsTheTypes) {
  EXPECT_EQ(KnownBlockTypes(),
            "F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ2_XXS, "
            "IQ2_XS, IQ3_XXS, IQ1_S, IQ4_NL, IQ3_S, IQ2_S, IQ4_XS, IQ1_M, TQ1_0, TQ2_0, MXFP4, "
            "NVFP4, Q1_0, Q2_0");
  EXPECT_EQ(FindBlockType(28), nullptr);
  EXPECT_EQ(BlockTypeName(28), "F64");
  EXPECT_EQ(BlockTypeName(12), "Q4_K");
  EXPECT_EQ(BlockTypeName(200), "type 200");
}

TEST(DequantizeTest, Floats) {
  EXPECT_EQ(Block("F32").Half(2, 0xbf80).Values()[0], -1.0f);
  EXPECT_EQ(Block("BF16").Half(0, 0xbf80).Values()[0], -1.0f);
  EXPECT_EQ(Block("F16").Half(0, kMinusTwo).Values()[0], -2.0f);
}

TEST(DequantizeTest, Q8) {
  const std::vector<float> values =
      Block("Q8_0").Half(0, kHalf).Byte(2, -128).Byte(33, 127).Values();
  EXPECT_EQ(values[0], -64.0f);
  EXPECT_EQ(values[1], 0.0f);
  EXPECT_EQ(values[31], 63.5f);
}

TEST(DequantizeTest, NibblesLieSixteenApart) {
  const std::vector<float> q40 =
      Block("Q4_0").Half(0, kMinusTwo).Byte(2, 0xf0).Byte(17, 0x19).Values();
  EXPECT_EQ(q40[0], 16.0f);
  EXPECT_EQ(q40[16], -14.0f);
  EXPECT_EQ(q40[15], -2.0f);
  EXPECT_EQ(q40[31], 14.0f);
  const std::vector<float> q41 = Block("Q4_1").Half(0, kTwo).Half(2, kHalf).Byte(4, 0xf3).Values();
  EXPECT_EQ(q41[0], 6.5f);
  EXPECT_EQ(q41[16], 30.5f);
  EXPECT_EQ(q41[1], 0.5f);
}

TEST(DequantizeTest, FifthBits) {
  // Bits of the values 0 and 17.
  const std::vector<float> q50 =
      Block("Q5_0").Half(0, kOne).Byte(2, 1).Byte(4, 2).Byte(6, 0x21).Values();
  EXPECT_EQ(q50[0], 1.0f);     // 16 + 1 - 16
  EXPECT_EQ(q50[16], -14.0f);  // 2 - 16
  EXPECT_EQ(q50[17], 0.0f);    // 16 - 16
  EXPECT_EQ(q50[1], -16.0f);
  const std::vector<float> q51 =
      Block("Q5_1").Half(0, kOne).Half(2, kTwo).Byte(4, 1).Byte(6, 2).Byte(8, 0x21).Values();
  EXPECT_EQ(q51[0], 19.0f);
  EXPECT_EQ(q51[16], 4.0f);
  EXPECT_EQ(q51[17], 18.0f);
}

TEST(DequantizeTest, Q2K) {
  const std::vector<float> values = Block("Q2_K")
                                        .Half(80, kTwo)
                                        .Half(82, kOne)
                                        .Byte(0, 0x53)        // values 0-15: scale 3, minimum 5
                                        .Byte(2, 0x01)        // 32-47: scale 1
                                        .Byte(15, 0x0f)       // 240-255: scale 15
                                        .Byte(16, 0x06)       // value 0: 2, value 32: 1
                                        .Byte(16 + 63, 0xc0)  // value 255: 3
                                        .Values();
  EXPECT_EQ(values[0], 2 * 3 * 2 - 5.0f);
  EXPECT_EQ(values[1], -5.0f);
  EXPECT_EQ(values[16], 0.0f);
  EXPECT_EQ(values[32], 2.0f);
  EXPECT_EQ(values[255], 2 * 15 * 3.0f);
}

TEST(DequantizeTest, Q3K) {
  const std::vector<float> values = Block("Q3_K")
                                        .Half(108, kOne)
                                        .Byte(96, 0x21)       // low nibbles of scales 0 and 8
                                        .Byte(96 + 8, 0x32)   // upper bits: scale 0: 2, scale 8: 3
                                        .Byte(0, 0x11)        // third bits of values 0 and 128
                                        .Byte(32, 0x03)       // value 0: 3
                                        .Byte(32 + 32, 0x01)  // value 128: 1
                                        .Values();
  EXPECT_EQ(values[0], (1 + 32 - 32) * 3.0f);
  EXPECT_EQ(values[1], 1 * -4.0f);
  EXPECT_EQ(values[128], (2 + 48 - 32) * 1.0f);
  EXPECT_EQ(values[129], 18 * -4.0f);
  EXPECT_EQ(values[16], -32 * -4.0f);
}

// Bytes 4-15 of Q4_K and Q5_K: scale 0 is 3, minimum 0 is 2; scale 5 is 1 + 2 * 16, minimum 5 is
// 4 + 1 * 16.
Block SixBitPairs(const char* type) {
  Block block(type);
  block.Half(0, kOne).Half(2, kTwo).Byte(4, 3).Byte(8, 2);
  block.Byte(4 + 1, 2 << 6).Byte(4 + 5, 1 << 6).Byte(4 + 9, 0x41);
  return block;
}

TEST(DequantizeTest, Q4K) {
  const std::vector<float> values =
      SixBitPairs("Q4_K").Byte(16, 0xf7).Byte(16 + 2 * 32, 0xa0).Values();
  EXPECT_EQ(values[0], 3 * 7 - 2 * 2.0f);
  EXPECT_EQ(values[1], -4.0f);
  EXPECT_EQ(values[32], 0.0f);  // scale 1 is 0, and so is its minimum
  EXPECT_EQ(values[160], 33 * 10 - 2 * 20.0f);
  EXPECT_EQ(values[161], -40.0f);
}

TEST(DequantizeTest, Q5K) {
  const std::vector<float> values =
      SixBitPairs("Q5_K").Byte(16, 0x21).Byte(48, 0xf7).Byte(48 + 2 * 32, 0xa0).Values();
  EXPECT_EQ(values[0], 3 * 23 - 4.0f);
  EXPECT_EQ(values[1], -4.0f);
  EXPECT_EQ(values[160], 33 * 26 - 40.0f);
  EXPECT_EQ(values[161], -40.0f);
}

TEST(DequantizeTest, Q6K) {
  const std::vector<float> values = Block("Q6_K")
                                        .Half(208, kHalf)
                                        .Fill(192, 208, 2)
                                        .Byte(192 + 4, -3)     // values 64-79
                                        .Byte(0, 0x51)         // values 0 and 64
                                        .Byte(128, 0x21)       // upper bits: value 0: 1, 64: 2
                                        .Byte(64 + 63, 0xe0)   // value 255
                                        .Byte(128 + 63, 0xc0)  // its upper bits: 3
                                        .Values();
  EXPECT_EQ(values[0], 1.0f * (1 + 16 - 32));
  EXPECT_EQ(values[64], -1.5f * (5 + 32 - 32));
  EXPECT_EQ(values[1], -32.0f);
  EXPECT_EQ(values[255], 1.0f * (14 + 48 - 32));
}

TEST(DequantizeTest, Iq4) {
  const std::vector<float> nl = Block("IQ4_NL").Half(0, kTwo).Byte(2, 0xf0).Byte(3, 0x87).Values();
  EXPECT_EQ(nl[0], -254.0f);
  EXPECT_EQ(nl[16], 226.0f);
  EXPECT_EQ(nl[1], -20.0f);
  EXPECT_EQ(nl[17], 2.0f);
  const std::vector<float> xs = Block("IQ4_XS")
                                    .Half(0, kHalf)
                                    .Half(2, 0x0002)  // upper bits of scale 0: 2
                                    .Byte(4, 0x51)    // low nibbles of scales 0 and 1
                                    .Byte(8, 0xf0)
                                    .Byte(24 + 15, 0x80)
                                    .Values();
  EXPECT_EQ(xs[0], 0.5f * (1 + 32 - 32) * -127);
  EXPECT_EQ(xs[16], 0.5f * 113);
  EXPECT_EQ(xs[32], 0.5f * (5 - 32) * -127);
  EXPECT_EQ(xs[63], 0.5f * (5 - 32) * 1);
}

TEST(DequantizeTest, Fp4) {
  // Exponents of 127, 0 and 255; nibbles 7 (6.0), 9 (-0.5) and 1 (0.5).
  const std::vector<float> mx = Block("MXFP4").Byte(0, 127).Byte(1, 0x97).Values();
  EXPECT_EQ(mx[0], 6.0f);
  EXPECT_EQ(mx[16], -0.5f);
  EXPECT_EQ(mx[1], 0.0f);
  EXPECT_EQ(Block("MXFP4").Byte(0, 0).Byte(1, 1).Values()[0], 0x1p-128f);
  EXPECT_TRUE(std::isnan(Block("MXFP4").Byte(0, 255).Values()[0]));
  const std::vector<float> nv = Block("NVFP4")
                                    .Byte(0, 7 << 3)  // 1.0
                                    .Byte(1, 3)       // 3 * 2^-9
                                    .Byte(2, 0x7f)    // read as 0
                                    .Byte(4, 0x97)
                                    .Byte(12 + 7, 0x20)
                                    .Byte(20, 0x77)
                                    .Values();
  EXPECT_EQ(nv[0], 6.0f);
  EXPECT_EQ(nv[8], -0.5f);
  EXPECT_EQ(nv[31], 3 * 0x1p-9f);
  EXPECT_EQ(nv[32], 0.0f);
}

TEST(DequantizeTest, OneAndTwoBits) {
  const std::vector<float> q1 =
      Block("Q1_0").Half(0, kTwo).Byte(2, 0x02).Byte(2 + 15, 0x80).Values();
  EXPECT_EQ(q1[0], -2.0f);
  EXPECT_EQ(q1[1], 2.0f);
  EXPECT_EQ(q1[126], -2.0f);
  EXPECT_EQ(q1[127], 2.0f);
  const std::vector<float> q2 =
      Block("Q2_0").Half(0, kHalf).Byte(2, 0x08).Byte(2 + 15, 0xc0).Values();
  EXPECT_EQ(q2[0], -0.5f);
  EXPECT_EQ(q2[1], 0.5f);
  EXPECT_EQ(q2[63], 1.0f);
}

TEST(DequantizeTest, Ternary) {
  // Digits 2, 1, 0, 0, 2 of base 3: 191, as a fraction of 256 rounded up: 202.
  const std::vector<float> tq1 = Block("TQ1_0").Half(52, kTwo).Byte(1, 202).Byte(48, 202).Values();
  EXPECT_EQ(tq1[1], 2.0f);
  EXPECT_EQ(tq1[33], 0.0f);
  EXPECT_EQ(tq1[65], -2.0f);
  EXPECT_EQ(tq1[97], -2.0f);
  EXPECT_EQ(tq1[129], 2.0f);
  EXPECT_EQ(tq1[240], 2.0f);
  EXPECT_EQ(tq1[244], 0.0f);
  EXPECT_EQ(tq1[0], -2.0f);
  const std::vector<float> tq2 = Block("TQ2_0").Half(64, kHalf).Byte(0, 0x24).Values();
  EXPECT_EQ(tq2[0], -0.5f);
  EXPECT_EQ(tq2[32], 0.0f);
  EXPECT_EQ(tq2[64], 0.5f);
}

// What gguf-py makes of blocks of random bytes, in which every point of every grid occurs.
struct RandomBlocks {
  const char* type;
  size_t
      below_2;  // of this byte a bit is cleared, so that the scale stays small; none where larger
  uint64_t hash;
};
class DequantizeRandomBlocks : public testing::TestWithParam<RandomBlocks> {};

TEST_P(DequantizeRandomBlocks, HaveTheBitsOfGgufPy) {
  constexpr size_t kBlocks = 1024;
  const BlockType& type = Find(GetParam().type);
  std::vector<uint8_t> blocks(kBlocks * type.bytes);
  uint32_t random = 1;
  for (size_t i = 0; i < blocks.size(); ++i) {
    random = random * 1664525 + 1013904223;
    blocks[i] = static_cast<uint8_t>(random >> 24);
    if (i % type.bytes == GetParam().below_2) blocks[i] &= 0xbf;
  }
  std::vector<float> values(kBlocks * type.values);
  type.dequantize(blocks.data(), kBlocks, values.data());
  EXPECT_EQ(Hash(values), GetParam().hash);
}

INSTANTIATE_TEST_SUITE_P(Types, DequantizeRandomBlocks,
                         testing::Values(RandomBlocks{"IQ2_XXS", 1, 0x1e451c80046d44bb},
                                         RandomBlocks{"IQ2_XS", 1, 0xfbd088df77c0e68b},
                                         RandomBlocks{"IQ2_S", 1, 0x539dd4deb4b8d635},
                                         RandomBlocks{"IQ3_XXS", 1, 0xeb5f36258ed5db53},
                                         RandomBlocks{"IQ3_S", 1, 0xf5870b63d18e176b},
                                         RandomBlocks{"IQ1_S", 1, 0xbd311ca892ac8e1b},
                                         RandomBlocks{"IQ1_M", 55, 0x3bdcc23a7864b52e},
                                         RandomBlocks{"IQ4_NL", 1, 0x309d9e78e4dab716},
                                         RandomBlocks{"IQ4_XS", 1, 0xa878dc407e29abdf},
                                         RandomBlocks{"TQ1_0", 53, 0x154862ad640fe806},
                                         RandomBlocks{"TQ2_0", 65, 0xe52a4e2cbba0ada8},
                                         RandomBlocks{"MXFP4", 0, 0x9f28a52ac7fe53f3},
                                         RandomBlocks{"NVFP4", 36, 0x75f7e539fbe14e9a}),
                         [](const auto& param) { return std::string(param.param.type); });

TEST(DequantizeTest, RepacksQ40Exactly) {
  Block block("Q4_0");
  block.Half(0, kMinusTwo);
  for (int i = 0; i < 16; ++i) block.Byte(2 + i, i * 7 + 0x31);
  const std::vector<float> values = block.Values();
  std::array<uint8_t, 16> data;
  EXPECT_EQ(RepackQ40(block.data(), data.data()), kMinusTwo);
  for (size_t i = 0; i < 32; ++i) {
    const int nibble = data[i / 2] >> (i % 2 * 4) & 15;
    EXPECT_EQ(-2.0f * static_cast<float>(nibble - 8), values[i]) << i;
  }
}

}  // namespace
}  // namespace rondo::convert
