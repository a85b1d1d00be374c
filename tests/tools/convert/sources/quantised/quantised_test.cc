// Matrices as each method of quantisation lays them out, packed here bit by bit, and what is read
// of them: the number that the method's description gives, to the bit.
#include <cmath>
#include <cstring>

#include "tests/tools/convert/sources/quantised/quantised_folder.h"

namespace rondo::convert {
namespace {

using testing::HasSubstr;

std::string Compressed(uint32_t bits) {
  return R"({"quantization_config": {"quant_method": "compressed-tensors", "version": "0.18.0",
             "config_groups": {"group_0": {"weights": {"num_bits": )" +
         std::to_string(bits) + "}}}}}";
}

TEST_F(QuantisedTest, CompressedTensorsPacked) {
  for (const uint32_t bits : {1u, 2u, 3u, 4u, 5u, 8u}) {
    for (const bool symmetric : {true, false}) {
      SCOPED_TRACE(std::to_string(bits) + (symmetric ? " symmetric" : " with zeros"));
      const Matrix m = Random(6, 40, 5, bits);
      std::vector<uint32_t> packed, zeros((m.rows * bits + 31) / 32 * m.groups);
      for (uint64_t r = 0; r < m.rows; ++r) {
        const auto row = Words({&m.codes[r * m.cols], &m.codes[(r + 1) * m.cols - 1] + 1}, bits);
        packed.insert(packed.end(), row.begin(), row.end());
      }
      for (uint64_t g = 0; g < m.groups; ++g) {
        std::vector<uint32_t> column;
        for (uint64_t r = 0; r < m.rows; ++r) column.push_back(m.zeros[m.at(r, g)]);
        const auto words = Words(column, bits);
        for (size_t w = 0; w < words.size(); ++w) zeros[w * m.groups + g] = words[w];
      }
      std::map<std::string, Stored> tensors = {
          {"x.weight_packed", Of("I32", {m.rows, (m.cols * bits + 31) / 32}, packed)},
          {"x.weight_shape", Of<int64_t>("I64", {2}, {6, 40})},
          {"x.weight_scale", Of("F16", {m.rows, m.groups}, Halves(m.scales))}};
      if (!symmetric) {
        tensors["x.weight_zero_point"] = Of("I32", {zeros.size() / m.groups, m.groups}, zeros);
      }
      Save(tensors);
      const std::vector<float> read =
          Read(Compressed(bits).c_str(),
               ("compressed-tensors, " + std::to_string(bits) + " bits").c_str(), {6, 40});
      for (uint64_t r = 0; r < m.rows; ++r) {
        for (uint64_t c = 0; c < m.cols; ++c) {
          const size_t at = m.at(r, c / 8);
          const int zero = symmetric ? 1 << (bits - 1) : static_cast<int>(m.zeros[at]);
          EXPECT_EQ(read[r * m.cols + c],
                    static_cast<float>(static_cast<int>(m.code(r, c)) - zero) * m.scales[at]);
        }
      }
    }
  }
}

TEST_F(QuantisedTest, CompressedTensorsInAnyOrderOfGroups) {
  const Matrix m = Random(4, 16, 2, 4);
  std::vector<uint32_t> packed;
  for (uint64_t r = 0; r < m.rows; ++r) {
    const auto row = Words({&m.codes[r * m.cols], &m.codes[(r + 1) * m.cols - 1] + 1}, 4);
    packed.insert(packed.end(), row.begin(), row.end());
  }
  std::vector<int32_t> group_of(16);
  for (int i = 0; i < 16; ++i) group_of[static_cast<size_t>(i)] = i * 7 % 16 / 8;
  std::map<std::string, Stored> tensors = {{"x.weight_packed", Of("I32", {4, 2}, packed)},
                                           {"x.weight_shape", Of<int64_t>("I64", {2}, {4, 16})},
                                           {"x.weight_g_idx", Of("I32", {16}, group_of)},
                                           {"x.weight_scale", Of("F32", {4, 2}, m.scales)}};
  Save(tensors);
  const std::vector<float> read =
      Read(Compressed(4).c_str(), "compressed-tensors, 4 bits", {4, 16});
  for (uint64_t i = 0; i < 64; ++i) {
    const float scale = m.scales[m.at(i / 16, static_cast<uint64_t>(group_of[i % 16]))];
    EXPECT_EQ(read[i], (static_cast<float>(m.codes[i]) - 8) * scale);
  }
  group_of[3] = 2;
  tensors["x.weight_g_idx"] = Of("I32", {16}, group_of);
  Save(tensors);
  EXPECT_THAT(SentenceOf([&] {
                const std::string config = Compressed(4);
                const CheckpointFolder folder = Open(config.c_str());
                std::vector<float> out(1);
                folder.Read("x.weight", 0, out);
              }),
              HasSubstr("tensor x.weight_g_idx holds 2 at index 3, expected a group from 0 to 1"));
}

TEST_F(QuantisedTest, Gptq) {
  for (const uint32_t bits : {2u, 3u, 4u, 8u}) {
    for (const bool v2 : {false, true}) {
      SCOPED_TRACE(std::to_string(bits) + (v2 ? " v2" : ""));
      const Matrix m = Random(32, 64, 2, bits);
      // Words along the columns of each row, one behind the other by word and not by row.
      const uint64_t words_of_row = m.cols * bits / 32;
      std::vector<uint32_t> packed(words_of_row * m.rows), zeros;
      for (uint64_t r = 0; r < m.rows; ++r) {
        const auto row = Words({&m.codes[r * m.cols], &m.codes[(r + 1) * m.cols - 1] + 1}, bits);
        for (size_t w = 0; w < row.size(); ++w) packed[w * m.rows + r] = row[w];
      }
      std::vector<float> scales;
      for (uint64_t g = 0; g < m.groups; ++g) {
        std::vector<uint32_t> of_rows;
        for (uint64_t r = 0; r < m.rows; ++r) {
          of_rows.push_back(m.zeros[m.at(r, g)] - (v2 ? 0 : 1));
          scales.push_back(m.scales[m.at(r, g)]);
        }
        const auto words = Words(of_rows, bits);
        zeros.insert(zeros.end(), words.begin(), words.end());
      }
      std::vector<int32_t> group_of(64);
      for (int i = 0; i < 64; ++i) group_of[static_cast<size_t>(i)] = i % 2;
      Save({{"x.qweight", Of("I32", {words_of_row, m.rows}, packed)},
            {"x.qzeros", Of("I32", {m.groups, m.rows * bits / 32}, zeros)},
            {"x.scales", Of("F16", {m.groups, m.rows}, Halves(scales))},
            {"x.g_idx", Of("I32", {64}, group_of)}});
      const std::string config = R"({"quantization_config": {"quant_method": "gptq", "bits": )" +
                                 std::to_string(bits) + R"(, "checkpoint_format": ")" +
                                 (v2 ? "gptq_v2" : "gptq") + "\"}}";
      const std::vector<float> read = Read(
          config.c_str(), ("GPTQ, " + std::to_string(bits) + " bits").c_str(), {m.rows, m.cols});
      for (uint64_t r = 0; r < m.rows; ++r) {
        for (uint64_t c = 0; c < m.cols; ++c) {
          const size_t at = m.at(r, c % 2);
          EXPECT_EQ(
              read[r * m.cols + c],
              (static_cast<float>(m.code(r, c)) - static_cast<float>(m.zeros[at])) * m.scales[at]);
        }
      }
    }
  }
}

TEST_F(QuantisedTest, Awq) {
  constexpr uint64_t kOrder[] = {0, 2, 4, 6, 1, 3, 5, 7};  // the row of each nibble
  const Matrix m = Random(16, 24, 3, 4);
  std::vector<uint32_t> packed, zeros;
  std::vector<float> scales;
  for (uint64_t c = 0; c < m.cols; ++c) {
    for (uint64_t word = 0; word < 2; ++word) {
      uint32_t bits = 0;
      for (uint64_t n = 0; n < 8; ++n) bits |= m.code(word * 8 + kOrder[n], c) << 4 * n;
      packed.push_back(bits);
    }
  }
  for (uint64_t g = 0; g < m.groups; ++g) {
    for (uint64_t r = 0; r < m.rows; ++r) scales.push_back(m.scales[m.at(r, g)]);
    for (uint64_t word = 0; word < 2; ++word) {
      uint32_t bits = 0;
      for (uint64_t n = 0; n < 8; ++n) bits |= m.zeros[m.at(word * 8 + kOrder[n], g)] << 4 * n;
      zeros.push_back(bits);
    }
  }
  Save({{"x.qweight", Of("I32", {24, 2}, packed)},
        {"x.qzeros", Of("I32", {3, 2}, zeros)},
        {"x.scales", Of("F16", {3, 16}, Halves(scales))}});
  const std::vector<float> read =
      Read(R"({"quantization_config": {"quant_method": "awq", "bits": 4, "version": "gemm"}})",
           "AWQ, 4 bits", {16, 24});
  for (uint64_t i = 0; i < read.size(); ++i) {
    const size_t at = m.at(i / 24, i % 24 / 8);
    EXPECT_EQ(read[i],
              (static_cast<float>(m.codes[i]) - static_cast<float>(m.zeros[at])) * m.scales[at]);
  }
  EXPECT_THAT(
      Refusal(R"({"quantization_config": {"quant_method": "awq", "bits": 4, "version": "gemv"}})"),
      HasSubstr("quantization_config.version is \"gemv\", expected gemm"));
  EXPECT_THAT(Refusal(Compressed(4).c_str()),
              HasSubstr("tensor x.qweight is one of GPTQ or AWQ, but the config says "
                        "compressed-tensors"));
  // Two inputs of a channel are a byte where they are taken over as they are.
  Save({{"x.qweight", Of("I32", {3, 2}, std::vector<uint32_t>(6))},
        {"x.qzeros", Of("I32", {1, 2}, std::vector<uint32_t>(2))},
        {"x.scales", Of("F16", {1, 16}, Halves(std::vector<float>(16, 1)))}});
  EXPECT_THAT(Refusal(R"({"quantization_config": {"quant_method": "awq", "bits": 4}})"),
              HasSubstr("tensor x.qweight has 3 rows, expected an even number"));
}

TEST_F(QuantisedTest, Mlx) {
  for (const uint32_t bits : {2u, 3u, 4u, 5u, 6u, 8u}) {
    SCOPED_TRACE(bits);
    const Matrix m = Random(4, 64, 2, bits);
    std::vector<uint32_t> packed;
    for (uint64_t r = 0; r < m.rows; ++r) {
      const auto row = Words({&m.codes[r * m.cols], &m.codes[(r + 1) * m.cols - 1] + 1}, bits);
      packed.insert(packed.end(), row.begin(), row.end());
    }
    std::vector<float> biases;
    for (const uint32_t zero : m.zeros) biases.push_back(-static_cast<float>(zero) / 64);
    Save({{"x.weight", Of("U32", {4, 64 * bits / 32}, packed)},
          {"x.scales", Of("F16", {4, 2}, Halves(m.scales))},
          {"x.biases", Of("F32", {4, 2}, biases)}});
    // What the config says of one layer holds for that one.
    const std::string config = R"({"quantization": {"group_size": 16, "bits": 7, "x":
        {"group_size": 32, "bits": )" +
                               std::to_string(bits) + "}}}";
    const std::vector<float> read =
        Read(config.c_str(), ("MLX, " + std::to_string(bits) + " bits").c_str(), {4, 64});
    for (uint64_t i = 0; i < read.size(); ++i) {
      const size_t at = m.at(i / 64, i % 64 / 32);
      EXPECT_EQ(read[i], static_cast<float>(m.codes[i]) * m.scales[at] + biases[at]);
    }
  }
}

TEST_F(QuantisedTest, Nvfp4) {
  const Matrix m = Random(3, 32, 2, 4);
  std::vector<uint8_t> packed, scales;
  for (size_t i = 0; i < m.codes.size(); i += 2) {
    packed.push_back(static_cast<uint8_t>(m.codes[i] | m.codes[i + 1] << 4));
  }
  for (const uint32_t zero : m.zeros) scales.push_back(static_cast<uint8_t>(0x30 + zero));
  const auto expect = [&](const std::vector<float>& read, float factor, bool divides) {
    for (uint64_t i = 0; i < read.size(); ++i) {
      const float scale = FromE4M3(scales[m.at(i / 32, i % 32 / 16)]);
      EXPECT_EQ(read[i], kE2M1[m.codes[i]] * (divides ? scale / factor : scale * factor));
    }
  };
  Save({{"x.weight_packed", Of("U8", {3, 16}, packed)},
        {"x.weight_scale", Of("F8_E4M3", {3, 2}, scales)},
        {"x.weight_global_scale", Of<float>("F32", {1}, {300})}});
  expect(Read(Compressed(4).c_str(), "NVFP4", {3, 32}), 300, true);
  Save({{"x.weight", Of("U8", {3, 16}, packed)},
        {"x.weight_scale", Of("F8_E4M3", {3, 2}, scales)},
        {"x.input_scale", Of<float>("F32", {}, {0.5f})},  // of activations: no tensor of the model
        {"attention.k_scale", Of<float>("F32", {}, {0.5f})},
        {"x.weight_scale_2", Of<float>("F32", {}, {0.003f})}});
  const char* const modelopt = R"({"quantization_config": {"quant_method": "modelopt"}})";
  expect(Read(modelopt, "NVFP4", {3, 32}), 0.003f, false);
  Save({{"x.weight", Of("U8", {3, 16}, packed)},
        {"x.weight_scale", Of("F8_E4M3", {3, 2}, scales)},
        {"x.weight_scale_2", Of<float>("F32", {}, {0})}});
  EXPECT_THAT(Refusal(modelopt), HasSubstr("tensor x.weight_scale_2 holds 0, expected more"));
}

TEST_F(QuantisedTest, Mxfp4OfCompressedTensorsAndMlx) {
  const Matrix m = Random(3, 64, 2, 4);
  std::vector<uint8_t> packed, scales;
  for (size_t i = 0; i < m.codes.size(); i += 2) {
    packed.push_back(static_cast<uint8_t>(m.codes[i] | m.codes[i + 1] << 4));
  }
  for (const uint32_t zero : m.zeros) scales.push_back(static_cast<uint8_t>(110 + zero));
  const auto expect = [&](const std::vector<float>& read) {
    for (uint64_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i], std::ldexp(kE2M1[m.codes[i]], scales[m.at(i / 64, i % 64 / 32)] - 127));
    }
  };
  Save({{"x.weight_packed", Of("U8", {3, 32}, packed)},
        {"x.weight_scale", Of("U8", {3, 2}, scales)}});
  expect(Read(Compressed(4).c_str(), "MXFP4", {3, 64}));
  Save({{"x.weight", Of("U32", {3, 8}, packed)}, {"x.scales", Of("U8", {3, 2}, scales)}});
  expect(Read(R"({"quantization": {"group_size": 32, "bits": 4, "mode": "mxfp4"}})", "MLX, mxfp4",
              {3, 64}));
}

TEST_F(QuantisedTest, BytesWithScalesOfAnyShape) {
  std::mt19937 random(1);
  std::vector<uint8_t> codes(6 * 20);
  for (uint8_t& code : codes) code = static_cast<uint8_t>(random() % 0x7f);
  const struct {
    const char* config;
    const char* end;
    std::vector<uint64_t> shape;
    uint64_t row_block, col_block;
  } cases[] = {
      {R"({"quantization_config": {"quant_method": "fbgemm_fp8"}})",
       ".weight_scale",
       {6, 1},
       1,
       20},
      {R"({"quantization_config": {"quant_method": "fp8"}})", ".weight_scale", {}, 6, 20},
      {R"({"quantization_config": {"quant_method": "compressed-tensors"}})",
       ".weight_scale",
       {6},
       1,
       20},
      {R"({"quantization_config": {"quant_method": "compressed-tensors"}})",
       ".weight_scale",
       {6, 4},
       1,
       5},
      {R"({"quantization_config": {"quant_method": "fp8", "weight_block_size": [4, 8]}})",
       ".weight_scale_inv",
       {2, 3},
       4,
       8},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.config);
    std::vector<float> scales(24);
    for (size_t i = 0; i < scales.size(); ++i) scales[i] = 0.25f + static_cast<float>(i);
    uint64_t count = 1;
    for (const uint64_t size : c.shape) count *= size;
    scales.resize(count);
    for (const bool fp8 : {true, false}) {
      Save({{"x.weight", Of(fp8 ? "F8_E4M3" : "I8", {6, 20}, codes)},
            {std::string("x") + c.end, Of("F32", c.shape, scales)}});
      const std::vector<float> read = Read(c.config, fp8 ? "FP8" : "int8", {6, 20});
      for (uint64_t i = 0; i < read.size(); ++i) {
        const uint64_t in_row = (20 + c.col_block - 1) / c.col_block;
        const float scale = scales[i / 20 / c.row_block * in_row + i % 20 / c.col_block];
        const float code =
            fp8 ? FromE4M3(codes[i]) : static_cast<float>(static_cast<int8_t>(codes[i]));
        EXPECT_EQ(read[i], code * scale);
      }
    }
  }
  Save({{"x.weight", Of("I8", {6, 20}, codes)},
        {"x.weight_scale", Of<float>("F32", {5}, {1, 1, 1, 1, 1})}});
  EXPECT_THAT(
      Refusal(cases[0].config),
      HasSubstr("tensor x.weight_scale has shape [5], which does not fit x.weight's [6, 20]"));
  Save({{"x.weight", Of("F8_E4M3", {6, 20}, codes)}});
  EXPECT_THAT(Refusal(cases[0].config), HasSubstr("tensor x.weight is F8_E4M3 and has no scales"));
  Save({{"x.weight", Of("I8", {6, 20}, codes)},
        {"x.weight_scale", Of<float>("F32", {1}, {std::numeric_limits<float>::quiet_NaN()})}});
  EXPECT_THAT(SentenceOf([&] {
                std::vector<float> out(1);
                Open(cases[0].config).Read("x.weight", 0, out);
              }),
              HasSubstr("tensor x.weight_scale holds nan at index 0"));
}

TEST_F(QuantisedTest, BitsAndBytes) {
  const Matrix m = Random(5, 24, 1, 4);
  std::vector<uint8_t> packed, numbers, state;
  for (size_t i = 0; i < m.codes.size(); i += 2) {
    packed.push_back(static_cast<uint8_t>(m.codes[i] << 4 | m.codes[i + 1]));
  }
  std::vector<float> values, nested_values, nested = {0.5f, 0.75f};
  for (int i = 0; i < 16; ++i) values.push_back(static_cast<float>(i - 7) / 8);
  for (int i = 0; i < 256; ++i) nested_values.push_back(static_cast<float>(i) / 256);
  for (int i = 0; i < 15; ++i) numbers.push_back(static_cast<uint8_t>(i * 17));
  const std::string text = R"({"quant_type": "nf4", "blocksize": 8, "shape": [5, 24], "dtype":
      "bfloat16", "nested_blocksize": 8, "nested_offset": 0.125})";
  state.assign(text.begin(), text.end());
  Save({{"x.weight", Of("U8", {60, 1}, packed)},
        {"x.weight.absmax", Of("U8", {15}, numbers)},
        {"x.weight.quant_map", Of("F32", {16}, values)},
        {"x.weight.nested_quant_map", Of("F32", {256}, nested_values)},
        {"x.weight.nested_absmax", Of("F32", {2}, nested)},
        {"x.weight.quant_state.bitsandbytes__nf4", Of("U8", {state.size()}, state)}});
  const std::vector<float> read =
      Read(R"({"quantization_config": {"quant_method": "bitsandbytes"}})", "bitsandbytes, 4 bits",
           {5, 24});
  for (size_t i = 0; i < read.size(); ++i) {
    const float absmax = nested_values[numbers[i / 8]] * nested[i / 64] + 0.125f;
    EXPECT_EQ(read[i], values[m.codes[i]] * absmax);
  }
}

TEST_F(QuantisedTest, BitNet) {
  std::vector<uint8_t> packed(3 * 8);  // 12 rows
  std::vector<int> values(12 * 8);
  std::mt19937 random(5);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>(random() % 3) - 1;
    packed[i / 8 % 3 * 8 + i % 8] |= static_cast<uint8_t>((values[i] + 1) << i / 24 * 2);
  }
  const auto expect = [&](const char* config, float scale) {
    const std::vector<float> read = Read(config, "BitNet", {12, 8});
    for (size_t i = 0; i < read.size(); ++i)
      ASSERT_EQ(read[i], static_cast<float>(values[i]) * scale);
    const CheckpointFolder folder = Open(config);
    ASSERT_EQ(folder.IntegerBits("x.weight"), 2u);
    std::vector<int8_t> row(8);
    EXPECT_EQ(folder.ReadIntegers("x.weight", 7, row), scale);
    for (size_t i = 0; i < 8; ++i) EXPECT_EQ(row[i], values[7 * 8 + i]);
  };
  Save({{"x.weight", Of("U8", {3, 8}, packed)}, {"x.weight_scale", Of<float>("F32", {1}, {4})}});
  expect(R"({"quantization_config": {"quant_method": "bitnet"}})", 0.25f);
  const char* const multiplies =
      R"({"quantization_config": {"quant_method": "bitnet", "linear_class": "autobitlinear"}})";
  expect(multiplies, 4);
  Save({{"x.weight", Of("U8", {3, 8}, packed)},
        {"x.weight_scale", Of<float>("F32", {1}, {1e-39f})}});
  std::vector<float> all(96);
  EXPECT_THAT(
      SentenceOf([&] {
        Open(R"({"quantization_config": {"quant_method": "bitnet"}})").Read("x.weight", 0, all);
      }),
      HasSubstr("x.weight_scale holds 1e-39, which is too small"));
  packed[9] = 0xff;
  Save({{"x.weight", Of("U8", {3, 8}, packed)}, {"x.weight_scale", Of<float>("F32", {1}, {4})}});
  EXPECT_THAT(SentenceOf([&] { Open(multiplies).Read("x.weight", 0, all); }),
              HasSubstr("x.weight has the code 3 in row 1, column 1, expected 0, 1 or 2"));

  // Floats that are rounded as the model is read.
  const char* const online =
      R"({"quantization_config": {"quant_method": "bitnet", "quantization_mode": "online"}})";
  const std::vector<float> floats = {0.5f, -1.5f, 2, 0};  // a mean of 1
  Save({{"a.layers.0.x.weight", Of("F32", {2, 2}, floats)},
        {"b.weight", Of("F32", {2, 2}, floats)}});
  const CheckpointFolder folder = Open(online);
  std::vector<float> read(4);
  folder.Read("a.layers.0.x.weight", 0, read);
  EXPECT_EQ(read, (std::vector<float>{0, -1, 1, 0}));
  EXPECT_EQ(folder.IntegerBits("a.layers.0.x.weight"), 2u);
  folder.Read("b.weight", 0, read);
  EXPECT_EQ(read, floats);
}

// A module is named by a part of its name, as transformers has it.
TEST_F(QuantisedTest, BitNetsModulesThatKeepTheirFloats) {
  const std::vector<float> floats = {0.5f, -1.5f, 2, 0};
  Save({{"a.layers.0.mlp.x.weight", Of("F32", {2, 2}, floats)},
        {"a.layers.0.attn.x.weight", Of("F32", {2, 2}, floats)}});
  const CheckpointFolder folder = Open(R"({"quantization_config": {"quant_method": "bitnet",
      "quantization_mode": "online", "modules_to_not_convert": ["lm_head", "0.mlp"]}})");
  std::vector<float> read(4);
  folder.Read("a.layers.0.mlp.x.weight", 0, read);
  EXPECT_EQ(read, floats);
  EXPECT_EQ(folder.IntegerBits("a.layers.0.mlp.x.weight"), 0u);
  EXPECT_EQ(folder.IntegerBits("a.layers.0.attn.x.weight"), 2u);

  Save({{"a.mlp.x.weight", Of("U8", {1, 2}, std::vector<uint8_t>(2))},
        {"a.mlp.x.weight_scale", Of<float>("F32", {1}, {4})}});
  EXPECT_EQ(Open(R"({"quantization_config": {"quant_method": "bitnet",
                     "modules_to_not_convert": ["lm_head"]}})")
                .IntegerBits("a.mlp.x.weight"),
            2u);
  EXPECT_EQ(Open(R"({"quantization_config": {"quant_method": "bitnet",
                     "modules_to_not_convert": null}})")
                .IntegerBits("a.mlp.x.weight"),
            2u);
  EXPECT_THAT(Refusal(R"({"quantization_config": {"quant_method": "bitnet",
                          "modules_to_not_convert": ["mlp"]}})"),
              HasSubstr("modules_to_not_convert names a.mlp.x, whose weights are packed"));
}

// Integers with a scale for each row are given as they are.
TEST_F(QuantisedTest, IntegersWithAScaleForEachRow) {
  std::vector<int8_t> codes(6 * 20), row(20);
  for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<int8_t>(i * 37);
  const char* const config = R"({"quantization_config": {"quant_method": "compressed-tensors"}})";
  const auto expect = [&](const Stored& scales, const char* end, const std::vector<float>& values) {
    Save({{"x.weight", Of("I8", {6, 20}, codes)}, {std::string("x") + end, scales}});
    const CheckpointFolder folder = Open(config);
    ASSERT_EQ(folder.IntegerBits("x.weight"), 8u);
    std::vector<float> floats(20);
    for (uint64_t r : {0u, 5u, 2u}) {
      EXPECT_EQ(folder.ReadIntegers("x.weight", r, row), values[r]);
      EXPECT_TRUE(std::equal(row.begin(), row.end(), &codes[r * 20]));
      folder.Read("x.weight", r * 20, floats);
      for (size_t i = 0; i < 20; ++i) EXPECT_EQ(floats[i], static_cast<float>(row[i]) * values[r]);
    }
  };
  const std::vector<float> scales = {1, 2, 3, 4, 5, 6};
  expect(Of("F32", {6, 1}, scales), ".weight_scale", scales);
  expect(Of<float>("F32", {1}, {3}), ".weight_scale", std::vector<float>(6, 3));
  std::vector<float> of_127;
  for (const float scale : scales) of_127.push_back(scale / 127);
  expect(Of("F32", {6}, scales), ".SCB", of_127);
  Save({{"x.weight", Of("I8", {6, 20}, codes)},
        {"x.weight_scale", Of("F32", {6, 2}, std::vector<float>(12, 1))}});
  EXPECT_EQ(Open(config).IntegerBits("x.weight"), 0u);

  const Matrix m = Random(4, 16, 1, 4);
  std::vector<uint32_t> packed;
  for (uint64_t r = 0; r < m.rows; ++r) {
    const auto words = Words({&m.codes[r * m.cols], &m.codes[(r + 1) * m.cols - 1] + 1}, 4);
    packed.insert(packed.end(), words.begin(), words.end());
  }
  Save({{"x.weight_packed", Of("I32", {4, 2}, packed)},
        {"x.weight_shape", Of<int64_t>("I64", {2}, {4, 16})},
        {"x.weight_scale", Of("F32", {4, 1}, m.scales)}});
  const std::string of_4 = Compressed(4);
  const CheckpointFolder folder = Open(of_4.c_str());
  ASSERT_EQ(folder.IntegerBits("x.weight"), 4u);
  EXPECT_EQ(folder.BlockOfQ4B("x.weight"), 0u);
  row.resize(16);
  for (uint64_t r = 0; r < 4; ++r) {
    EXPECT_EQ(folder.ReadIntegers("x.weight", r, row), m.scales[r]);
    for (uint64_t c = 0; c < 16; ++c) EXPECT_EQ(row[c], static_cast<int>(m.code(r, c)) - 8);
  }
}

// Groups of 32, 64 or 128 columns with a scale each are given as our Q4B holds them.
TEST_F(QuantisedTest, SymmetricGroupsAsTheyAre) {
  const auto expect = [&](const char* config, const Matrix& m, uint32_t block) {
    const CheckpointFolder folder = Open(config);
    ASSERT_EQ(folder.BlockOfQ4B("x.weight"), block);
    if (block == 0) return;
    EXPECT_EQ(folder.IntegerBits("x.weight"), 0u);
    std::vector<uint8_t> nibbles(2 * m.cols / 2);
    std::vector<uint16_t> scales(2 * m.groups);
    folder.ReadQ4B("x.weight", 1, 2, nibbles.data(), scales.data());
    std::vector<float> floats(2 * m.cols);
    folder.Read("x.weight", m.cols, floats);
    for (size_t i = 0; i < 2 * m.cols; ++i) {
      const int code = nibbles[i / 2] >> i % 2 * 4 & 15;
      const float scale = FromBfloat16(scales[i / block]);
      ASSERT_NEAR(static_cast<float>(code - 8) * scale, floats[i], std::fabs(floats[i]) / 256);
      ASSERT_EQ(code - 8, std::lround(floats[i] / scale));
    }
  };
  for (const uint64_t groups : {1u, 2u, 4u, 8u}) {
    const uint32_t block = groups == 1 ? 0 : static_cast<uint32_t>(256 / groups);
    Matrix m = Random(16, 256, groups, 4);
    for (uint32_t& zero : m.zeros) zero = 8;
    std::vector<uint32_t> packed, columns, zeros, order;
    for (uint64_t r = 0; r < m.rows; ++r) {
      const auto row = Words({&m.codes[r * m.cols], &m.codes[(r + 1) * m.cols - 1] + 1}, 4);
      packed.insert(packed.end(), row.begin(), row.end());
    }
    Save({{"x.weight_packed", Of("I32", {m.rows, 32}, packed)},
          {"x.weight_shape", Of<int64_t>("I64", {2}, {16, 256})},
          {"x.weight_scale", Of("F32", {m.rows, groups}, m.scales)}});
    expect(Compressed(4).c_str(), m, block);

    std::vector<float> scales(m.scales.size());
    for (uint64_t g = 0; g < groups; ++g) {
      for (uint64_t r = 0; r < m.rows; ++r) scales[g * m.rows + r] = m.scales[m.at(r, g)];
    }
    for (uint64_t w = 0; w < 32; ++w) {
      for (uint64_t r = 0; r < m.rows; ++r) columns.push_back(packed[r * 32 + w]);
    }
    for (uint32_t c = 0; c < 256; ++c) order.push_back(c / (256 / static_cast<uint32_t>(groups)));
    const auto save = [&](uint32_t zero) {
      Save({{"x.qweight", Of("I32", {32, m.rows}, columns)},
            {"x.qzeros",
             Of("I32", {groups, m.rows / 8}, std::vector<uint32_t>(groups * m.rows / 8, zero))},
            {"x.scales", Of("F16", {groups, m.rows}, Halves(scales))},
            {"x.g_idx", Of("I32", {m.cols}, order)}});
    };
    const char* const config = R"({"quantization_config": {"quant_method": "gptq", "bits": 4}})";
    save(0x77777777);  // one less than they are
    expect(config, m, block);
    save(0x77777776);
    expect(config, m, 0);
    if (groups == 1) continue;
    std::swap(order.front(), order.back());
    save(0x77777777);
    expect(config, m, 0);
  }
}

TEST_F(QuantisedTest, RefusesScalesOfZero) {
  const auto save = [&](float scale) {
    Save({{"x.weight", Of("I8", {1, 2}, std::vector<int8_t>{1, 2})},
          {"x.weight_scale", Of<float>("F32", {1}, {scale})}});
    const CheckpointFolder folder =
        Open(R"({"quantization_config": {"quant_method": "compressed-tensors"}})");
    std::vector<float> values(2);
    return SentenceOf([&] { folder.Read("x.weight", 0, values); });
  };
  EXPECT_EQ(save(0.5f), "");
  EXPECT_THAT(save(0), HasSubstr("x.weight_scale has the scale 0 at index 0, expected another"));
  EXPECT_THAT(save(NAN), HasSubstr("x.weight_scale holds nan at index 0, expected finite"));
}

TEST_F(QuantisedTest, RefusesByName) {
  EXPECT_THAT(
      Refusal(R"({"quantization_config": {"quant_method": "hqq"}})"),
      HasSubstr("quantization_config.quant_method is \"hqq\"; read are awq, bitnet, bitsandbytes"));
  EXPECT_THAT(Refusal(R"({"quantization_config": {"bits": 4}})"),
              HasSubstr("quantization_config.quant_method is absent"));
  const std::vector<uint32_t> words(12);
  const auto save = [&](const std::vector<uint64_t>& packed, const std::vector<int64_t>& shape,
                        const std::vector<uint64_t>& scale) {
    uint64_t n_words = 1, n_scales = 1;
    for (const uint64_t size : packed) n_words *= size;
    for (const uint64_t size : scale) n_scales *= size;
    Save({{"x.weight_packed", Of("I32", packed, std::vector<uint32_t>(n_words))},
          {"x.weight_shape", Of("I64", {shape.size()}, shape)},
          {"x.weight_scale", Of("F32", scale, std::vector<float>(n_scales, 1))}});
    return Refusal(Compressed(4).c_str());
  };
  EXPECT_EQ(save({2, 2}, {2, 16}, {2, 2}), "");
  EXPECT_THAT(save({2, 3}, {2, 16}, {2, 2}),
              HasSubstr("has 3 words in a row of 16 columns, which is of none of the bits 4"));
  EXPECT_THAT(save({3, 2}, {2, 16}, {2, 2}),
              HasSubstr("x.weight_packed has shape [3, 2], expected [2, 2] by x.weight_shape"));
  EXPECT_THAT(save({2, 2}, {2, -16}, {2, 2}), HasSubstr("x.weight_shape holds [2, 184467"));
  EXPECT_THAT(save({2, 2}, {2, 16}, {2, 3}), HasSubstr("16 columns are no whole groups"));
  EXPECT_THAT(save({2, 2}, {2, 16}, {2, 0}), HasSubstr("x.weight_scale has no groups"));
  Save({{"x.weight_packed", Of("I32", {2, 2}, std::vector<uint32_t>(4))},
        {"x.weight_shape", Of<int64_t>("I64", {2}, {2, 16})},
        {"x.weight_scale", Of("F32", {2, 0}, std::vector<float>())},
        {"x.weight_zero_point", Of("I32", {1, 0}, std::vector<uint32_t>())},
        {"x.weight_g_idx", Of("I32", {16}, std::vector<uint32_t>(16))}});
  EXPECT_THAT(Refusal(Compressed(4).c_str()), HasSubstr("x.weight_scale has no groups"));
  EXPECT_THAT(save({2, 2}, {2}, {2, 2}), HasSubstr("expected rows and columns"));
  Save({{"x.weight_packed", Of("I32", {2, 2}, std::vector<uint32_t>(4))}});
  EXPECT_THAT(Refusal(Compressed(4).c_str()), HasSubstr("lacks tensor x.weight_shape"));
}

}  // namespace
}  // namespace rondo::convert
