// GGUF files of every tensor type: values against gguf-py's and against the checkpoint that they
// were made from, logits against llama.cpp's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "tests/runtime/model/model_bytes.h"
#include "tests/runtime/model/plain_forward.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/sources/gguf/logits_difference.h"
#include "tests/tools/convert/sources/gguf/value_hash.h"
#include "tools/convert/architectures/gguf_rules_of.h"
#include "tools/convert/convert.h"
#include "tools/convert/sources/checkpoint_folder.h"
#include "tools/convert/sources/gguf/gguf_checkpoint.h"

namespace rondo::convert::gguf_model_test {
namespace {

namespace fs = std::filesystem;
using format::TensorFormat;

const fs::path kFiles = SharedData("gguf");
const fs::path kReferences = SharedData("ref");

fs::path FileOf(const std::string& type) { return kFiles / ("llama_k256-" + type + ".gguf"); }

std::vector<float> ReadAll(const Checkpoint& checkpoint, const std::string& name) {
  std::vector<float> values(checkpoint.tensors().at(name).elements());
  checkpoint.Read(name, 0, values);
  return values;
}

// Of the values that gguf-py makes of these tensors (the *.dequant.npz beside the files).
struct Dequantized {
  const char* file;
  const char* tensor;
  const char* type;
  uint64_t hash;
};
constexpr Dequantized kDequantized[] = {
    {"Q2_K", "blk.0.attn_q.weight", "Q2_K", 0x2aa56c16221e3326},
    {"Q2_K", "blk.0.attn_v.weight", "Q3_K", 0x2ddef8719bb0e03a},
    {"Q2_K", "output.weight", "Q6_K", 0x7f4d1d76654d9a1e},
    {"Q3_K_M", "blk.0.attn_q.weight", "Q3_K", 0x2be03b01b3815799},
    {"Q3_K_M", "blk.0.ffn_down.weight", "Q4_K", 0x35735cffa2d93dec},
    {"Q3_K_M", "blk.0.attn_v.weight", "Q5_K", 0x54f4550709f63b76},
    {"Q4_K_M", "blk.0.attn_q.weight", "Q4_K", 0x6d6ef17d69eccca9},
    {"Q5_K_M", "blk.0.attn_q.weight", "Q5_K", 0xec491478aa0ce59d},
    {"Q6_K", "blk.0.attn_q.weight", "Q6_K", 0x57b09880939ed71a},
};

TEST(GgufModelTest, DequantizesToTheBitsOfGgufPy) {
  RONDO_SKIP_WITHOUT(kFiles);
  for (const Dequantized& expected : kDequantized) {
    const GgufFile file(FileOf(expected.file));
    const GgufFile::Tensor& tensor = file.tensors().at(expected.tensor);
    EXPECT_STREQ(tensor.type->name, expected.type);
    std::vector<float> values(tensor.elements());
    file.Read(expected.tensor, tensor, 0, values);
    EXPECT_EQ(Hash(values), expected.hash) << expected.file << " " << expected.tensor;
  }
}

// ---- Tensors under their Hugging Face names

// Root mean square of the difference / that of the checkpoint's values; all matrices together.
double RelativeError(const Checkpoint& gguf, const Checkpoint& folder) {
  double squares = 0, expected_squares = 0;
  for (const auto& [name, entry] : folder.tensors()) {
    if (entry.shape.size() < 2) continue;
    const std::vector<float> expected = ReadAll(folder, name), got = ReadAll(gguf, name);
    for (size_t i = 0; i < got.size(); ++i) {
      const double error = double{got[i]} - double{expected[i]};
      squares += error * error;
      expected_squares += double{expected[i]} * double{expected[i]};
    }
  }
  return std::sqrt(squares / expected_squares);
}

struct TypeCase {
  const char* type;
  double weights;     // bound of RelativeError(): the rounding of this type
  double divergence;  // bound of that of the logits from llama.cpp's: its rounding of activations
};

class GgufType : public testing::TestWithParam<TypeCase> {
 protected:
  void SetUp() override { RONDO_SKIP_WITHOUT(kFiles); }
};

// A block that is read in the wrong order or scale would be off by 100 % and more.
TEST_P(GgufType, WeightsAreThoseOfTheCheckpoint) {
  const GgufFile file(FileOf(GetParam().type));
  const GgufKeys keys(file);
  const GgufCheckpoint gguf(keys, GgufRulesOf(keys).names);
  const CheckpointFolder folder(kReferences / "llama_k256");
  ASSERT_EQ(gguf.tensors().size(), folder.tensors().size());
  for (const auto& [name, entry] : folder.tensors()) gguf.Find(name, entry.shape);
  const double error = RelativeError(gguf, folder);
  RecordProperty("relative_error", std::to_string(error));
  EXPECT_LE(error, GetParam().weights);
}

std::vector<float> ReadFloats(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::vector<float> values(bytes.size() / sizeof(float));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(values.data()));
  return values;
}

ModelBytes ConvertFile(const fs::path& path, TensorFormat weights, bool keep = false) {
  const TempFolder folder;
  ConvertOptions options;
  options.directory = path;
  options.output = folder / "model.rondo";
  options.weights = options.embedding = weights;
  options.keep_weights = options.keep_embedding = keep;
  Convert(options, [](uint64_t, uint64_t) {});
  return ModelBytes(options.output);
}

// llama.cpp rounds activations as well, to float16, to bfloat16, or to int8 in blocks of 32 or 256:
// that is what is left between these logits. Where the rounding of weights is coarser than that,
// the logits must be clearly nearer to its own than those of the unrounded weights are.
TEST_P(GgufType, LogitsAreNearThoseOfLlamaCpp) {
  const auto [type, weights, divergence] = GetParam();
  const fs::path reference = kReferences / "llama_k256";
  const std::vector<int32_t> ids = PromptOf(reference);
  const std::vector<float> expected =
      ReadFloats(kFiles / ("llama_k256-" + std::string(type) + ".p70.logits.f32"));
  const size_t vocab = expected.size() / ids.size();
  const LogitsDifference ours = Compare(FloatLogits(FileOf(type), ids), expected, vocab);
  const LogitsDifference unrounded = Compare(FloatLogits(reference, ids), expected, vocab);
  std::printf("%-7s largest %.2e  divergence %.2e  (unrounded weights: %.2e, %.2e)\n", type,
              ours.largest, ours.divergence, unrounded.largest, unrounded.divergence);
  EXPECT_LE(ours.divergence, divergence);
  if (weights > 0.05) {
    EXPECT_LE(ours.divergence, unrounded.divergence / 10);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Llama, GgufType,
    testing::Values(TypeCase{"F16", 0.0003, 1e-5}, TypeCase{"BF16", 0.002, 5e-4},
                    TypeCase{"Q8_0", 0.006, 5e-3}, TypeCase{"Q6_K", 0.02, 5e-3},
                    TypeCase{"Q5_K_M", 0.04, 5e-3}, TypeCase{"Q5_1", 0.04, 5e-3},
                    TypeCase{"Q5_0", 0.05, 5e-3}, TypeCase{"Q4_K_M", 0.08, 5e-3},
                    TypeCase{"Q4_1", 0.09, 5e-3}, TypeCase{"Q4_0", 0.1, 5e-3},
                    TypeCase{"Q3_K_M", 0.18, 5e-3}, TypeCase{"Q2_K", 0.35, 5e-3}),
    [](const auto& param) { return std::string(param.param.type); });

// What is kept has the nibbles of the source and its scales in bfloat16, 8 bits of precision.
TEST(GgufModelTest, KeepsQ4BAsItIs) {
  RONDO_SKIP_WITHOUT(kFiles);
  const ModelBytes exact_bytes = ConvertFile(FileOf("Q4_0"), TensorFormat::F32);
  const ModelBytes kept_bytes = ConvertFile(FileOf("Q4_0"), TensorFormat::Q8, /*keep=*/true);
  const Result<ModelFile> exact = ModelFile::Open(exact_bytes.bytes());
  const Result<ModelFile> kept = ModelFile::Open(kept_bytes.bytes());
  ASSERT_TRUE(exact.ok() && kept.ok());
  size_t n_kept = 0;
  for (uint32_t t = 0; t < kept->model().tensors()->size(); ++t) {
    const auto* tensor = kept->model().tensors()->Get(t);
    if (tensor->format() != TensorFormat::Q4B) continue;
    ++n_kept;
    EXPECT_EQ(tensor->block(), 32u);
    const std::vector<double> expected = Dequantize(*exact, t), got = Dequantize(*kept, t);
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_LE(std::fabs(got[i] - expected[i]), std::fabs(expected[i]) / 256) << t << " " << i;
    }
  }
  EXPECT_EQ(n_kept, 9u);  // the embedding, and four of each of two layers
}

}  // namespace
}  // namespace rondo::convert::gguf_model_test
