// What the manual and --help say of `rondo convert`, each with the command that a user would type;
// what comes out is run.
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

  // `tensor`, a float matrix of that name, as signed integers of so many bits with a scale for each
  // `group` columns: in `packed` as compressed-tensors lays them, and in place as their values.
  static void Pack(const std::string& name, uint32_t bits, uint64_t group, TensorValues* tensor,
                   CheckpointTensors* packed) {
    const uint64_t rows = tensor->shape[0], cols = tensor->shape[1], in_word = 32 / bits;
    const std::string module = name.substr(0, name.size() - std::string("weight").size());
    packed->erase(name);
    TensorValues& scales = (*packed)[module + "weight_scale"] = {{rows, cols / group}, {}};
    const int half = 1 << (bits - 1);
    std::vector<uint32_t> words;
    for (size_t i = 0; i < tensor->values.size(); i += group) {
      float most = 0;
      for (size_t k = i; k < i + group; ++k) most = std::max(most, std::fabs(tensor->values[k]));
      const float scale = most > 0 ? most / static_cast<float>(std::max(half - 1, 1)) : 1;
      scales.values.push_back(scale);
      for (size_t k = i; k < i + group; ++k) {
        if (k % in_word == 0) words.push_back(0);
        const float code = std::clamp(std::round(tensor->values[k] / scale),
                                      static_cast<float>(-half), static_cast<float>(half - 1));
        words.back() |= static_cast<uint32_t>(static_cast<int>(code) + half)
                        << bits * (k % in_word);
        tensor->values[k] = code * scale;
      }
    }
    (*packed)[module + "weight_packed"] = Words({rows, cols / in_word}, words);
    (*packed)[module + "weight_shape"] =
        Words({2}, {static_cast<uint32_t>(rows), static_cast<uint32_t>(cols)});
  }

  // In config.json, with groups of tensors of so many bits.
  void SayItIsPacked(const std::vector<int>& bits) {
    nlohmann::json config = nlohmann::json::parse(tool_.Read("model/config.json")), groups;
    for (const int of_group : bits) {
      groups["group_" + std::to_string(of_group)] = {{"weights", {{"num_bits", of_group}}}};
    }
    config["quantization_config"] = {{"quant_method", "compressed-tensors"},
                                     {"config_groups", groups}};
    tool_.Write("model/config.json", config.dump());
  }

  ToolRunner tool_;
  const std::string folder_ = tool_.Path("model"), out_ = tool_.Path("out.rondo");
};

TEST_F(ConvertClaims, EveryFormat) {
  for (const char* weights : {"keep", "f32", "q8", "q4", "q3", "q2", "q4b", "q4b --block 64",
                              "auto", "auto --bits 2.6"}) {
    ExpectMade(folder_ + " --weights " + weights);  // over the one before
  }
  for (const char* embedding : {"f32", "q8", "q4", "q3", "q2", "q4b"}) {
    ExpectMade(folder_ + " --embedding " + embedding);
  }
}

// A quantised checkpoint makes the file that its numbers make: compressed-tensors, 4 bits, groups
// of 32, symmetric.
TEST_F(ConvertClaims, AQuantisedCheckpoint) {
  CheckpointTensors floats = ReadTensors(folder_), packed = floats;
  for (auto& [name, tensor] : floats) {
    if (name.ends_with("_proj.weight")) Pack(name, 4, 32, &tensor, &packed);
  }
  const auto convert = [&](const CheckpointTensors& tensors) {
    WriteTensors(folder_, tensors);
    ExpectMade(folder_ + " --weights q8");
    return tool_.Read("out.rondo");
  };
  const std::string expected = convert(floats);
  SayItIsPacked({4});
  EXPECT_TRUE(convert(packed) == expected);
  EXPECT_THAT(tool_("convert " + folder_ + " -o " + out_ + " --weights q4").out,
              HasSubstr("tensors of compressed-tensors, 4 bits (28) were dequantised and quantised "
                        "anew, as q4 (codes), which moved them by "));
  EXPECT_THAT(
      tool_("convert " + folder_ + " -o " + out_).out,
      HasSubstr("tensors of compressed-tensors, 4 bits (28) were taken over as they are, as "
                "q4b, block 32, but for "));
}

// Integers with a scale for each row stay what they are, in the fewest bits that hold them: the
// logits have the bits of the same integers in q8.
TEST_F(ConvertClaims, AQuantisedCheckpointKeepsItsBits) {
  CheckpointTensors floats = ReadTensors(folder_), packed = floats;
  for (auto& [name, tensor] : floats) {
    if (!name.ends_with("_proj.weight")) continue;
    const bool is_mlp = name.find(".mlp.") != std::string::npos;
    Pack(name, is_mlp ? 2 : 4, tensor.shape[1], &tensor, &packed);
  }
  WriteTensors(folder_, packed);
  SayItIsPacked({2, 4});
  const auto logits = [&](const std::string& options) {
    ExpectMade(folder_ + options);
    const std::string npy = tool_.Path("logits.npy");
    EXPECT_EQ(tool_("logits " + out_ + " --ids 1,5,9,30,7 -o " + npy).code, 0);
    return tool_.Read("logits.npy");
  };
  const std::string kept = logits(" --weights keep");
  const ToolResult facts = tool_("inspect " + out_ + " --tensors");
  EXPECT_THAT(facts.out, testing::AllOf(HasSubstr("q2"), HasSubstr("q4")));
  const std::string in_q8 = logits(" --weights q8");
  EXPECT_FALSE(kept.empty());
  EXPECT_TRUE(kept == in_q8);
}

// What fits so many bytes, and what is then said of it.
TEST_F(ConvertClaims, WhatFits) {
  uintmax_t before = 0;
  for (const char* size : {"4M", "4500k", "5M", "40M"}) {
    const ToolResult made =
        tool_("convert " + folder_ + " -o " + out_ + " --context 512 --fit " + size);
    ASSERT_EQ(made.code, 0) << size << made.err;
    const size_t said = made.out.find("an engine takes ");
    ASSERT_NE(said, std::string::npos) << made.out;
    const size_t begin = made.out.find("--context", said);
    const std::string options = made.out.substr(begin, made.out.find('\n', begin) - begin);
    const std::string shown = tool_("inspect " + out_ + " --plan " + options).out;
    const std::string bytes = made.out.substr(said + 16, made.out.find(" bytes", said) - said - 16);
    EXPECT_THAT(shown, HasSubstr(bytes)) << size;
    EXPECT_GE(fs::file_size(out_), before) << size;
    before = fs::file_size(out_);
  }
  const ToolResult none = tool_("convert " + folder_ + " -o " + out_ + " --context 512 --fit 1M");
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("does not fit 1,000,000 bytes"));
  EXPECT_EQ(fs::file_size(out_), before);  // what was there stays
}

TEST_F(ConvertClaims, WeightsChosenByAText) {
  const std::string by_text = " --calibrate " + tool_.Path("book.txt");
  for (const char* weights : {"q4", "q3", "q2", "q4b", "auto", "auto --bits 5", "auto --bits 3"}) {
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
