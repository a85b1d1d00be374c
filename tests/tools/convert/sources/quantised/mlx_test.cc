// MLX's modes of floats, and what its config says of single modules.
#include <cmath>

#include "tests/tools/convert/sources/quantised/quantised_folder.h"

namespace rondo::convert {
namespace {

using testing::HasSubstr;

class MlxTest : public QuantisedTest {
 protected:
  static std::string With(const std::string& quantization) {
    return R"({"quantization": {"group_size": 16, "bits": 2)" + quantization + "}}";
  }
  // Codes of all bits, scales of 1, biases of 0.
  void SaveAffine(uint64_t words, uint64_t groups) {
    Save({{"x.weight", Of("U32", {1, words}, std::vector<uint32_t>(words, 0xffffffff))},
          {"x.scales", Of("F32", {1, groups}, std::vector<float>(groups, 1))},
          {"x.biases", Of("F32", {1, groups}, std::vector<float>(groups))}});
  }
};

TEST_F(MlxTest, Mxfp8) {
  std::vector<uint8_t> codes, scales = {120, 125, 127, 130};
  for (int i = 0; i < 128; ++i) codes.push_back(static_cast<uint8_t>(i * 2));
  codes[127] = 0;  // no NaN
  Save({{"x.weight", Of("U32", {2, 16}, codes)}, {"x.scales", Of("U8", {2, 2}, scales)}});
  const std::vector<float> read = Read(
      R"({"quantization": {"group_size": 32, "bits": 8, "mode": "mxfp8"}})", "MLX, mxfp8", {2, 64});
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i], FromE4M3(codes[i]) * std::ldexp(1.0f, scales[i / 32] - 127));
  }
  EXPECT_THAT(Refusal(R"({"quantization": {"group_size": 32, "bits": 4, "mode": "mxfp8"}})"),
              HasSubstr("bits does not fit mode mxfp8"));
  EXPECT_THAT(Refusal(R"({"quantization": {"group_size": 32, "bits": 4, "mode": "affine"}})"),
              HasSubstr("mode is \"affine\", which does not fit tensor x.weight"));
}

// What is not said of a module is not that of all, but what MLX has where nothing is said.
TEST_F(MlxTest, ModulesDiffer) {
  SaveAffine(8, 1);
  EXPECT_EQ(Read(With(R"(, "x": {"group_size": 64})").c_str(), "MLX, 4 bits", {1, 64})[5], 15);
  SaveAffine(16, 1);
  EXPECT_EQ(Read(With(R"(, "x": {"bits": 8})").c_str(), "MLX, 8 bits", {1, 64})[5], 255);
  SaveAffine(8, 8);
  EXPECT_EQ(Read(With(R"(, "x": true)").c_str(), "MLX, 2 bits", {1, 128})[5], 3);
  EXPECT_THAT(Refusal(With(R"(, "x": false)").c_str()),
              HasSubstr("x is false, but the file has it quantised"));
  EXPECT_THAT(Refusal(R"({"quantization": {"group_size": 16}})"), HasSubstr("bits is missing"));
}

// Kernels of convolutions have their channels last, and norms beside linear attention their 1.
TEST_F(MlxTest, Layout) {
  const std::vector<float> kernel = {1, 2, 3, 4, 5, 6};
  const auto save = [&](const std::string& conv, const std::vector<uint64_t>& shape) {
    Save({{conv, Of("F32", shape, kernel)},
          {"a.input_layernorm.weight", Of<float>("F32", {2}, {1.5f, 0})},
          {"a.linear_attn.norm.weight", Of<float>("F32", {2}, {1.5f, 0})}});
    return Open("{}");
  };
  std::vector<float> norm(2);
  const std::string conv = "a.linear_attn.conv1d.weight";
  {
    const CheckpointFolder folder = save(conv, {2, 3, 1});
    EXPECT_EQ(folder.tensors().at(conv).shape, (std::vector<uint64_t>{2, 1, 3}));
    std::vector<float> read(6);
    folder.Read(conv, 0, read);
    EXPECT_EQ(read, kernel);
    folder.Read("a.input_layernorm.weight", 0, norm);
    EXPECT_EQ(norm, (std::vector<float>{0.5f, -1}));
    folder.Read("a.linear_attn.norm.weight", 0, norm);
    EXPECT_EQ(norm, (std::vector<float>{1.5f, 0}));
  }
  save(conv, {2, 1, 3}).Read("a.input_layernorm.weight", 0, norm);
  EXPECT_EQ(norm, (std::vector<float>{1.5f, 0}));
  save("a.conv1d.weight", {2, 3, 1}).Read("a.input_layernorm.weight", 0, norm);
  EXPECT_EQ(norm, (std::vector<float>{1.5f, 0}));
}

}  // namespace
}  // namespace rondo::convert
