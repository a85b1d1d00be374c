// GGUF files of the reference data: their tensors against the checkpoints that they were made from,
// and the logits of what they are converted to.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/runtime/model/model_bytes.h"
#include "tests/runtime/model/plain_forward.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/gguf/reference_gguf.h"
#include "tools/convert/checkpoint_folder.h"
#include "tools/convert/convert.h"
#include "tools/convert/gguf/gguf_checkpoint.h"
#include "tools/convert/gguf/gguf_config.h"
#include "tools/convert/safetensors.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using format::TensorFormat;
using nlohmann::json;

const fs::path kData = RONDO_SHARED_DATA;
const fs::path kFiles = kData / "gguf";
const fs::path kReferences = kData / "ref";

fs::path FileOf(const std::string& type) { return kFiles / ("llama_k256-" + type + ".gguf"); }

bool IsHere(const fs::path& path) { return fs::exists(path); }

std::vector<float> ReadAll(const Checkpoint& checkpoint, const std::string& name) {
  uint64_t elements = 1;
  for (const uint64_t size : checkpoint.tensors().at(name).shape) elements *= size;
  std::vector<float> values(elements);
  checkpoint.Read(name, 0, values);
  return values;
}

// FNV-1a, 64 bits.
uint64_t Hash(const std::vector<float>& values) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const float value : values) {
    for (int i = 0; i < 4; ++i) {
      hash = (hash ^ (std::bit_cast<uint32_t>(value) >> (8 * i) & 0xff)) * 0x100000001b3;
    }
  }
  return hash;
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
  if (!IsHere(kFiles)) GTEST_SKIP() << kFiles << " is not on this machine";
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
  void SetUp() override {
    if (!IsHere(kFiles)) GTEST_SKIP() << kFiles << " is not on this machine";
  }
};

// A block that is read in the wrong order or scale would be off by 100 % and more.
TEST_P(GgufType, WeightsAreThoseOfTheCheckpoint) {
  const GgufFile file(FileOf(GetParam().type));
  const GgufKeys keys(file);
  const GgufCheckpoint gguf(keys);
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

std::vector<uint32_t> ReadIds(const fs::path& folder, const std::string& name) {
  const Safetensors file(folder / "reference.safetensors");
  const Safetensors::Tensor& tensor = file.tensors().at(name);
  std::ifstream in(file.path(), std::ios::binary);
  in.seekg(static_cast<std::streamoff>(tensor.begin));
  std::vector<uint32_t> ids(tensor.bytes / sizeof(uint32_t));
  in.read(reinterpret_cast<char*>(ids.data()), static_cast<std::streamsize>(tensor.bytes));
  return ids;
}

std::vector<float> ReadLogits(const fs::path& folder, const std::string& name) {
  const Safetensors file(folder / "reference.safetensors");
  const Safetensors::Tensor& tensor = file.tensors().at(name);
  std::vector<float> logits(tensor.bytes / sizeof(float));
  file.Read(name, tensor, 0, logits);
  return logits;
}

ModelBytes ConvertFile(const fs::path& path, TensorFormat weights, bool keep_q4 = false) {
  const TempFolder folder;
  ConvertOptions options;
  options.directory = path;
  options.output = folder / "model.rondo";
  options.weights = options.embedding = weights;
  options.keep_q4 = keep_q4;
  Convert(options, [](uint64_t, uint64_t) {});
  return ModelBytes(options.output);
}

struct Difference {
  double largest = 0;
  double divergence = 0;  // Kullback-Leibler, nats, mean over positions
};

std::vector<double> LogProbabilities(const double* logits, size_t vocab) {
  const double largest = *std::max_element(logits, logits + vocab);
  double sum = 0;
  for (size_t i = 0; i < vocab; ++i) sum += std::exp(logits[i] - largest);
  std::vector<double> result(vocab);
  for (size_t i = 0; i < vocab; ++i) result[i] = logits[i] - largest - std::log(sum);
  return result;
}

Difference Compare(const std::vector<double>& got, const std::vector<double>& expected,
                   size_t vocab) {
  Difference difference;
  EXPECT_EQ(got.size(), expected.size());
  const size_t positions = expected.size() / vocab;
  for (size_t p = 0; p < positions; ++p) {
    const auto q = LogProbabilities(got.data() + p * vocab, vocab);
    const auto e = LogProbabilities(expected.data() + p * vocab, vocab);
    for (size_t i = 0; i < vocab; ++i) {
      difference.divergence += std::exp(e[i]) * (e[i] - q[i]) / static_cast<double>(positions);
      difference.largest =
          std::max(difference.largest, std::fabs(got[p * vocab + i] - expected[p * vocab + i]));
    }
  }
  return difference;
}

Difference CompareLogits(const ModelBytes& bytes, const std::vector<uint32_t>& ids,
                         const std::vector<float>& expected) {
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  EXPECT_TRUE(file.ok()) << file.status().message();
  return Compare(PlainForward(*file).Logits(ids), {expected.begin(), expected.end()},
                 file->model().vocab_size());
}

// llama.cpp rounds activations as well, to float16, to bfloat16, or to int8 in blocks of 32 or 256:
// that is what is left between these logits. Where the rounding of weights is coarser than that,
// the logits must be clearly nearer to its own than those of the unrounded weights are.
TEST_P(GgufType, LogitsAreNearThoseOfLlamaCpp) {
  const auto [type, weights, divergence] = GetParam();
  const fs::path reference = kReferences / "llama_k256";
  const std::vector<uint32_t> ids = ReadIds(reference, "p70.ids");
  const std::vector<float> expected =
      ReadFloats(kFiles / ("llama_k256-" + std::string(type) + ".p70.logits.f32"));
  const Difference ours =
      CompareLogits(ConvertFile(FileOf(type), TensorFormat::F32), ids, expected);
  const Difference unrounded =
      CompareLogits(ConvertFile(reference, TensorFormat::F32), ids, expected);
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
TEST(GgufModelTest, KeepsQ4AsItIs) {
  if (!IsHere(kFiles)) GTEST_SKIP() << kFiles << " is not on this machine";
  const ModelBytes exact_bytes = ConvertFile(FileOf("Q4_0"), TensorFormat::F32);
  const ModelBytes kept_bytes = ConvertFile(FileOf("Q4_0"), TensorFormat::Q8, /*keep_q4=*/true);
  const Result<ModelFile> exact = ModelFile::Open(exact_bytes.bytes());
  const Result<ModelFile> kept = ModelFile::Open(kept_bytes.bytes());
  ASSERT_TRUE(exact.ok() && kept.ok());
  size_t n_kept = 0;
  for (uint32_t t = 0; t < kept->model().tensors()->size(); ++t) {
    const auto* tensor = kept->model().tensors()->Get(t);
    if (tensor->format() != TensorFormat::Q4) continue;
    ++n_kept;
    EXPECT_EQ(tensor->block(), 32u);
    const std::vector<double> expected = Dequantize(*exact, t), got = Dequantize(*kept, t);
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_LE(std::fabs(got[i] - expected[i]), std::fabs(expected[i]) / 256) << t << " " << i;
    }
  }
  EXPECT_EQ(n_kept, 9u);  // the embedding, and four of each of two layers
}

// ---- Architectures

struct ArchitectureCase {
  const char* name;
  // What the file does not say as the checkpoint's config.json does: a JSON merge patch from that
  // to what the file says. Empty: nothing.
  const char* patch;
};

class GgufArchitecture : public testing::TestWithParam<ArchitectureCase> {
 protected:
  void SetUp() override {
    if (!IsHere(kFiles)) GTEST_SKIP() << kFiles << " is not on this machine";
  }
  const std::string name_ = GetParam().name;
  const fs::path path_ = kFiles / "arch" / (name_ + "-f32.gguf");
  const fs::path reference_ = kReferences / name_;
};

// Equal, numbers to float32's precision, and of objects what both have.
void ExpectSame(const json& got, const json& expected, const std::string& key) {
  if (got.is_object() && expected.is_object()) {
    for (const auto& [name, value] : got.items()) {
      if (expected.contains(name)) ExpectSame(value, expected[name], key + "." + name);
    }
  } else if (got.is_number() && expected.is_number()) {
    EXPECT_NEAR(got.get<double>(), expected.get<double>(), std::fabs(expected.get<double>()) * 1e-6)
        << key;
  } else {
    EXPECT_EQ(got, expected) << key;
  }
}

TEST_P(GgufArchitecture, ConfigIsThatOfTheCheckpoint) {
  const GgufFile file(path_);
  const json config = ReadGgufConfig(GgufKeys(file));
  json expected = json::parse(std::ifstream(reference_ / "config.json"));
  expected.merge_patch(json::parse(GetParam().patch));
  expected["eos_token_id"] = json::array({expected["eos_token_id"]});
  if (name_ == "llama3") expected.erase("rope_parameters");  // here it is worked out
  if (expected.value("head_dim", json()).is_null()) expected.erase("head_dim");  // worked out
  ExpectSame(config, expected, "config");
}

TEST_P(GgufArchitecture, TensorsAreThoseOfTheCheckpoint) {
  const GgufFile file(path_);
  const GgufKeys keys(file);
  const GgufCheckpoint gguf(keys);
  const CheckpointFolder folder(reference_);
  EXPECT_EQ(gguf.tensors().size(), folder.tensors().size());
  const bool is_gemma = name_.starts_with("gemma");
  for (const auto& [name, entry] : folder.tensors()) {
    ASSERT_EQ(gguf.tensors().count(name), 1u) << name;
    gguf.Find(name, entry.shape);
    const std::vector<float> expected = ReadAll(folder, name), got = ReadAll(gguf, name);
    // 1 was added to the norms of Gemma in float32.
    const float tolerance = is_gemma && name.find("norm") != std::string::npos ? 1.2e-7f : 0.0f;
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_LE(std::fabs(got[i] - expected[i]), tolerance) << name << " " << i;
    }
  }
}

// Of the file converted to float32, against those of the checkpoint, over 70 tokens.
Difference AgainstReference(const fs::path& path, const std::string& reference) {
  const fs::path folder = kReferences / reference;
  const Difference difference =
      CompareLogits(ConvertFile(path, TensorFormat::F32), ReadIds(folder, "p70.ids"),
                    ReadLogits(folder, "p70.logits"));
  std::printf("%-14s largest %.2e  divergence %.2e\n", reference.c_str(), difference.largest,
              difference.divergence);
  return difference;
}

// Where the file says less than the checkpoint, against the checkpoint that says the same.
TEST_P(GgufArchitecture, LogitsAreThoseOfTheCheckpoint) {
  if (std::string(GetParam().patch) == "{}") {
    EXPECT_LT(AgainstReference(path_, name_).largest, 1e-4);
    return;
  }
  const TempFolder folder;
  json config = json::parse(std::ifstream(reference_ / "config.json"));
  config.merge_patch(json::parse(GetParam().patch));
  std::ofstream(folder / "config.json") << config;
  fs::create_symlink(reference_ / "model.safetensors", folder / "model.safetensors");
  const ModelBytes bytes = ConvertFile(folder.path(), TensorFormat::F32);
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const std::vector<uint32_t> ids = ReadIds(reference_, "p70.ids");
  const std::vector<double> expected = PlainForward(*file).Logits(ids);
  const Difference difference =
      CompareLogits(ConvertFile(path_, TensorFormat::F32), ids, {expected.begin(), expected.end()});
  std::printf("%-14s largest %.2e  divergence %.2e  (with %s)\n", name_.c_str(), difference.largest,
              difference.divergence, GetParam().patch);
  EXPECT_LT(difference.largest, 1e-4);
}

// llama.cpp's files have no window for Mistral, no query scale for Gemma 2, and for Gemma 3 only
// its own pattern of layers. Llama 3's scaling of positions is a tensor there.
INSTANTIATE_TEST_SUITE_P(
    All, GgufArchitecture,
    testing::Values(ArchitectureCase{"gemma2", R"({"query_pre_attn_scalar": 32})"},
                    ArchitectureCase{"gemma3",
                                     R"({"layer_types": ["sliding_attention", "sliding_attention",
                             "sliding_attention", "sliding_attention"]})"},
                    ArchitectureCase{"granite", "{}"}, ArchitectureCase{"lfm2", "{}"},
                    ArchitectureCase{"llama3", "{}"},
                    ArchitectureCase{"mistral", R"({"architectures": ["LlamaForCausalLM"],
                                        "model_type": "llama", "sliding_window": null})"},
                    ArchitectureCase{"olmo2", "{}"}, ArchitectureCase{"phi3", "{}"},
                    ArchitectureCase{"qwen2", "{}"}, ArchitectureCase{"qwen3", "{}"},
                    ArchitectureCase{"smollm3", "{}"}),
    [](const auto& param) { return std::string(param.param.name); });

struct WrittenCase {
  const char* reference;
  const char* architecture;
};

class GgufWritten : public testing::TestWithParam<WrittenCase> {};

TEST_P(GgufWritten, LogitsAreThoseOfTheReference) {
  const auto [reference, architecture] = GetParam();
  if (!IsHere(kReferences)) GTEST_SKIP() << kReferences << " is not on this machine";
  const TempFolder folder;
  WriteGgufOf(kReferences / reference, architecture, folder / "model.gguf");
  EXPECT_LT(AgainstReference(folder / "model.gguf", reference).largest, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    All, GgufWritten,
    testing::Values(WrittenCase{"mixtral", "llama"}, WrittenCase{"gemma", "gemma"},
                    WrittenCase{"gpt2", "gpt2"}, WrittenCase{"gpt_neox", "gptneox"},
                    WrittenCase{"olmoe", "olmoe"}, WrittenCase{"phi", "phi2"},
                    WrittenCase{"phi3_longrope", "phi3"}, WrittenCase{"qwen3_moe", "qwen3moe"},
                    WrittenCase{"stablelm", "stablelm"}, WrittenCase{"starcoder2", "starcoder2"}),
    [](const auto& param) { return std::string(param.param.reference); });

}  // namespace
}  // namespace rondo::convert
