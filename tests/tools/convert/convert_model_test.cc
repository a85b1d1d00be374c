// Conversion against the references: a plain forward pass over the converted file must give the
// logits that transformers gave.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>

#include "runtime/model/packed_layout.h"
#include "runtime/model/tensor_view.h"
#include "tests/runtime/model/model_bytes.h"
#include "tests/runtime/model/plain_forward.h"
#include "tests/support/places.h"
#include "tests/support/reference_data.h"
#include "tests/temp_folder.h"
#include "tools/convert/convert.h"
#include "tools/convert/sources/safetensors.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using format::TensorFormat;

const fs::path kReferences = fs::path(kSharedData) / "ref";
const fs::path kTiny = fs::path(kTestData) / "tiny";

ModelBytes ConvertFolder(const fs::path& directory, TensorFormat weights, uint32_t block = 32) {
  const TempFolder folder;
  ConvertOptions options;
  options.directory = directory;
  options.output = folder / "model.rondo";
  options.weights = weights;
  const bool is_float = weights == TensorFormat::F32;
  options.embedding = is_float ? TensorFormat::F32 : TensorFormat::Q8;
  options.block = block;
  Convert(options, [](uint64_t, uint64_t) {});
  return ModelBytes(options.output);
}

struct Prompt {
  std::vector<uint32_t> ids;
  std::vector<float> logits;  // [ids, vocab]
};

// Integers of the references are I32, which the converter does not read.
std::vector<uint32_t> ReadIds(const Safetensors& file, const std::string& name) {
  const Safetensors::Tensor& tensor = file.tensors().at(name);
  std::ifstream in(file.path(), std::ios::binary);
  in.seekg(static_cast<std::streamoff>(tensor.begin));
  std::vector<uint32_t> ids(tensor.bytes / sizeof(uint32_t));
  in.read(reinterpret_cast<char*>(ids.data()), static_cast<std::streamsize>(tensor.bytes));
  return ids;
}

Prompt ReadPrompt(const fs::path& path, const std::string& prefix) {
  const Safetensors file(path);
  Prompt prompt;
  prompt.ids = ReadIds(file, prefix + "ids");
  const std::string name = prefix + "logits";
  prompt.logits.resize(file.tensors().at(name).bytes / sizeof(float));
  file.Read(name, file.tensors().at(name), 0, prompt.logits);
  return prompt;
}

// How far the file's logits are from the prompt's.
struct Difference {
  double largest = 0;
  double relative = 0;  // root mean square of the difference / that of the logits
};

Difference Compare(const ModelBytes& bytes, const Prompt& prompt) {
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  EXPECT_TRUE(file.ok()) << file.status().message();
  const std::vector<double> logits = PlainForward(*file).Logits(prompt.ids);
  EXPECT_EQ(logits.size(), prompt.logits.size());
  Difference difference;
  double squares = 0, expected_squares = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    const double expected = prompt.logits[i], error = logits[i] - expected;
    difference.largest = std::max(difference.largest, std::fabs(error));
    squares += error * error;
    expected_squares += expected * expected;
  }
  difference.relative = std::sqrt(squares / expected_squares);
  return difference;
}

class Reference : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { RONDO_SKIP_WITHOUT(directory_); }
  const fs::path directory_ = kReferences / GetParam();
};

TEST_P(Reference, Float32GivesTheLogitsOfTransformers) {
  const ModelBytes bytes = ConvertFolder(directory_, TensorFormat::F32);
  for (const char* prefix : {"p24.", "p70."}) {
    const Prompt prompt = ReadPrompt(directory_ / "reference.safetensors", prefix);
    EXPECT_LT(Compare(bytes, prompt).largest, 1e-4);
  }
}

TEST_P(Reference, BothFormsOfConfigGiveTheSameBytes) {
  const TempFolder folder;
  const fs::path copy = folder / GetParam();  // the folder's name is the model's
  fs::create_directory(copy);
  for (const auto& entry : fs::directory_iterator(directory_)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("model") || name == "generation_config.json") {
      fs::create_symlink(entry.path(), copy / name);
    }
  }
  fs::copy_file(directory_ / "config.hub_v4.json", copy / "config.json");
  const ModelBytes ours = ConvertFolder(copy, TensorFormat::Q8);
  const ModelBytes theirs = ConvertFolder(directory_, TensorFormat::Q8);
  EXPECT_TRUE(std::ranges::equal(ours.bytes(), theirs.bytes()));
}

TEST_P(Reference, QuantisedWeightsStayNear) {
  const Prompt prompt = ReadPrompt(directory_ / "reference.safetensors", "p70.");
  const double q8 = Compare(ConvertFolder(directory_, TensorFormat::Q8), prompt).relative;
  const double q4b = Compare(ConvertFolder(directory_, TensorFormat::Q4B), prompt).relative;
  const double q4 = Compare(ConvertFolder(directory_, TensorFormat::Q4), prompt).relative;
  const double q3 = Compare(ConvertFolder(directory_, TensorFormat::Q3), prompt).relative;
  RecordProperty("q8", std::to_string(q8));
  RecordProperty("q3", std::to_string(q3));
  RecordProperty("q4", std::to_string(q4));
  RecordProperty("q4b", std::to_string(q4b));
  // Rounding noise is 0.7 % of a weight in q8 and 8 % in q4b, more than ten times; some fifteen
  // matrices in a row add theirs.
  EXPECT_LT(q8, 0.1);
  EXPECT_LT(q4b, 0.6);
  EXPECT_LT(q8, q4b / 5);
  EXPECT_LT(q4, q4b);
  EXPECT_LT(q8, q4 / 4);
  EXPECT_LT(q4, q3 / 1.5);
  EXPECT_LT(q3, 1);
}

INSTANTIATE_TEST_SUITE_P(Llama, Reference,
                         testing::Values("llama2", "llama2_f16", "llama3", "llama32_tied",
                                         "llama_yarn", "llama_k256"),
                         [](const auto& param) { return param.param; });

TEST(TinyModel, Float32GivesTheLogitsOfTransformers) {
  const ModelBytes bytes = ConvertFolder(kTiny, TensorFormat::F32);
  EXPECT_LT(Compare(bytes, ReadPrompt(kTiny / "reference.safetensors", "")).largest, 1e-4);
}

// The level of its block's table that is nearest to `value`.
double NearestOfCodes(const TensorView& view, size_t row, size_t col, double value) {
  const uint32_t bits = view.rule().bits;
  const uint8_t* selectors =
      &view.data[row * CodeRowBytes(view.padded_cols, bits) + RowCodes(view.padded_cols, bits)];
  const size_t block = col / kCodeBlock;
  const int selector = block % 2 == 0 ? selectors[block / 2] & 15 : selectors[block / 2] >> 4;
  double nearest = HUGE_VAL;
  for (const uint8_t level : view.tables.subspan(size_t{16} * selector, size_t{1} << bits)) {
    const double tried = double{view.row_scales()[row]} * static_cast<int8_t>(level);
    if (std::fabs(value - tried) < std::fabs(value - nearest)) nearest = tried;
  }
  return nearest;
}

// Every value of a quantised file is the nearest to the exact one that its scale has.
void ExpectNearest(const ModelBytes& exact_bytes, const ModelBytes& bytes) {
  const Result<ModelFile> exact = ModelFile::Open(exact_bytes.bytes());
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(exact.ok() && file.ok());
  for (uint32_t t = 0; t < file->model().tensors()->size(); ++t) {
    const TensorView view = ViewTensor(*file, t);
    const std::vector<double> expected = Dequantize(*exact, t), got = Dequantize(*file, t);
    for (size_t i = 0; i < got.size(); ++i) {
      const size_t row = i / view.cols, col = i % view.cols;
      double nearest = expected[i], step = 0;
      if (view.format == TensorFormat::Q8) step = double{view.row_scales()[row]};
      if (view.format == TensorFormat::Q4B) {
        const uint16_t scale = view.q4b_scales()[(row * view.padded_cols + col) / view.block];
        step = double{std::bit_cast<float>(uint32_t{scale} << 16)};
        nearest = std::clamp(expected[i] / step, -8.0, 7.0) * step;
      }
      if (view.rule().is_codes()) {
        nearest = NearestOfCodes(view, row, col, expected[i]);
        // Half way between two levels either may do.
        const double farther = std::fabs(expected[i] - got[i]) - std::fabs(expected[i] - nearest);
        if (farther <= 1e-4 * double{view.row_scales()[row]}) continue;
      }
      ASSERT_LE(std::fabs(got[i] - nearest), std::fabs(step) * 0.50001)
          << view.name << " " << row << " " << col;
    }
  }
}

TEST(TinyModel, EveryQuantisedWeightIsTheNearest) {
  const ModelBytes exact = ConvertFolder(kTiny, TensorFormat::F32);
  ExpectNearest(exact, ConvertFolder(kTiny, TensorFormat::F32));
  ExpectNearest(exact, ConvertFolder(kTiny, TensorFormat::Q8));
  ExpectNearest(exact, ConvertFolder(kTiny, TensorFormat::Q4));
  ExpectNearest(exact, ConvertFolder(kTiny, TensorFormat::Q3));
  ExpectNearest(exact, ConvertFolder(kTiny, TensorFormat::Q2));
  for (uint32_t block : {32u, 64u, 128u}) {
    ExpectNearest(exact, ConvertFolder(kTiny, TensorFormat::Q4B, block));
  }
}

TEST(TinyModel, ConvertsToTheSameBytesEveryTime) {
  for (const TensorFormat weights : {TensorFormat::Q4, TensorFormat::Q4B}) {
    const ModelBytes once = ConvertFolder(kTiny, weights);
    const ModelBytes again = ConvertFolder(kTiny, weights);
    EXPECT_TRUE(std::ranges::equal(once.bytes(), again.bytes()));
  }
}

}  // namespace
}  // namespace rondo::convert
