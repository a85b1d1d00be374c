// compressed-tensors' files as its versions write them, and where they and the config disagree.
#include <cmath>

#include "tests/tools/convert/sources/quantised/quantised_folder.h"

namespace rondo::convert {
namespace {

using testing::HasSubstr;

class CompressedTensorsTest : public QuantisedTest {
 protected:
  static std::string Config(uint32_t bits, const std::string& more = "",
                            const char* version = "0.17.1") {
    return R"({"quantization_config": {"quant_method": "compressed-tensors", "version": ")" +
           std::string(version) + R"(", "config_groups": {"group_0": {"weights": {"num_bits": )" +
           std::to_string(bits) + more + "}}}}}";
  }
  // As many whole codes in a word as fit.
  static std::vector<uint32_t> InWords(const std::vector<uint32_t>& codes, uint32_t bits) {
    const size_t per_word = 32 / bits;
    std::vector<uint32_t> words((codes.size() + per_word - 1) / per_word);
    for (size_t i = 0; i < codes.size(); ++i) {
      words[i / per_word] |= codes[i] << i % per_word * bits;
    }
    return words;
  }
  static std::map<std::string, Stored> Packed(const Matrix& m, uint32_t bits) {
    std::vector<uint32_t> packed;
    for (uint64_t r = 0; r < m.rows; ++r) {
      const auto row = InWords({&m.codes[r * m.cols], &m.codes[(r + 1) * m.cols - 1] + 1}, bits);
      packed.insert(packed.end(), row.begin(), row.end());
    }
    const auto rows = static_cast<int64_t>(m.rows), cols = static_cast<int64_t>(m.cols);
    return {{"x.weight_packed", Of("I32", {m.rows, packed.size() / m.rows}, packed)},
            {"x.weight_shape", Of<int64_t>("I64", {2}, {rows, cols})},
            {"x.weight_scale", Of("F32", {m.rows, m.groups}, m.scales)}};
  }
  void Expect(const Matrix& m, const std::string& config, uint32_t bits,
              const std::vector<float>& zeros) {
    const std::string type = "compressed-tensors, " + std::to_string(bits) + " bits";
    const std::vector<float> read = Read(config.c_str(), type.c_str(), {m.rows, m.cols});
    for (uint64_t i = 0; i < read.size(); ++i) {
      const size_t at = m.at(i / m.cols, i % m.cols / (m.cols / m.groups));
      EXPECT_EQ(read[i], (static_cast<float>(m.codes[i]) - zeros[at]) * m.scales[at]);
    }
  }
  static std::vector<float> Middles(const Matrix& m, uint32_t bits) {
    return std::vector<float>(m.rows * m.groups, static_cast<float>(1u << (bits - 1)));
  }
};

// Up to version 0.17.1 no code lies across two words. 40 columns of 3 bits are four words either
// way: the version tells.
TEST_F(CompressedTensorsTest, WordsOfWholeCodes) {
  for (const uint32_t bits : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    for (const uint64_t cols : {40u, 64u}) {
      SCOPED_TRACE(bits);
      const Matrix m = Random(14, cols, 4, bits);
      std::map<std::string, Stored> tensors = Packed(m, bits);
      Save(tensors);
      Expect(m, Config(bits), bits, Middles(m, bits));
      const CheckpointFolder folder = Open(Config(bits).c_str());
      EXPECT_EQ(folder.IntegerBits("x.weight"), 0u);

      std::vector<uint32_t> words;
      const size_t n_words = InWords(std::vector<uint32_t>(m.rows), bits).size();
      words.resize(n_words * m.groups);
      for (uint64_t g = 0; g < m.groups; ++g) {
        std::vector<uint32_t> column;
        for (uint64_t r = 0; r < m.rows; ++r) column.push_back(m.zeros[m.at(r, g)]);
        const std::vector<uint32_t> packed = InWords(column, bits);
        for (size_t w = 0; w < n_words; ++w) words[w * m.groups + g] = packed[w];
      }
      tensors["x.weight_zero_point"] = Of("I32", {n_words, m.groups}, words);
      Save(tensors);
      Expect(m, Config(bits, R"(, "symmetric": false)"), bits,
             std::vector<float>(m.zeros.begin(), m.zeros.end()));
    }
  }
  const Matrix m = Random(2, 40, 1, 3);
  Save(Packed(m, 3));
  std::vector<float> older(40), newer(40);
  Open(Config(3).c_str()).Read("x.weight", 0, older);
  Open(Config(3, "", "0.18.0").c_str()).Read("x.weight", 0, newer);
  EXPECT_NE(older, newer);
}

TEST_F(CompressedTensorsTest, ScalesOfAnyStrategy) {
  Matrix m = Random(4, 32, 1, 4);
  std::map<std::string, Stored> tensors = Packed(m, 4);
  tensors["x.weight_scale"] = Of("F32", {4}, m.scales);
  Save(tensors);
  Expect(m, Config(4, R"(, "strategy": "channel")"), 4, Middles(m, 4));
  EXPECT_EQ(Open(Config(4).c_str()).IntegerBits("x.weight"), 4u);
  std::fill(m.scales.begin(), m.scales.end(), 0.5f);
  tensors["x.weight_scale"] = Of<float>("F32", {1}, {0.5f});
  tensors["x.weight_zero_point"] = Of<int8_t>("I8", {1}, {-3});
  Save(tensors);
  Expect(m, Config(4, R"(, "strategy": "tensor", "symmetric": false)"), 4,
         std::vector<float>(4, 5));
}

TEST_F(CompressedTensorsTest, GroupsThatNothingNames) {
  const Matrix m = Random(4, 32, 2, 4);
  std::map<std::string, Stored> tensors = Packed(m, 4);
  Save(tensors);
  const std::string ordered = Config(4, R"(, "group_size": 16, "actorder": "group")");
  EXPECT_THAT(Refusal(ordered.c_str()), HasSubstr("lacks tensor x.weight_g_idx"));
  tensors["x.weight_g_idx"] = Of("I32", {32}, std::vector<int32_t>(32, -1));
  Save(tensors);
  Expect(m, ordered, 4, Middles(m, 4));
  EXPECT_THAT(Refusal(Config(4, R"(, "group_size": 8)").c_str()),
              HasSubstr("has 2 groups of 32 columns, but the config's group_size is 8"));
}

TEST_F(CompressedTensorsTest, ZeroPointsAsTheConfigSays) {
  const Matrix m = Random(8, 32, 1, 4);
  std::map<std::string, Stored> tensors = Packed(m, 4);
  Save(tensors);
  EXPECT_THAT(Refusal(Config(4, R"(, "symmetric": false)").c_str()),
              HasSubstr("lacks tensor x.weight_zero_point"));
  tensors["x.weight_zero_point"] = Of<uint32_t>("I32", {1, 1}, {0x88888888});
  Save(tensors);
  Expect(m, Config(4, R"(, "symmetric": true)"), 4, Middles(m, 4));
  tensors["x.weight_zero_point"] = Of<uint32_t>("I32", {1, 1}, {0x88888887});
  Save(tensors);
  EXPECT_THAT(Refusal(Config(4, R"(, "symmetric": true)").c_str()),
              HasSubstr("x.weight_zero_point has zero points other than 0"));
}

// Weights that were turned want activations that are.
TEST_F(CompressedTensorsTest, Transforms) {
  Save(Packed(Random(2, 32, 1, 4), 4));
  const auto refusal = [&](const char* location) {
    std::string config = Config(4);
    config.insert(config.size() - 2, R"(, "transform_config": {"config_groups": {"r": {"type":
        "hadamard", "apply": [{"targets": ["Linear"], "location": ")" +
                                         std::string(location) + "\"}]}}}");
    return Refusal(config.c_str());
  };
  EXPECT_EQ(refusal("weight_input"), "");
  EXPECT_EQ(refusal("k_cache"), "");
  EXPECT_THAT(refusal("input"), HasSubstr("transform_config.config_groups.r turns activations"));
}

// 7 and 8 bits are four in a word both.
TEST_F(CompressedTensorsTest, BitsThatTheShapeLeavesOpen) {
  Save(Packed(Random(2, 32, 1, 8), 8));
  EXPECT_THAT(Refusal(R"({"quantization_config": {"quant_method": "compressed-tensors",
      "config_groups": {"a": {"weights": {"num_bits": 7}}, "b": {"weights": {"num_bits": 8}}}}})"),
              HasSubstr("has 8 words in a row of 32 columns, which is of 7 and of 8 bits"));
}

TEST_F(CompressedTensorsTest, BytesWithZeroPoints) {
  std::vector<int8_t> codes(6 * 32), zeros;
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<int8_t>(i * 37);
  for (int i = 0; i < 12; ++i) zeros.push_back(static_cast<int8_t>(i * 7 - 30));
  std::vector<float> scales(12, 0.5f);
  std::map<std::string, Stored> tensors = {{"x.weight", Of("I8", {6, 32}, codes)},
                                           {"x.weight_scale", Of("F32", {6, 2}, scales)},
                                           {"x.weight_zero_point", Of("I8", {6, 2}, zeros)}};
  const auto expect = [&](const auto& group_of) {
    Save(tensors);
    const std::string config = Config(8, R"(, "symmetric": false)");
    const std::vector<float> read = Read(config.c_str(), "int8", {6, 32});
    for (size_t i = 0; i < read.size(); ++i) {
      const float zero = zeros[i / 32 * 2 + static_cast<size_t>(group_of(i % 32))];
      EXPECT_EQ(read[i], (static_cast<float>(codes[i]) - zero) * 0.5f);
    }
    EXPECT_EQ(Open(config.c_str()).IntegerBits("x.weight"), 0u);
  };
  expect([](size_t col) { return col / 16; });
  std::vector<int32_t> groups(32);
  for (size_t i = 0; i < 32; ++i) groups[i] = static_cast<int32_t>(i % 2);
  tensors["x.weight_g_idx"] = Of("I32", {32}, groups);
  expect([](size_t col) { return col % 2; });
  EXPECT_THAT(Refusal(Config(8, R"(, "symmetric": true)").c_str()),
              HasSubstr("zero points other than 0, but the config says that symmetric is true"));
  tensors["x.weight_scale"] = Of("F32", {6, 1}, std::vector<float>(6, 1));
  tensors["x.weight_zero_point"] = Of("I8", {6, 1}, std::vector<int8_t>(6));
  tensors.erase("x.weight_g_idx");
  Save(tensors);
  EXPECT_EQ(Open(Config(8).c_str()).IntegerBits("x.weight"), 8u);  // all are 0
  tensors.erase("x.weight_zero_point");
  Save(tensors);
  EXPECT_THAT(Refusal(Config(8, R"(, "symmetric": false)").c_str()),
              HasSubstr("lacks tensor x.weight_zero_point"));
}

// Scales that are powers of two, of bytes and of FP4.
TEST_F(CompressedTensorsTest, Exponents) {
  std::vector<uint8_t> codes(3 * 64), nibbles(3 * 32), scales;
  std::mt19937 random(1);
  for (uint8_t& code : codes) code = static_cast<uint8_t>(random() % 0x7f);
  for (uint8_t& pair : nibbles) pair = static_cast<uint8_t>(random());
  for (int i = 0; i < 6; ++i) scales.push_back(static_cast<uint8_t>(120 + i));
  for (const char* const type : {"U8", "F8_E8M0"}) {
    Save({{"x.weight", Of("F8_E4M3", {3, 64}, codes)},
          {"x.weight_scale", Of(type, {3, 2}, scales)}});
    const std::vector<float> fp8 = Read(Config(8).c_str(), "FP8", {3, 64});
    for (size_t i = 0; i < fp8.size(); ++i) {
      EXPECT_EQ(fp8[i], FromE4M3(codes[i]) * std::ldexp(1.0f, scales[i / 32] - 127));
    }
    Save({{"x.weight_packed", Of("U8", {3, 32}, nibbles)},
          {"x.weight_scale", Of(type, {3, 2}, scales)}});
    const std::vector<float> fp4 = Read(Config(4).c_str(), "MXFP4", {3, 64});
    for (size_t i = 0; i < fp4.size(); ++i) {
      EXPECT_EQ(fp4[i],
                kE2M1[nibbles[i / 2] >> i % 2 * 4 & 15] * std::ldexp(1.0f, scales[i / 32] - 127));
    }
  }
  // Of blocks, as DeepSeek has them.
  Save({{"x.weight", Of("F8_E4M3", {3, 64}, codes)},
        {"x.weight_scale_inv", Of<uint8_t>("F8_E8M0", {2, 2}, {126, 127, 128, 129})}});
  const char* const blocks =
      R"({"quantization_config": {"quant_method": "fp8", "weight_block_size": [2, 32]}})";
  EXPECT_EQ(Read(blocks, "FP8", {3, 64})[2 * 64 + 63], FromE4M3(codes[2 * 64 + 63]) * 4);
  Save({{"x.weight", Of("F8_E4M3", {3, 64}, codes)},
        {"x.weight_scale_inv", Of<float>("F32", {3, 2}, {1, 2, 3, 4, 5, 6})}});
  EXPECT_THAT(Refusal(blocks),
              HasSubstr("x.weight_scale_inv has shape [3, 2], which does not fit"));
  Save({{"x.weight", Of("I8", {3, 64}, codes)}, {"x.weight_scale", Of("U8", {3, 2}, scales)}});
  EXPECT_THAT(Refusal(Config(8).c_str()),
              HasSubstr("x.weight_scale is U8, as MXFP8 has it, but not of groups of 32"));
  scales[3] = 255;
  Save({{"x.weight", Of("F8_E4M3", {3, 64}, codes)}, {"x.weight_scale", Of("U8", {3, 2}, scales)}});
  std::vector<float> row(64);
  EXPECT_THAT(SentenceOf([&] { Open(Config(8).c_str()).Read("x.weight", 0, row); }),
              HasSubstr("x.weight_scale holds nan at index 3"));
}

// bitsandbytes saves the order of bytes beside its scales.
TEST_F(CompressedTensorsTest, WeightFormatOfBitsAndBytes) {
  const std::vector<int8_t> codes = {1, -2, 3, -4};
  const char* const config = R"({"quantization_config": {"quant_method": "bitsandbytes"}})";
  const auto save = [&](uint8_t format) {
    Save({{"x.weight", Of("I8", {2, 2}, codes)},
          {"x.weight_format", Of<uint8_t>("U8", {}, {format})},
          {"x.SCB", Of<float>("F32", {2}, {127, 254})}});
  };
  save(0);
  EXPECT_EQ(Read(config, "int8", {2, 2}), (std::vector<float>{1, -2, 6, -8}));
  save(2);
  EXPECT_THAT(Refusal(config), HasSubstr("tensor x.weight_format is not one 0"));
}

}  // namespace
}  // namespace rondo::convert
