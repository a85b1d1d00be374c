// Which matrices a text shows to lose by rows in int8.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/places.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_tensors.h"
#include "tools/common/own_texts.h"
#include "tools/convert/calibrate/calibration.h"
#include "tools/convert/convert.h"
#include "tools/convert/output/fine_rows.h"

namespace rondo::convert::fine_rows_model_test {
namespace {

namespace fs = std::filesystem;
using format::TensorFormat;

// By their names, of the model in `folder`.
std::vector<std::string> FineRowsOf(const fs::path& folder, const fs::path& file) {
  ConvertOptions options;
  options.directory = folder;
  options.output = file;
  options.weights = options.embedding = TensorFormat::F32;
  std::vector<std::string> names;
  std::vector<uint32_t> finable;
  options.change = [&](DecoderSpec& spec) {
    for (const auto& [tensor, linear] : Finable(spec)) finable.push_back(tensor);
    for (const TensorRecipe& recipe : spec.tensors) names.push_back(recipe.name);
  };
  Convert(options, [](uint64_t, uint64_t) {});
  std::string text;
  for (const tools::OwnText& own : tools::OwnTexts()) text.append(own.text);
  std::vector<std::string> fine;
  for (const uint32_t tensor :
       Calibration(file, text, {TensorFormat::Q4, 0}).FindFineRows(finable)) {
    fine.push_back(names[tensor]);
  }
  return fine;
}

TEST(FineRows, AreThoseOfMatricesThatALoudChannelEnters) {
  const TempFolder folder;
  fs::copy(fs::path(kTestData) / "tiny", folder / "model", fs::copy_options::recursive);
  EXPECT_EQ(FineRowsOf(folder / "model", folder / "f32.rondo"), std::vector<std::string>());
  // A channel that is loud in each row, and read by nothing: the same model in float32.
  CheckpointTensors tensors = ReadTensors(folder / "model");
  const std::string layer = "model.layers.1.";
  tensors.at(layer + "input_layernorm.weight").values[3] *= 10'000;
  for (const char* name : {"q_proj", "k_proj", "v_proj"}) {
    TensorValues& matrix = tensors.at(layer + "self_attn." + name + ".weight");
    for (size_t i = 3; i < matrix.values.size(); i += matrix.shape[1]) matrix.values[i] = 0;
  }
  WriteTensors(folder / "model", tensors);
  EXPECT_EQ(FineRowsOf(folder / "model", folder / "f32.rondo"),
            std::vector<std::string>({"layers.1.attention.qkv"}));
}

}  // namespace
}  // namespace rondo::convert::fine_rows_model_test
