// What README and --help say of `rondo convert`, each with the command that a user would type; what
// comes out is run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/environment.h"
#include "tests/support/places.h"
#include "tests/tools/convert/checkpoint_tensors.h"
#include "tests/tools/run_tool.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ConvertClaims : public testing::Test {
 protected:
  ConvertClaims() {
    fs::copy(fs::path(kTestData) / "tiny", folder_, fs::copy_options::recursive);
    std::string text;
    for (int i = 0; i < 200; ++i) text += "Once upon a time there was a little girl. ";
    tool_.Write("book.txt", text);
  }
  void ExpectMade(const std::string& arguments) {
    const ToolResult made = tool_("convert " + arguments + " -o " + out_);
    EXPECT_EQ(made.code, 0) << arguments << ": " << made.err;
    const ToolResult run = tool_("run " + out_ + " 'Once upon' --max-tokens 4");
    EXPECT_EQ(run.code, 0) << arguments << ": " << run.err;
    EXPECT_NE(run.out, "") << arguments;
    EXPECT_EQ(tool_("inspect " + out_ + " --check").code, 0) << arguments;
  }

  // Integers in a checkpoint of floats: the same 32 bits.
  static TensorValues Words(std::vector<uint64_t> shape, const std::vector<uint32_t>& words) {
    TensorValues tensor = {std::move(shape), {}, "I32"};
    for (const uint32_t word : words) tensor.values.push_back(std::bit_cast<float>(word));
    return tensor;
  }

  ToolRunner tool_;
  const std::string folder_ = tool_.Path("model"), out_ = tool_.Path("out.rondo");
};

TEST_F(ConvertClaims, EveryFormat) {
  for (const char* weights : {"f32", "q8", "q4", "q3", "q4b", "q4b --block 64"}) {
    ExpectMade(folder_ + " --weights " + weights);  // over the one before
  }
  for (const char* embedding : {"f32", "q8", "q4", "q3", "q4b"}) {
    ExpectMade(folder_ + " --embedding " + embedding);
  }
}

// A quantised checkpoint makes the file that its numbers make: compressed-tensors, 4 bits, groups
// of 32, symmetric.
TEST_F(ConvertClaims, AQuantisedCheckpoint) {
  CheckpointTensors floats = ReadTensors(folder_), packed;
  for (auto& [name, tensor] : floats) {
    packed[name] = tensor;
    if (!name.ends_with("_proj.weight")) continue;
    const uint64_t rows = tensor.shape[0], cols = tensor.shape[1];
    const std::string module = name.substr(0, name.size() - std::string("weight").size());
    packed.erase(name);
    TensorValues& scales = packed[module + "weight_scale"] = {{rows, cols / 32}, {}};
    std::vector<uint32_t> words;
    for (size_t i = 0; i < tensor.values.size(); i += 32) {
      float most = 0;
      for (size_t k = i; k < i + 32; ++k) most = std::max(most, std::fabs(tensor.values[k]));
      const float scale = most > 0 ? most / 7 : 1;
      scales.values.push_back(scale);
      for (size_t k = i; k < i + 32; ++k) {
        if (k % 8 == 0) words.push_back(0);
        const float code = std::clamp(std::round(tensor.values[k] / scale), -8.0f, 7.0f);
        words.back() |= static_cast<uint32_t>(static_cast<int>(code) + 8) << 4 * (k % 8);
        tensor.values[k] = code * scale;
      }
    }
    packed[module + "weight_packed"] = Words({rows, cols / 8}, words);
    packed[module + "weight_shape"] =
        Words({2}, {static_cast<uint32_t>(rows), static_cast<uint32_t>(cols)});
  }
  const auto convert = [&](const CheckpointTensors& tensors) {
    WriteTensors(folder_, tensors);
    ExpectMade(folder_ + " --weights q8");
    return tool_.Read("out.rondo");
  };
  const std::string expected = convert(floats);
  nlohmann::json config = nlohmann::json::parse(tool_.Read("model/config.json"));
  config["quantization_config"] = {
      {"quant_method", "compressed-tensors"},
      {"config_groups", {{"group_0", {{"weights", {{"num_bits", 4}}}}}}}};
  tool_.Write("model/config.json", config.dump());
  EXPECT_TRUE(convert(packed) == expected);
  EXPECT_THAT(tool_("convert " + folder_ + " -o " + out_).out,
              HasSubstr("tensors of compressed-tensors, 4 bits (28) were dequantised and quantised "
                        "anew, as q8"));
}

TEST_F(ConvertClaims, WeightsChosenByAText) {
  const std::string by_text = " --calibrate " + tool_.Path("book.txt");
  for (const char* weights : {"q4", "q3", "q4b", "auto", "auto --bits 5"}) {
    ExpectMade(folder_ + " --weights " + weights + by_text);
  }
}

TEST_F(ConvertClaims, AModelOfAHubThatIsInTheLocalCache) {
  const fs::path model = tool_.Path("hub/models--me--it");
  fs::create_directories(model / "snapshots");
  fs::create_directories(model / "refs");
  fs::copy(folder_, model / "snapshots" / "abc", fs::copy_options::recursive);
  tool_.Write("hub/models--me--it/refs/main", "abc");
  SetVariable("HF_HUB_CACHE", tool_.Path("hub").c_str());
  ExpectMade("me/it");
  const ToolResult absent = tool_("convert me/other -o " + out_);
  UnsetVariable("HF_HUB_CACHE");
  EXPECT_EQ(absent.code, 1);
  EXPECT_THAT(absent.err, HasSubstr("`rondo pull me/other` downloads it"));
}

TEST_F(ConvertClaims, TheFileAppearsWholeOrNotAtAll) {
  fs::resize_file(fs::path(folder_) / "model.safetensors", 1000);
  EXPECT_EQ(tool_("convert " + folder_ + " -o " + out_).code, 1);
  for (const auto& entry : fs::directory_iterator(fs::path(out_).parent_path())) {
    EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr("out.rondo")));
  }
}

}  // namespace
}  // namespace rondo::convert
